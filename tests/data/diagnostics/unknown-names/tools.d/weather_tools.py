def get_weather(city: str) -> str:
    return city
