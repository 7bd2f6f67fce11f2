import sys
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.language.module_source import Definition, UnreadableModuleError, read_module
from runner.language.resolve import Problem, Resolved, resolve
from runner.spec import ProjectSpec
from tests.language.projects import Write

TOOLS = """
    import asyncio
    from os.path import join as joined
    from functools import partial

    def add(a, b=1, *rest, c, d=2, **more):
        def inner(): ...

    async def wait(seconds: float): ...

    class Counter:
        def count(self): ...

        @property
        def size(self): ...

    counter = Counter()

    @partial
    def decorated(x): ...

    bound = partial(add, 1)
    typed: object = bound
    only_typed: object
    first, (second, *third) = range(3), (1, 2)

    try:
        def attempt(): ...
    except ImportError:
        def attempt(): ...

    if True:
        def branch(x): ...
"""


@pytest.fixture
def spec(project: Write) -> ProjectSpec:
    root = project({"tools.d/tools.py": TOOLS, "agents.d/.keep": ""})
    return ProjectSpec(root=str(root), tools_folder=str(root / "tools.d"))


def look_up(function: str, spec: ProjectSpec, folder: str = "agents.d") -> Resolved | Problem:
    return resolve(function, folder=Path(spec.root) / folder, project=spec)


def find(function: str, spec: ProjectSpec, folder: str = "agents.d") -> Resolved:
    found = look_up(function, spec, folder)
    assert isinstance(found, Resolved), found
    return found


def definition(function: str, spec: ProjectSpec) -> Definition:
    found = find(function, spec).definition
    assert found is not None
    return found


def refuse(function: str, spec: ProjectSpec, folder: str = "agents.d") -> Problem:
    problem = look_up(function, spec, folder)
    assert isinstance(problem, Problem), problem
    return problem


def test_a_function_in_tools_d_is_found_with_its_parameters(spec: ProjectSpec) -> None:
    found = find("tools:add", spec)

    assert found.file == Path(spec.root).resolve() / "tools.d" / "tools.py"
    assert found.root == Path(spec.root).resolve() / "tools.d"
    assert (found.module, found.name) == ("tools", "add")
    parameters = definition("tools:add", spec).parameters
    assert parameters is not None
    assert parameters.required == ("a", "c")
    assert parameters.names == ("a", "b", "c", "d")
    assert parameters.open


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("wait", "function"),
        ("Counter", "class"),
        ("decorated", "function"),
        ("joined", "import"),
        ("bound", "assignment"),
        ("typed", "assignment"),
        ("third", "assignment"),
        ("attempt", "function"),
        ("branch", "function"),
    ],
)
def test_every_top_level_name_counts_and_says_how_it_was_defined(spec: ProjectSpec, name: str, kind: str) -> None:
    assert definition(f"tools:{name}", spec).kind == kind


CLASSES = """
    import abc
    from dataclasses import KW_ONLY, dataclass, field
    from typing import ClassVar, Generic, TypeVar

    from elsewhere import Base, deco
    from runner import ToolContext, ToolContext as Context

    T = TypeVar("T")

    class Root(abc.ABC, Generic[T]):
        def __init__(self, project, *, page_size=20, **more): ...
        def find(self, q, ctx: ToolContext, limit=5): ...
        @staticmethod
        def fixed(a, ctx: "Context | None" = None): ...
        @classmethod
        async def made(cls, b): ...
        @abc.final
        def last(self, z): ...
        @deco
        def wrapped(self): ...
        alias = find

    class Child(Root[int]):
        def own(self): ...

    class Plain: ...

    class Foreign(Base):
        def own(self, x): ...

    class Dynamic:
        def __getattr__(self, name): ...

    class Loop(Loop): ...

    @dataclass
    class Data:
        url: str
        seen: ClassVar[int] = 0
        _: KW_ONLY
        retries: int = 3
        cache: dict = field(default_factory=dict)
        token: str = field(repr=False)
        made: int = field(init=False)
        def get(self, path): ...

    @dataclass(frozen=True)
    class More(Data):
        retries: int
        extra: str = ""

    @deco
    class Decorated:
        def __init__(self, x): ...
        def own(self): ...

    @dataclass(init=False)
    class Bare:
        x: int
        def own(self): ...

    root = Root("x")
    made_elsewhere = Base()
"""


@pytest.fixture
def classes(spec: ProjectSpec, project: Write) -> ProjectSpec:
    project({"tools.d/classes.py": CLASSES})
    return spec


@pytest.mark.parametrize(
    ("function", "parameters", "needs_instance"),
    [
        ("Root.find", (("q",), ("q", "limit")), True),
        ("Child.find", (("q",), ("q", "limit")), True),
        ("Child.own", ((), ()), True),
        ("Root.fixed", (("a",), ("a",)), False),
        ("Root.made", (("b",), ("b",)), False),
        ("Root.last", (("z",), ("z",)), True),
        ("Root.wrapped", None, None),
        ("Root.alias", None, None),
        ("Foreign.own", (("x",), ("x",)), True),
        ("Data.get", (("path",), ("path",)), True),
        ("root.find", (("q",), ("q", "limit")), False),
    ],
)
def test_a_method_is_found_with_the_parameters_that_a_caller_gives(
    classes: ProjectSpec, function: str, parameters: tuple[object, object] | None, needs_instance: bool | None
) -> None:
    found = find(f"classes:{function}", classes)

    assert found.name == function
    assert found.definition is not None
    told = found.definition.parameters
    assert (told and (told.required, told.names)) == parameters
    assert found.owner is not None
    assert found.owner.needs_instance is needs_instance


@pytest.mark.parametrize(
    "function", ["Foreign.unseen", "Dynamic.anything", "made_elsewhere.x", "deco.x", "Decorated.new"]
)
def test_a_method_that_the_text_cannot_deny_is_left_to_the_run(classes: ProjectSpec, function: str) -> None:
    assert find(f"classes:{function}", classes).definition is None


def test_a_class_that_is_its_own_base_is_no_endless_search(classes: ProjectSpec) -> None:
    assert refuse("classes:Loop.x", classes).code == "RUN502"
    assert definition("classes:Loop", classes).kind == "class"


@pytest.mark.parametrize(
    ("cls", "required", "names", "is_open"),
    [
        ("Root", ("project",), ("project", "page_size"), True),
        ("Child", ("project",), ("project", "page_size"), True),
        ("Plain", (), (), False),
        ("Data", ("url", "token"), ("url", "retries", "cache", "token"), False),
        ("More", ("url", "token"), ("url", "retries", "cache", "token", "extra"), False),
    ],
)
def test_what_a_constructor_takes_is_read_from_the_class(
    classes: ProjectSpec, cls: str, required: tuple[str, ...], names: tuple[str, ...], is_open: bool
) -> None:
    taken = definition(f"classes:{cls}", classes).parameters

    assert taken is not None
    assert (taken.required, taken.names, taken.open) == (required, names, is_open)


@pytest.mark.parametrize("cls", ["Foreign", "Decorated", "Bare"])
def test_a_constructor_that_the_text_does_not_show_is_unknown(classes: ProjectSpec, cls: str) -> None:
    assert definition(f"classes:{cls}", classes).parameters is None


def test_a_decorator_may_change_parameters_so_none_are_told(spec: ProjectSpec) -> None:
    assert definition("tools:decorated", spec).parameters is None


@pytest.mark.parametrize(
    ("function", "code", "words"),
    [
        ("tools:ad", "RUN502", "did you mean 'add'?"),
        ("tools:only_typed", "RUN502", "has no function 'only_typed'"),
        ("tools:inner", "RUN502", "'inner' is defined inside 'add'"),
        ("tools:count", "RUN502", "'count' is defined inside 'Counter'"),
        ("tols:add", "RUN501", "did you mean 'tools'?"),
        ("tools.sub:add", "RUN501", "tools/sub.py"),
        ("os:system", "RUN503", "standard library"),
        ("os.path:join", "RUN503", "standard library"),
        ("yaml:safe_load", "RUN503", "python_packages: [yaml]"),
        ("runner.cli:main", "RUN503", "only 'runner.toolkit' holds tools"),
        ("runner.toolkit.gone:f", "RUN501", "the toolkit has no module"),
        ("tools.add", "RUN505", "write 'tools:add'"),
        ("tools/sub.py:add", "RUN505", "write 'tools.sub:add'"),
        ("tools:asyncio", "RUN505", "'asyncio' in tools.d/tools.py is a module, expected a function"),
        ("tools:asyncio.run", "RUN505", "is a module"),
        ("tools:add.inner", "RUN505", "'add' in tools.d/tools.py is a function, expected a class or an object"),
        ("tools:count", "RUN502", "write 'tools:Counter.count'"),
        (
            "tools:Counter.cuont",
            "RUN502",
            "class 'Counter' in tools.d/tools.py has no method 'cuont' did you mean 'count'?",
        ),
        ("tools:Countre.count", "RUN502", "did you mean 'Counter'?"),
        ("tools:Counter.size", "RUN505", "'Counter.size' in tools.d/tools.py is a property"),
        ("tools:counter.gone", "RUN502", "class 'Counter' in tools.d/tools.py has no method 'gone'"),
        ("tools:Counter.a.b", "RUN505", "'package.module:function'"),
        ("", "RUN505", "'package.module:function'"),
    ],
)
def test_what_cannot_be_used_is_explained(spec: ProjectSpec, function: str, code: str, words: str) -> None:
    problem = refuse(function, spec)

    assert problem.code == code
    assert words in f"{problem.message} {problem.suggestion}"


def test_a_module_not_found_says_where_it_was_looked_for(spec: ProjectSpec) -> None:
    problem = refuse("gone.deep:f", spec)

    assert "looked for gone/deep.py and gone/deep/__init__.py in agents.d, tools.d, the project root" in problem.message


def test_nothing_is_imported_and_no_code_runs(spec: ProjectSpec, project: Write) -> None:
    project({"tools.d/loud.py": "raise SystemExit('imported')\ndef f(): ...\n", "tools.d/pkg/__init__.py": "1/0\n"})
    project({"tools.d/pkg/part.py": "def f(): ...\n"})

    assert find("loud:f", spec).module == "loud"
    assert find("pkg.part:f", spec).module == "pkg.part"
    assert not {"loud", "pkg"} & sys.modules.keys()


def test_the_folder_of_the_declaring_file_comes_first(spec: ProjectSpec, project: Write) -> None:
    root = project({"agents.d/tools.py": "def near(): ...\n"})

    assert find("tools:near", spec).file == root.resolve() / "agents.d" / "tools.py"
    assert refuse("tools:near", spec, folder="tools.d").code == "RUN502"


def test_packages_of_the_project_root_and_namespace_folders_are_found(spec: ProjectSpec, project: Write) -> None:
    root = project({"shop/__init__.py": "def top(): ...\n", "plain/mod.py": "def f(): ...\n"})

    assert find("shop:top", spec).file == root.resolve() / "shop" / "__init__.py"
    assert find("plain.mod:f", spec).root == root.resolve()


def test_the_toolkit_may_be_named(spec: ProjectSpec) -> None:
    assert definition("runner.toolkit.calculator:calculator", spec).kind in ("function", "import")


def test_an_installed_package_may_be_named_once_runner_yaml_lists_it(spec: ProjectSpec) -> None:
    listed = ProjectSpec(root=spec.root, tools_folder=spec.tools_folder, python_packages=("jinja2.filters",))

    assert find("jinja2.filters:do_upper", listed).file.name == "filters.py"
    assert refuse("jinja2.utils:generate_lorem_ipsum", listed).code == "RUN503"
    assert refuse("jinja2:Template", listed).code == "RUN503"


def test_a_listed_package_that_is_not_installed_is_not_found(spec: ProjectSpec) -> None:
    listed = ProjectSpec(root=spec.root, tools_folder=spec.tools_folder, python_packages=("acme_tools",))

    problem = refuse("acme_tools.x:f", listed)

    assert problem.code == "RUN501"
    assert "among the installed packages, where runner.yaml lists it" in problem.message


@pytest.mark.parametrize("module", ["json", "yaml", "jinja2"])
def test_a_local_module_that_python_would_never_reach_is_refused(
    spec: ProjectSpec, project: Write, module: str
) -> None:  # field bug B93
    project({f"tools.d/{module}.py": "def f(): ...\n"})

    problem = refuse(f"{module}:f", spec)

    assert problem.code == "RUN504"
    assert f"tools.d/{module}.py" in problem.message
    assert problem.suggestion == "rename the file"


def test_the_same_function_is_found_from_any_current_folder(
    spec: ProjectSpec, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:  # field bug B93
    here = find("tools:add", spec)
    monkeypatch.chdir(tmp_path)

    assert find("tools:add", spec) == here


def test_a_link_out_of_the_project_is_refused(spec: ProjectSpec, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def f(): ...\n")
    (Path(spec.tools_folder) / "linked.py").symlink_to(tmp_path / "outside.py")

    problem = refuse("linked:f", spec)

    assert problem.code == "RUN503"
    assert "outside the project" in problem.message


@pytest.mark.parametrize("source", [b"def f(:\n", b"\x00", b"\xff\xfe\xfa", b"(" * 5000, b"# coding: nope\n"])
def test_a_module_that_is_not_python_is_reported_with_its_file(
    spec: ProjectSpec, project: Write, source: bytes
) -> None:
    project({"tools.d/broken.py": source})

    problem = refuse("broken:f", spec)

    assert problem.code == "RUN506"
    assert "tools.d/broken.py" in problem.message


def test_a_name_that_only_a_star_import_can_define_is_left_to_the_run(spec: ProjectSpec, project: Write) -> None:
    project({"tools.d/starry.py": "from tools import *\n"})

    assert find("starry:anything", spec).definition is None


def test_a_changed_file_is_read_again(spec: ProjectSpec, project: Write) -> None:
    assert refuse("tools:fresh", spec).code == "RUN502"

    project({"tools.d/tools.py": dedent(TOOLS) + "def fresh(): ...\n"})

    assert find("tools:fresh", spec).name == "fresh"


def test_invalid_escapes_of_user_code_cause_no_warning(spec: ProjectSpec, project: Write) -> None:
    project({"tools.d/escape.py": "def f():\n    return '\\d'\n"})

    assert find("escape:f", spec).name == "f"


@given(function=st.text() | st.from_regex(r"[a-z.]{1,9}:[a-z_]{1,9}", fullmatch=True))
def test_any_text_is_resolved_or_explained(function: str) -> None:
    root = Path(__file__).parent
    spec = ProjectSpec(root=str(root), tools_folder=str(root))

    assert isinstance(resolve(function, folder=root, project=spec), (Resolved, Problem))


@given(source=st.binary(max_size=200))
def test_any_bytes_are_read_as_a_module_or_refused(tmp_path_factory: pytest.TempPathFactory, source: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "module.py"
    file.write_bytes(source)
    try:
        found = read_module(file).definitions
    except UnreadableModuleError:
        return  # the only way not to be read
    assert all(name == each.name for name, each in found.items())
