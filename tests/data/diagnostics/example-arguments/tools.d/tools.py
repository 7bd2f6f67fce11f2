def forecast(city: str, days: int = 1) -> str:
    return city * days
