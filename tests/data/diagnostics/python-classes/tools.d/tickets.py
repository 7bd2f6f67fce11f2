import os
from dataclasses import dataclass

from runner import ToolContext


class Tracker:
    def __init__(self, project, *, page_size=20): ...

    def search(self, q, ctx: ToolContext): ...

    @staticmethod
    def add(left, right): ...

    @property
    def size(self): ...


@dataclass
class Client:
    url: str
    retries: int = 3

    def get(self, path): ...


def ping(): ...
