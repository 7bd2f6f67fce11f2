"""The repairs there are, in one table: a new one is a new file and a line here."""

from collections.abc import Callable, Mapping

from runner.language.fixing import (
    amounts,
    import_paths,
    keys,
    moves,
    placeholders,
    quotes,
    scalars,
    tabs,
    words,
)
from runner.language.fixing.edits import Fix
from runner.language.fixing.mistake import Mistake

# None: this one is for a person to repair.
Fixer = Callable[[Mistake], Fix | None]

# Code of a diagnostic -> what may repair it; the first that knows how does.
FIXERS: Mapping[str, tuple[Fixer, ...]] = {
    "RUN108": (tabs.spaces,),
    "RUN109": (quotes.quote,),
    "RUN201": (keys.rename, moves.move),
    "RUN202": (keys.rename,),
    "RUN203": (scalars.quote, scalars.unquote, scalars.boolean, scalars.as_list),
    "RUN204": (scalars.quote, words.word),
    "RUN206": (amounts.spell, import_paths.import_path),
    "RUN210": (words.word,),
    "RUN212": (keys.rename,),
    "RUN514": (placeholders.placeholder,),
}


def fix_for(mistake: Mistake) -> Fix | None:
    """The repair of a mistake; None when there is none."""
    for fixer in FIXERS.get(mistake.diagnostic.code, ()):
        fix = fixer(mistake)
        if fix is not None:
            return fix
    return None
