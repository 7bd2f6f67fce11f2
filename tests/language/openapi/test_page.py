"""What the page on OpenAPI says is so."""

import json
import re
from pathlib import Path

from runner.language.openapi.expanded import CODES
from runner.language.schema_files import schema_text
from runner.language.validation import validate_paths
from tests.language.openapi.specs import operation, spec
from tests.language.projects import Write

PAGE = (Path(__file__).parents[3] / "docs" / "openapi.md").read_text(encoding="utf-8")


def test_its_example_is_right(project: Write) -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    paths = {
        "/orders": {"get": operation(operationId="listOrders")},
        "/orders/{id}": {"get": operation(operationId="getOrder")},
    }
    agent = "name: a\nmodel: openai/x\nprompt: hi\ntools: [shop_listOrders, shop_getOrder]\n"
    project(
        {"agents.d/a.yaml": agent, "tools.d/shop.yaml": example, "tools.d/shop.openapi.yaml": json.dumps(spec(paths))}
    )

    report = validate_paths([])

    assert report.diagnostics == ()
    assert report.files == 2


def test_it_has_every_code_and_every_key() -> None:
    keys = json.loads(schema_text("toolset"))["$defs"]["openapiTool"]["properties"]

    assert set(re.findall(r"^\| (RUN\d+)", PAGE, re.MULTILINE)) == CODES.keys()
    assert {key for key in keys if key != "type" and f"`{key}`" not in PAGE} == set()
