"""Find the time zone that the name of a place stands for."""

import difflib
import re
import unicodedata
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache

from runner.toolkit.places.cities import CITIES
from runner.toolkit.places.regions import MAINLAND, QUALIFIERS, REGIONS

Zones = tuple[str, ...]

# Abbreviations with one meaning that are not IANA zones, by their hours from UTC. Those with several are in REGIONS.
_ABBREVIATIONS: Mapping[str, float] = {
    "ACDT": 10.5, "ACST": 9.5, "AEDT": 11, "AEST": 10, "AKDT": -8, "AKST": -9, "ART": -3, "AWST": 8, "BRT": -3,
    "CAT": 2, "CDT": -5, "CEST": 2, "EAT": 3, "EDT": -4, "EEST": 3, "HKT": 8, "ICT": 7, "JST": 9, "KST": 9, "MDT": -6,
    "MSK": 3, "NDT": -2.5, "NPT": 5.75, "NZDT": 13, "NZST": 12, "PDT": -7, "PHT": 8, "PKT": 5, "PST": -8, "SAST": 2,
    "SGT": 8, "TRT": 3, "WAT": 1, "WEST": 1, "WIB": 7, "Z": 0,
}  # fmt: skip
_OFFSET = re.compile(r"(?:utc|gmt)?\s*([-+−±])\s*(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)  # noqa: RUF001 - a minus
_LONGEST_NAME = 100

# The areas whose zones are named after cities; US/Pacific or Etc/GMT+5 (which means UTC-5) are no cities.
_AREAS = {"Africa", "America", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
_COMPASS = {"North", "South", "West", "Victoria", "LHI"}  # parts of Australia/… that are no cities
_LETTERS = str.maketrans("øłđı-_", "oldi  ", "'’.")  # noqa: RUF001 - letters that do not decompose, and look-alikes


@dataclass(frozen=True, kw_only=True)
class Names:
    """All known names, folded: zones of places, zones behind a comma, regions named for their mainland, spellings."""

    places: Mapping[str, Zones]
    qualifiers: Mapping[str, Zones]
    mainland: frozenset[str]
    spellings: Mapping[str, str]


def find(place: str, now: datetime) -> tuple[str, tzinfo]:
    """The label and the time zone of a place; ValueError with similar names when it is unknown or ambiguous."""
    if len(place) > _LONGEST_NAME:
        raise ValueError(f"the place has {len(place):,} characters; give a city such as 'Tokyo'")
    fixed = _offset(place)
    if fixed:
        return fixed
    zone = _zone(place, now, system_names())
    return zone, zoneinfo.ZoneInfo(zone)


def fold(name: str) -> str:
    """The name without case, accents and punctuation, so that 'São_Paulo' becomes 'sao paulo'."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    words = plain.translate(_LETTERS).replace("&", " and ").split()
    return " ".join("st" if word == "saint" else word for word in words)


@cache
def system_names() -> Names:
    """The names for the time zones of this computer."""
    return collect(zoneinfo.available_timezones())


def collect(zones: Iterable[str]) -> Names:
    """The names for these IANA zones; ValueError when there are none."""
    known = sorted(set(zones) - {"Factory", "localtime"})
    if not known:
        raise ValueError("this computer has no time zone database; install it with: pip install tzdata")
    places: dict[str, Zones] = {}
    spellings: dict[str, str] = {}

    def add(name: str, found: Zones) -> None:
        if found:
            places[fold(name)] = found
            spellings[fold(name)] = name

    for zone in known:
        area, *rest = zone.split("/")
        if len(rest) == 1 and area in _AREAS and rest[0] not in _COMPASS:
            add(rest[0].replace("_", " "), (zone,))
    for table in (CITIES, REGIONS):
        for name, found in _by_name(table, known).items():
            add(name, found)
    for zone in known:
        if fold(zone) not in places:
            add(zone, (zone,))
    qualifiers = {fold(name): found for name, found in _by_name(QUALIFIERS, known).items()}
    mainland = frozenset(fold(name) for name in MAINLAND)
    return Names(places=places, qualifiers=places | qualifiers, mainland=mainland, spellings=spellings)


def _by_name(table: Mapping[str, str], known: Sequence[str]) -> dict[str, Zones]:
    available = set(known)
    return {
        name: tuple(zone for zone in zones.split() if zone in available)
        for zones, names in table.items()
        for name in names.split(", ")
    }


def _offset(place: str) -> tuple[str, tzinfo] | None:
    """A fixed offset such as UTC+2, +05:30 or JST."""
    text = place.strip()
    if text.upper() in _ABBREVIATIONS:
        return text.upper(), timezone(timedelta(hours=_ABBREVIATIONS[text.upper()]))
    match = _OFFSET.fullmatch(text)
    if match is None:
        return None
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    if match[1] in "-−":  # noqa: RUF001 - the typographic minus
        offset = -offset
    if not timedelta(hours=-12) <= offset <= timedelta(hours=14):
        raise ValueError(f"no place is at {text!r}: offsets go from UTC-12 to UTC+14, for example UTC+5:30")
    return "", timezone(offset)


def _zone(place: str, now: datetime, names: Names) -> str:
    whole = fold(place)
    head, *behind = [part.strip() for part in place.split(",") if part.strip()] or [place]
    if whole in names.places or not behind:
        zones = names.places.get(whole) or names.places.get(fold(head))
        if zones is None:
            raise ValueError(_unknown(place, names))
        return _only(place, zones, mainland=fold(head) in names.mainland)
    regions = [names.qualifiers[fold(part)] for part in behind if fold(part) in names.qualifiers]
    zones = names.places.get(fold(head), ())
    if not regions and not zones:
        raise ValueError(_unknown(place, names))
    if not regions:
        raise ValueError(f"{', '.join(behind)!r} is not a place I know; give {head!r} alone or its IANA zone")
    if not zones:  # a smaller place: the time of its state or country will do
        return _only(place, min(regions, key=len))
    # Names differ (Paris is also in Texas), the time decides: a zone is right when every region around it has its time.
    right = tuple(
        zone for zone in zones if all(_time(zone, now) in {_time(one, now) for one in region} for region in regions)
    )
    if not right:
        others = ", ".join(dict.fromkeys(zone for region in regions for zone in region))
        raise ValueError(f"{head!r} is in {zones[0]}, not in {', '.join(behind)!r}; give a zone, for example {others}")
    return _only(place, right, mainland=fold(head) in names.mainland)


def _time(zone: str, now: datetime) -> timedelta | None:
    return now.astimezone(zoneinfo.ZoneInfo(zone)).utcoffset()


def _only(place: str, zones: Zones, *, mainland: bool = False) -> str:
    if len(zones) == 1 or mainland:
        return zones[0]
    raise ValueError(f"{place!r} stands for several time zones; give a city or one of these: {', '.join(zones)}")


def _unknown(place: str, names: Names) -> str:
    close = difflib.get_close_matches(fold(place), names.spellings, n=3, cutoff=0.7)
    if close:
        return f"unknown place {place!r}; did you mean {' or '.join(names.spellings[name] for name in close)}?"
    return f"unknown place {place!r}; give a large city ('Tokyo'), an IANA zone ('Asia/Tokyo') or an offset ('UTC+9')"
