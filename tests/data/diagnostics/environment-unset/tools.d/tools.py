from runner import ToolContext


class Notes:
    def __init__(self, url: str) -> None: ...

    def search(self, q: str, ctx: ToolContext) -> str:
        return q
