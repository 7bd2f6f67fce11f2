"""The clock: the time of any place, told from a given moment."""

import zoneinfo
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.toolkit.clock import current_time, describe
from runner.toolkit.places.cities import CITIES
from runner.toolkit.places.find import collect, fold, system_names
from runner.toolkit.places.regions import MAINLAND, QUALIFIERS, REGIONS

NOW = datetime(2026, 11, 30, 8, 5, tzinfo=UTC)
ZONES = zoneinfo.available_timezones() - {"Factory", "localtime"}


def refusal(place: str) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the messages are asserted by the callers
        describe(NOW, place)
    return str(caught.value)


@pytest.mark.parametrize(
    ("place", "result"),
    [
        ("Asia/Tokyo", "2026-11-30 17:05 (Monday), Asia/Tokyo, UTC+09:00"),
        ("asia/tokyo", "2026-11-30 17:05 (Monday), Asia/Tokyo, UTC+09:00"),
        ("Pacific/Kiritimati", "2026-11-30 22:05 (Monday), Pacific/Kiritimati, UTC+14:00"),
        ("Hawaii", "2026-11-29 22:05 (Sunday), Pacific/Honolulu, UTC-10:00"),
        ("Kathmandu", "2026-11-30 13:50 (Monday), Asia/Kathmandu, UTC+05:45"),
        ("St. John's", "2026-11-30 04:35 (Monday), America/St_Johns, UTC-03:30"),
        ("UTC", "2026-11-30 08:05 (Monday), UTC"),
        ("", "2026-11-30 08:05 (Monday), UTC"),
        ("GMT", "2026-11-30 08:05 (Monday), GMT, UTC+00:00"),
        ("UTC+2", "2026-11-30 10:05 (Monday), UTC+02:00"),
        ("gmt-5:30", "2026-11-30 02:35 (Monday), UTC-05:30"),
        ("+0530", "2026-11-30 13:35 (Monday), UTC+05:30"),
        ("UTC−3", "2026-11-30 05:05 (Monday), UTC-03:00"),  # noqa: RUF001 - the typographic minus
        ("Etc/GMT+5", "2026-11-30 03:05 (Monday), Etc/GMT+5, UTC-05:00"),
        ("edt", "2026-11-30 04:05 (Monday), EDT, UTC-04:00"),
    ],
)
def test_the_time_is_told_with_weekday_zone_and_offset(place: str, result: str) -> None:
    assert describe(NOW, place) == result


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("Tokyo", "Asia/Tokyo"),
        ("NEW YORK", "America/New_York"),
        ("new_york", "America/New_York"),
        ("Oslo", "Europe/Oslo"),
        ("São Paulo", "America/Sao_Paulo"),
        ("sao paulo", "America/Sao_Paulo"),
        ("San Francisco", "America/Los_Angeles"),
        ("Beijing", "Asia/Shanghai"),
        ("Bangalore", "Asia/Kolkata"),
        ("Zürich", "Europe/Zurich"),
        ("Łódź", "Europe/Warsaw"),
        ("Tromso", "Europe/Oslo"),
        ("Saint Petersburg", "Europe/Moscow"),
        ("St. Petersburg", "Europe/Moscow"),
        ("東京", "Asia/Tokyo"),
        ("Japan", "Asia/Tokyo"),
        ("UK", "Europe/London"),
        ("Côte d’Ivoire", "Africa/Abidjan"),  # noqa: RUF001 - the typographic apostrophe
        ("Trinidad & Tobago", "America/Port_of_Spain"),
        ("Samoa", "Pacific/Apia"),  # US/Samoa is another island
        ("Spain", "Europe/Madrid"),  # named for its mainland
        ("California", "America/Los_Angeles"),
        ("Eastern Time", "America/New_York"),
        ("Tokyo, Japan", "Asia/Tokyo"),
        ("Tokyo,", "Asia/Tokyo"),
        ("Sydney, NSW, Australia", "Australia/Sydney"),
        ("Munich, Bavaria, Germany", "Europe/Berlin"),
        ("Austin, TX", "America/Chicago"),
        ("Washington, D.C.", "America/New_York"),
        ("Seattle, Washington", "America/Los_Angeles"),
        ("Georgia, USA", "America/New_York"),
        ("San José, Costa Rica", "America/Costa_Rica"),
        ("San Jose, CA", "America/Los_Angeles"),
        ("Sendai, Japan", "Asia/Tokyo"),  # a smaller city: its country has one zone
        ("Springfield, Illinois, USA", "America/Chicago"),
    ],
)
def test_places_are_found(place: str, zone: str) -> None:
    assert describe(NOW, place) == describe(NOW, zone)


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("Tokio", ["unknown place 'Tokio'; did you mean Tokyo?"]),
        ("Lodon", ["did you mean London?"]),
        ("xyzzy", ["a large city ('Tokyo')", "'UTC+9'"]),
        ("USA", ["stands for several time zones", "America/New_York", "America/Los_Angeles"]),
        ("Russia", ["Europe/Moscow", "Asia/Vladivostok"]),
        ("Brazil", ["America/Sao_Paulo", "America/Manaus"]),
        ("Australia", ["Australia/Sydney", "Australia/Perth"]),
        ("Canada", ["America/Toronto", "America/Vancouver"]),
        ("Georgia", ["Asia/Tbilisi", "America/New_York"]),
        ("San Jose", ["America/Costa_Rica", "America/Los_Angeles"]),
        ("CST", ["America/Chicago", "Asia/Shanghai"]),
        ("IST", ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"]),
        ("Tenerife, Spain", ["Europe/Madrid", "Atlantic/Canary"]),
        ("Paris, Texas", ["'Paris' is in Europe/Paris, not in 'Texas'", "America/Chicago"]),
        ("London, Ontario", ["not in 'Ontario'", "America/Toronto"]),
        ("Tokyo, Earth", ["'Earth' is not a place I know; give 'Tokyo' alone"]),
        ("Nowhere, Earth", ["unknown place"]),
        ("UTC+15", ["from UTC-12 to UTC+14"]),
        ("UTC+5:99", ["unknown place"]),
        ("localtime", ["unknown place"]),
        ("../../etc/passwd", ["unknown place"]),
        ("x" * 101, ["101 characters"]),
        (",", ["unknown place"]),
    ],
)
def test_a_refusal_says_what_to_give(place: str, parts: list[str]) -> None:
    message = refusal(place)

    assert [part for part in parts if part not in message] == []


def test_daylight_saving_follows_the_moment() -> None:
    summer = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)

    assert describe(summer, "Oslo") == "2026-07-01 14:00 (Wednesday), Europe/Oslo, UTC+02:00"
    assert describe(summer, "New York") == "2026-07-01 08:00 (Wednesday), America/New_York, UTC-04:00"


def test_the_moment_may_come_in_any_zone() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=-7)))

    assert describe(there, "Tokyo") == describe(NOW, "Tokyo")


def test_the_current_time_is_now() -> None:
    before = datetime.now(UTC).replace(second=0, microsecond=0)
    told = datetime.strptime(current_time()[:16], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)

    assert before <= told <= datetime.now(UTC)


def test_every_zone_is_found_by_its_own_name() -> None:
    zones = sorted(zone for zone in ZONES if "/" in zone)

    assert [zone for zone in zones if describe(NOW, zone).split(", ")[1] != zone] == []


def test_names_of_zones_do_not_collide() -> None:
    assert len({fold(zone) for zone in ZONES}) == len(ZONES)


@pytest.mark.parametrize("table", [CITIES, REGIONS, QUALIFIERS])
def test_the_tables_name_existing_zones(table: dict[str, str]) -> None:
    assert {zone for zones in table for zone in zones.split()} <= ZONES


def test_the_tables_name_no_place_twice() -> None:
    names = [fold(name) for table in (CITIES, REGIONS) for line in table.values() for name in line.split(", ")]

    assert sorted(names) == sorted(set(names))


def test_the_mainland_is_only_named_for_regions_of_several_zones() -> None:
    assert [name for name in MAINLAND if len(system_names().places[fold(name)]) < 2] == []


def test_without_a_time_zone_database_the_message_tells_what_to_install() -> None:
    with pytest.raises(ValueError, match="pip install tzdata"):
        collect([])


def test_zones_missing_from_an_old_database_are_not_offered() -> None:
    names = collect(["Europe/Oslo", "America/Toronto"])

    assert "kyiv" not in names.places
    assert names.places["canada"] == ("America/Toronto",)


@given(st.text(max_size=120))
def test_any_text_gives_a_time_or_a_refusal(place: str) -> None:
    try:
        result = describe(NOW, place)
    except ValueError:
        return
    assert result.startswith("2026-1")
