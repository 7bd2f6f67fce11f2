"""The project a file belongs to: its root folder, and what `runner.yaml` there says."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runner.diagnostics import Diagnostic
from runner.language.document import Document, read_document
from runner.language.modelines import check_modelines
from runner.language.policy import RISKS, beyond, policy_of, refused_models
from runner.language.schema import check
from runner.spec import Json, JsonObject, ProjectSpec, Risk

PROJECT_FILE = "runner.yaml"
AGENTS_FOLDER = "agents.d"
TOOLS_FOLDER = "tools.d"
STATE_FOLDER = ".runner"
# The code of a limit that no agent of the project may have.
ABOVE_MAXIMUM = "RUN701"
# The code of a model that no agent of the project may ask.
MODEL_NOT_ALLOWED = "RUN703"


@dataclass(frozen=True, kw_only=True, slots=True)
class Project:
    """A project as found on disk.

    Attributes:
        spec: what a run needs of it.
        document: `runner.yaml`, None when there is none or it cannot be read.
        diagnostics: what is wrong with `runner.yaml`.
    """

    spec: ProjectSpec
    document: Document | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def root(self) -> Path:
        """Absolute path of the root folder."""
        return Path(self.spec.root)


def find_root(folder: Path) -> Path:
    """The project root of the files in `folder` (an absolute path).

    That is the nearest folder, from there up, with a `runner.yaml`; else the nearest with an `agents.d`; else `folder`.
    """
    above = (folder, *folder.parents)
    with_file = (each for each in above if (each / PROJECT_FILE).is_file())
    with_agents = (each for each in above if (each / AGENTS_FOLDER).is_dir())
    return next(with_file, None) or next(with_agents, None) or folder


def load_project(root: Path) -> Project:
    """Read and check the `runner.yaml` of a root folder, if there is one."""
    file = root / PROJECT_FILE
    if not file.is_file():
        return Project(spec=_spec(root, {}))
    document, diagnostics = read_document(file)
    if document is None:
        return Project(spec=_spec(root, {}), diagnostics=tuple(diagnostics))
    spec = _spec(root, document.data)
    diagnostics += check(document, "project")
    diagnostics += check_modelines(document, "project", root)
    diagnostics += _forbidden_defaults(document, spec)
    return Project(spec=spec, document=document, diagnostics=tuple(diagnostics))


def _forbidden_defaults(document: Document, spec: ProjectSpec) -> Iterator[Diagnostic]:
    written = document.data.get("defaults")
    defaults = written if isinstance(written, dict) else {}
    for limit, message, suggestion, related in beyond(defaults.get("limits"), spec.limits, document):
        place = ("defaults", "limits", limit)
        yield document.diagnostic(ABOVE_MAXIMUM, message, place, suggestion=suggestion, related=(related,))
    model = defaults.get("model")
    for path, message, suggestion, related in refused_models(model, ("defaults", "model"), spec.models, document):
        yield document.diagnostic(MODEL_NOT_ALLOWED, message, path, suggestion=suggestion, related=(related,))


def _spec(root: Path, data: JsonObject) -> ProjectSpec:
    return ProjectSpec(
        root=str(root),
        tools_folder=str(root / TOOLS_FOLDER),
        python_packages=_names(data.get("python_packages")),
        http_hosts=_names(data.get("http_hosts")),
        limits=policy_of(data.get("limits")),
        models=_globs(data.get("models")),
        inline_tools="deny" if data.get("inline_tools") == "deny" else "allow",
        max_risk=_risk(data.get("max_risk")),
        state_dir=str(root / _text(data.get("state_dir"), STATE_FOLDER)),
    )


def _globs(value: Json) -> tuple[str, ...]:
    """All or nothing: held against half of what was meant, good models would be told beside the mistake itself."""
    globs = _names(value)
    return globs if all(glob.split() == [glob] for glob in globs) and globs else ()


def _text(value: Json, default: str) -> str:
    return value if isinstance(value, str) and value else default


def _risk(value: Json) -> Risk:
    return value if value in RISKS else "high"


def _names(value: Json) -> tuple[str, ...]:
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()
