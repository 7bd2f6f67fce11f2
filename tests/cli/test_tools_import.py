"""`runner tools import`: a document from a file or a server becomes two files of the project, or none."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runner.language.validation import validate_paths
from tests.cli.fakes import Invoke

DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pet Shop (v2)", "version": "2"},
    "servers": [{"url": "https://pets.example.com"}],
    "security": [{"key": []}],
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "paths": {
        "/pets": {
            "get": {"operationId": "listPets", "summary": "List the pets", "responses": {}},
            "post": {"operationId": "addPet", "responses": {}},
        }
    },
}
TEXT = json.dumps(DOCUMENT)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project" / "agents.d").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


class _Pages(BaseHTTPRequestHandler):
    """Answers each path with what `pages` of the server holds: status, headers, body."""

    def do_GET(self) -> None:
        status, headers, body = self.server.pages.get(self.path, (404, {}, b"gone"))  # type: ignore[attr-defined]
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[tuple[str, dict[str, Any]]]:
    """(address, pages) of a server on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as serving:
        pages: dict[str, Any] = {}
        serving.pages = pages  # type: ignore[attr-defined]
        threading.Thread(target=serving.serve_forever, args=[0.01], daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}", pages
        serving.shutdown()


def files_in(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()
    }


TOOLSET = """version: "1"
kind: toolset
tools:
  - type: openapi
    name: pets
    spec: ./pets.openapi.json
    operations: ["*"]
    auth: {header: {name: X-Key, value: "${PETS_API_KEY}"}}
"""


def test_a_document_is_saved_as_it_is_with_a_toolset_beside_it(invoke: Invoke, here: Path, tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(TEXT)

    code, out, err = invoke("tools", "import", str(tmp_path / "api.json"), "--name", "pets")

    assert (code, err) == (0, "")
    assert files_in(here) == {"tools.d/pets.openapi.json": TEXT, "tools.d/pets.yaml": TOOLSET}
    assert out.splitlines() == [
        "wrote 2 tools:",
        "  tools.d/pets.openapi.json",
        "  tools.d/pets.yaml",
        "next:",
        "  export PETS_API_KEY=…",
        "  runner list --tools",
        "  name those that an agent needs under its tools: pets_listPets, pets_addPet",
    ]


def test_what_was_written_validates_and_is_listed(invoke: Invoke, here: Path, tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(TEXT)
    (here / "agents.d" / "a.yaml").write_text("name: a\nmodel: openai/x\nprompt: hi\ntools: [listPets]\n")
    invoke("tools", "import", str(tmp_path / "api.json"))

    assert validate_paths([]).diagnostics == ()
    assert "listPets" in invoke("list", "--tools")[1]


def test_operations_and_the_file_can_be_chosen(invoke: Invoke, here: Path, tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_text("# ours\n" + TEXT)

    code, _, _ = invoke(
        "tools", "import", str(tmp_path / "api.yaml"), "--to", "tools.d/mine.yaml", "--operations", "list*"
    )

    assert code == 0
    assert set(files_in(here)) == {"tools.d/mine.yaml", "tools.d/mine.openapi.yaml"}
    assert 'operations: ["list*"]' in files_in(here)["tools.d/mine.yaml"]
    assert validate_paths([]).files == 1


def test_nothing_that_exists_is_overwritten(invoke: Invoke, here: Path, tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(TEXT)
    (here / "tools.d").mkdir()
    (here / "tools.d" / "pet-shop-v2.yaml").write_text("mine")

    code, out, err = invoke("tools", "import", str(tmp_path / "api.json"))

    assert (code, out) == (2, "")
    assert "nothing written, these exist: tools.d/pet-shop-v2.yaml; name another file with --to" in err
    assert files_in(here) == {"tools.d/pet-shop-v2.yaml": "mine"}


def with_(**more: Any) -> str:
    return json.dumps({**DOCUMENT, **more})


BROKEN = {"/a": {"post": {"operationId": "a", "requestBody": {"$ref": "#/gone"}, "responses": {}}}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "error[RUN107]"),
        ("openapi: 3.1.0\nopenapi", "error[RUN107]"),
        ('{"swagger": "2.0"}', "is Swagger 2.0, expected OpenAPI 3.0 or 3.1"),
        (with_(servers=[]), "give its address with --server"),
        (with_(paths=BROKEN), "'#/gone' finds nothing: there is no 'gone'"),
        (with_(paths={"/a": {"$ref": "#/gone"}}), "'#/gone' finds nothing: there is no 'gone'"),
    ],
)
def test_of_a_bad_document_nothing_is_written(
    invoke: Invoke, here: Path, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "api.json").write_text(text)

    code, out, err = invoke("tools", "import", str(tmp_path / "api.json"))

    assert (code, out) == (1, "")
    assert message in err
    assert files_in(here) == {}


def test_a_selection_that_matches_nothing_is_refused(invoke: Invoke, here: Path, tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(TEXT)

    code, _, err = invoke("tools", "import", str(tmp_path / "api.json"), "--operations", "listPet")

    assert code == 1
    assert "did you mean 'listPets'?" in err
    assert files_in(here) == {}


def test_a_file_that_is_not_there_is_told(invoke: Invoke, here: Path) -> None:
    assert invoke("tools", "import", "gone.json") == (
        1,
        "",
        "error: cannot read gone.json: no such file or directory\n",
    )
    assert files_in(here) == {}


def test_a_toolset_is_a_yaml_file(invoke: Invoke, here: Path) -> None:
    code, _, err = invoke("tools", "import", "api.json", "--to", "tools.d/x.json")

    assert code == 2
    assert "write --to tools.d/x.yaml" in err
    assert files_in(here) == {}


def test_a_document_is_fetched_and_its_relative_server_made_whole(
    invoke: Invoke, here: Path, server: tuple[str, dict[str, Any]]
) -> None:
    address, pages = server
    pages["/old"] = (302, {"Location": "/docs/openapi.json"}, b"")
    pages["/docs/openapi.json"] = (200, {"Content-Type": "text/plain"}, with_(servers=[{"url": "../v1"}]).encode())

    code, _, err = invoke("tools", "import", f"{address}/old")

    assert (code, err) == (0, "")
    assert f'server: "{address}/v1"' in files_in(here)["tools.d/pet-shop-v2.yaml"]


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ((500, {}, b"no"), "the server said 500 Internal Server Error"),
        ((302, {"Location": "/page"}, b""), "leads from one address to the next without end"),
        ((302, {"Location": "http://169.254.169.254/"}, b""), "cannot fetch"),
        ((200, {}, b"x" * 20_000_001), "is larger than 20 MB"),
        ((200, {}, b"<html>Sign in</html>"), "error[RUN1"),
    ],
)
def test_what_cannot_be_fetched_is_told_and_nothing_written(
    invoke: Invoke,
    here: Path,
    server: tuple[str, dict[str, Any]],
    page: tuple[int, dict[str, str], bytes],
    message: str,
) -> None:
    address, pages = server
    pages["/page"] = page

    code, out, err = invoke("tools", "import", f"{address}/page")

    assert (code, out) == (1, "")
    assert message in err
    assert files_in(here) == {}


def test_a_server_that_is_not_there_is_told(invoke: Invoke, here: Path) -> None:
    code, _, err = invoke("tools", "import", "http://127.0.0.1:1/openapi.json")

    assert code == 1
    assert err.startswith("error: cannot fetch http://127.0.0.1:1/openapi.json: ")
    assert files_in(here) == {}


def test_a_second_import_under_another_prefix_gets_files_of_its_own(invoke: Invoke, here: Path, tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(TEXT)

    assert invoke("tools", "import", str(tmp_path / "api.json"), "--name", "own")[0] == 0
    assert invoke("tools", "import", str(tmp_path / "api.json"), "--name", "Our Shop")[0] == 0
    assert invoke("tools", "import", str(tmp_path / "api.json"))[0] == 0

    assert sorted(name for name in files_in(here) if name.endswith("yaml")) == [
        "tools.d/our-shop.yaml",
        "tools.d/own.yaml",
        "tools.d/pet-shop-v2.yaml",
    ]


def test_the_address_of_a_broken_document_is_shown_as_it_is(
    invoke: Invoke, here: Path, server: tuple[str, dict[str, Any]]
) -> None:
    address, pages = server
    pages["/api.yaml"] = (200, {}, b"openapi: [")

    code, _, err = invoke("tools", "import", f"{address}/api.yaml")

    assert code == 1
    assert f"{address}/api.yaml:1:" in err
    assert files_in(here) == {}
