class Tickets:
    def __init__(self, url: str) -> None: ...
    def search(self, q: str) -> str:
        return q
