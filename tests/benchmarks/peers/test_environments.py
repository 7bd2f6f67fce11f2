"""Environments of peers: made from what a script says, kept, made anew, and refused in one line."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmarks.peers import environments
from tests.benchmarks.peers.environments import NAMES, Peer, PeerError, prepare, requirements_of

PEERS = Path(environments.__file__).parent
SCRIPTS = sorted(PEERS.glob("with_*.py"))


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Peer]:
    """Prepares a peer that requires what it is told, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def peer(*requirements: str) -> Peer:
        write_script(tmp_path, *requirements)
        return prepare("some-peer", scripts=tmp_path)

    return peer


def write_script(folder: Path, *requirements: str) -> None:
    listed = ", ".join(f'"{requirement}"' for requirement in requirements)
    script = f'# /// script\n# dependencies = [{listed}]\n# ///\nimport tiny\n\nprint("tiny", tiny.SIZE)\n'
    (folder / "with_some_peer.py").write_text(script, encoding="utf-8")


@pytest.fixture
def wheel(tmp_path: Path) -> Callable[[str], str]:
    """Makes a wheel of a package `tiny`, and gives the requirement that installs it without a network."""

    def build(version: str) -> str:
        path = tmp_path / f"tiny-{version}-py3-none-any.whl"
        info = f"tiny-{version}.dist-info"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("tiny.py", f'SIZE = "{version}"\n')
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        return f"tiny @ {path.as_uri()}"

    return build


def test_every_peer_has_a_script_and_every_script_is_a_peer() -> None:
    assert [f"with_{name.replace('-', '_')}.py" for name in sorted(NAMES)] == [script.name for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_a_script_requires_packages_by_name_and_version_only(script: Path) -> None:
    requirements = requirements_of(script)
    assert requirements
    assert not [requirement for requirement in requirements if "://" in requirement or requirement.startswith("-")]


def test_a_peer_runs_in_its_own_environment_with_compiled_packages_and_tells_their_versions(
    prepared: Callable[..., Peer], wheel: Callable[[str], str], tmp_path: Path
) -> None:
    peer = prepared(wheel("1.5"))
    printed = subprocess.run([peer.python, "-P", peer.script], capture_output=True, text=True, check=True).stdout
    assert (printed, peer.versions) == ("tiny 1.5\n", {"tiny": "1.5"})
    assert peer.python.is_relative_to(tmp_path / "cache" / "yaml-agent-runner-bench" / "some-peer")
    assert list((tmp_path / "cache").rglob("tiny.*.pyc"))


def test_an_environment_is_kept_until_its_requirements_change(
    prepared: Callable[..., Peer], wheel: Callable[[str], str]
) -> None:
    mark = prepared(wheel("1.5")).python.with_name("mark")
    mark.touch()
    prepared(wheel("1.5"))
    assert mark.exists()
    assert prepared(wheel("2.0")).versions == {"tiny": "2.0"}
    assert not mark.exists()


def test_a_package_that_cannot_be_installed_is_named_in_one_line_and_tried_again_the_next_time(
    prepared: Callable[..., Peer], wheel: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "later").mkdir()
    requirement = wheel("1.5").replace("/tiny-", "/later/tiny-")
    for _ in range(2):
        with pytest.raises(PeerError, match=r"\A`uv pip` failed: [^\n]*later/tiny[^\n]*\Z"):
            prepared(requirement)
    (tmp_path / "tiny-1.5-py3-none-any.whl").rename(tmp_path / "later" / "tiny-1.5-py3-none-any.whl")
    assert prepared(requirement).versions == {"tiny": "1.5"}


def test_without_uv_pip_makes_the_environment(wheel: Callable[[str], str], tmp_path: Path) -> None:
    write_script(tmp_path, wheel("1.5"))
    lonely = tmp_path / "lonely" / "python"
    lonely.parent.mkdir()
    lonely.symlink_to(Path(sys.executable).resolve())
    code = (
        "import sys, pathlib; from tests.benchmarks.peers.environments import prepare; "
        "print(prepare('some-peer', scripts=pathlib.Path(sys.argv[1])).versions)"
    )
    environment = {"PATH": str(lonely.parent), "PYTHONPATH": str(PEERS.parents[2]), "XDG_CACHE_HOME": str(tmp_path)}
    command = [str(lonely), "-c", code, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{'tiny': '1.5'}\n", "")


def test_a_script_without_requirements_is_refused_by_name(tmp_path: Path) -> None:
    script = tmp_path / "with_nothing.py"
    script.write_text('"""A peer."""\n', encoding="utf-8")
    with pytest.raises(PeerError, match=r"with_nothing\.py does not begin with its requirements"):
        requirements_of(script)
