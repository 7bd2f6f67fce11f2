"""What tests look at of an import."""

from runner.importing.plan import Plan
from runner.language.document import parse_document
from runner.spec import Json


def data(plan: Plan) -> list[dict[str, Json]]:
    """The agents, read again."""
    documents = [parse_document(text.encode(), display="x")[0] for text in plan.files.values()]
    return [dict(document.data) for document in documents if document is not None]


def notes(plan: Plan) -> list[str]:
    """What is told about the source, with places."""
    return [f"{note.location}: {note.message}" for note in plan.notes]
