from functools import partial
from os.path import join as reexported

def get_weather(city, unit="C"):
    def inner(): ...

bound = partial(get_weather, "Oslo")
