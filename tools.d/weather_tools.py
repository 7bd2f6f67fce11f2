"""Weather of a few cities, made up and always the same, so that examples and tests need no network."""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["celsius", "fahrenheit"]


@dataclass(frozen=True, kw_only=True)
class Weather:
    """The weather of one day."""

    city: str
    temperature: float
    unit: Unit
    sky: str


CELSIUS = {
    "Cairo": (31.0, "sunny"),
    "Lima": (19.0, "foggy"),
    "London": (11.0, "rain"),
    "Nairobi": (22.0, "cloudy"),
    "Oslo": (-3.0, "snow"),
    "Rome": (12.0, "rain"),
    "São Paulo": (27.0, "thunderstorms"),
    "Tokyo": (16.0, "sunny"),
}
SKIES = ("sunny", "cloudy", "rain")


def get_weather(city: str, unit: Unit = "celsius") -> Weather:
    """Tell the weather in a city right now.

    Args:
        city: Name of the city, in English, such as "Oslo".
        unit: Unit of the temperature.
    """
    name = _known(city)
    degrees, sky = CELSIUS[name]
    temperature = degrees if unit == "celsius" else degrees * 9 / 5 + 32
    return Weather(city=name, temperature=round(temperature, 1), unit=unit, sky=sky)


async def get_forecast(city: str, days: int = 3) -> list[Weather]:
    """Tell the weather of the coming days; a tool that waits for something is best written like this, with `async`."""
    name = _known(city)
    degrees, sky = CELSIUS[name]
    first = SKIES.index(sky) if sky in SKIES else 0
    return [
        Weather(city=name, temperature=degrees + day, unit="celsius", sky=SKIES[(first + day) % len(SKIES)])
        for day in range(days)
    ]


def _known(city: str) -> str:
    """The name as the table has it; the message of the error is what the model reads."""
    for name in CELSIUS:
        if name.casefold() == city.strip().casefold():
            return name
    raise ValueError(f"no weather for {city!r}; there is weather for {', '.join(CELSIUS)}")
