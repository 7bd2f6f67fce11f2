"""Tools for the tickets of the mutation corpus; nothing runs them."""

from runner import ToolContext


def search_tickets(text: str, limit: int = 10) -> list[str]:
    """Find tickets."""
    return [text] * limit


def close_ticket(ticket: int, reason: str = "") -> str:
    """Close a ticket."""
    return f"{ticket} {reason}"


def list_products() -> list[str]:
    """List the products."""
    return []


class Tracker:
    """A tracker of tickets."""

    def __init__(self, project: str, page_size: int = 10) -> None:
        self.project = project
        self.page_size = page_size

    def add_label(self, ticket: int, label: str, ctx: ToolContext) -> str:
        """Add a label to a ticket."""
        return f"{ticket} {label} {ctx}"
