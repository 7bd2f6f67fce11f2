"""What is made of measured figures: medians, ratios of ours to the others, and whether a goal is reached."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

OURS = "runner"

Figures = Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A contender that gave no figures; `reason` is one line."""

    reason: str


# What each contender did in one round, by its name.
Round = Mapping[str, Figures | Failure]


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """One figure of one contender over all rounds; `ratio` is how many times as much ours is."""

    median: float
    least: float
    most: float
    ratio: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """What our figure has to reach.

    Attributes:
        text: the goal, for people: "at most 1.05x litellm".
        limit: the most that `distance` may be, as the median over the rounds.
        against: the contender that ours is compared with; None for a goal that is a figure in itself.
        distance: of our figure, and that of the other in the same round (0 without one).
    """

    text: str
    limit: float
    against: str | None = None
    distance: Callable[[float, float], float]


def at_most(limit: float, unit: str) -> Goal:
    """Ours is no more than this."""
    return Goal(text=f"at most {limit:g} {unit}", limit=limit, distance=lambda ours, _: ours)


def at_most_times(limit: float, against: str) -> Goal:
    """Ours is no more than so many times that of another contender."""
    text = f"at most {limit:g}x {against}"
    return Goal(text=text, limit=limit, against=against, distance=lambda ours, theirs: ours / theirs)


def at_most_over(limit: float, unit: str, against: str) -> Goal:
    """Ours is no more than that of another contender and this."""
    text = f"at most {limit:g} {unit} over {against}"
    return Goal(text=text, limit=limit, against=against, distance=lambda ours, theirs: ours - theirs)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A figure that is shown.

    Attributes:
        figure: its name in what contenders print.
        label: what people read, with the unit.
        scale: what the printed figure is multiplied by to be in that unit.
        per: None, or what is divided by the figure instead (1,000 files by seconds).
        goal: what it must reach, if anything.
    """

    figure: str
    label: str
    scale: float = 1.0
    per: float | None = None
    goal: Goal | None = None

    def value(self, figures: Figures | Failure) -> float | None:
        """The figure in its unit; None where there is none."""
        if isinstance(figures, Failure) or self.figure not in figures:
            return None
        figure = figures[self.figure] * self.scale
        return figure if self.per is None else self.per / figure

    def summaries(self, rounds: Sequence[Round]) -> dict[str, Summary]:
        """What each contender reached; those that never gave this figure are not in it."""
        names = dict.fromkeys(name for measured in rounds for name in measured)
        return {name: summary for name in names if (summary := self._summary(rounds, name)) is not None}

    def _summary(self, rounds: Sequence[Round], name: str) -> Summary | None:
        values = [value for measured in rounds if (value := self._of(measured, name)) is not None]
        if not values:
            return None
        ratios = [ours / theirs for ours, theirs in self._pairs(rounds, name) if theirs] if name != OURS else []
        return Summary(
            median=statistics.median(values),
            least=min(values),
            most=max(values),
            ratio=statistics.median(ratios) if ratios else None,
        )

    def reached(self, rounds: Sequence[Round]) -> bool | None:
        """Whether the goal is met; None when there is none, or nothing to tell it by."""
        if self.goal is None:
            return None
        distances = [self.goal.distance(*pair) for pair in self._pairs(rounds, self.goal.against)]
        return statistics.median(distances) <= self.goal.limit if distances else None

    def _pairs(self, rounds: Sequence[Round], against: str | None) -> list[tuple[float, float]]:
        """Our figure and that of another in each round that has both."""
        pairs = []
        for measured in rounds:
            ours = self._of(measured, OURS)
            theirs = 0.0 if against is None else self._of(measured, against)
            if ours is not None and theirs is not None:
                pairs.append((ours, theirs))
        return pairs

    def _of(self, measured: Round, name: str) -> float | None:
        return self.value(measured[name]) if name in measured else None
