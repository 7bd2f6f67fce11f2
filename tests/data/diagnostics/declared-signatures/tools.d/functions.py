from runner import ToolContext


def search(a: int, *, b: str, c: list[str] | None = None, d: float = 1.0) -> str:
    """Search."""
    return f"{a}{b}{c}{d}"


def ask(question: str, ctx: ToolContext, other: "ToolContext | None" = None) -> str:
    """Ask."""
    return question
