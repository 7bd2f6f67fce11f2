"""The compiled form of an agent: frozen values with every reference resolved, and nothing of YAML left."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# JSON values: what YAML documents, tool arguments and provider payloads are made of.
Json = Any
JsonObject = Mapping[str, Any]

Risk = Literal["low", "medium", "high"]
OnLimit = Literal["fail", "answer"]
Strategy = Literal["drop_oldest", "summarize", "fail"]
InlineTools = Literal["allow", "deny"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A string from a document that still has to be rendered or expanded, and where it stands.

    Attributes:
        value: the text as written (`{{ city }}`, `${TOKEN}`).
        origin: `file:line` of its first character, for messages at run time.
    """

    value: str
    origin: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """Dollars per million tokens; `cached_input` None means that cached tokens cost what others do."""

    input: float
    output: float
    cached_input: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSpec:
    """Which model answers, and with what parameters.

    Attributes:
        name: LiteLLM's `provider/model`, or `local/…` for the embedded one.
        temperature: sampling temperature; None leaves the provider's default.
        max_tokens: cap of one completion, in tokens.
        timeout: seconds one call may take; the run's deadline always holds too.
        retries: further calls after one that failed for a passing reason.
        fallbacks: asked in turn when this one fails for good; they have none themselves.
        api_base: address of the server; may hold `${VAR}`.
        api_key: key for it; may hold `${VAR}`.
        capabilities: what the model is declared to support (`function_calling`, `response_format`, `stop`), for models
            LiteLLM does not know.
        price: wins over what LiteLLM knows; None means that LiteLLM's price counts, if it has one.
        params: sent to LiteLLM as they are; strings may hold `${VAR}`.
    """

    name: str
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    retries: int = 2
    fallbacks: tuple["ModelSpec", ...] = ()
    api_base: Text | None = None
    api_key: Text | None = None
    capabilities: Mapping[str, bool] = field(default_factory=dict)
    price: Price | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    origin: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class InputSpec:
    """A variable of the templates: its JSON Schema, which may carry a `default`."""

    name: str
    schema: JsonObject

    @property
    def required(self) -> bool:
        """Whether a run must be given a value."""
        return "default" not in self.schema


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """A declared tool.

    Attributes:
        name: what the model calls it, `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`.
        type: the key of the tool type in `runner.tools.TOOL_TYPES`.
        description: what the model is told; None means the tool type finds it (a docstring, say).
        parameters: JSON Schema of the arguments; None means the tool type derives it.
        timeout: seconds one call may take; None means `limits.tool_timeout`.
        retries: how often a failed call is made again where that is safe; a tool type without retries ignores it.
        settings: the keys that only this tool type has (`function` of a Python tool), as declared.
        folder: absolute path of the folder of the file that declares it.
        origin: `file:line` of the declaration.
    """

    name: str
    type: str
    description: str | None = None
    parameters: JsonObject | None = None
    timeout: float | None = None
    retries: int = 0
    risk: Risk = "low"
    idempotent: bool = False
    return_direct: bool = False
    settings: JsonObject = field(default_factory=dict)
    folder: str = ""
    origin: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExampleCall:
    """A tool call of a few-shot example, with the result the tool is said to have given."""

    tool: str
    arguments: JsonObject
    result: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ExampleSpec:
    """One few-shot example: what a user asked, the calls made for it, and the answer."""

    user: Text
    calls: tuple[ExampleCall, ...] = ()
    answer: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolChoice:
    """Whether the model must call a tool: `auto`, `none`, `required`, or the name of one.

    `required` and a name hold for the first step only, unless `keep`: a model forced at every step can never answer.
    """

    mode: str = "auto"
    keep: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsingSpec:
    """How the model's replies are read.

    Attributes:
        mode: `auto`, or a key of `runner.parsing.modes.MODES`.
        max_retries: corrections sent for a reply that cannot be read; one more such reply ends the run.
        labels: of `react`: a language that comes with the runner, or the labels themselves.
        instructions: of `text`: a template that explains the protocol; it sees `tools`.
        call: of `text`: the pattern of a tool call, with the groups `name` and `arguments`.
        answer: of `text`: the pattern of the answer, with the group `answer`.
        arguments: of `text`: how arguments are written: `json`, `pairs` or `none`.
        result: of `text`: a template of a tool's result; it sees `name`, `arguments` and `result`.
        stop: of `text`: strings that end a reply.
    """

    mode: str = "auto"
    max_retries: int = 2
    labels: str | Mapping[str, str] = "en"
    instructions: Text | None = None
    call: str | None = None
    answer: str | None = None
    arguments: str = "json"
    result: Text | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a run may spend; times are in seconds, costs in dollars; None is no limit."""

    max_steps: int = 20
    timeout: float = 300.0
    tool_timeout: float = 30.0
    max_tool_calls: int = 50
    max_parallel_tools: int = 8
    max_repeat_calls: int = 3
    max_total_tokens: int | None = None
    max_cost: float | None = None
    max_tool_result_chars: int = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextSpec:
    """How a long conversation is kept inside the model's window.

    Attributes:
        max_tokens: tokens a request may have; None means what the model's window leaves beside the reply.
        keep_last: turns at the end that stay whole; a turn is a reply with the results of its calls.
        model: sums up when the strategy is `summarize`; None means the agent's own model.
    """

    max_tokens: int | None = None
    strategy: Strategy = "drop_oldest"
    keep_last: int = 4
    model: ModelSpec | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionsSpec:
    """Which tool calls may be made; each is a pattern: `tool`, `tool:argument=value,…`, or `risk=…`, globs all."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedbackSpec:
    """What a person's corrections are used for; `remember` tells them to the model in later runs."""

    remember: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitPolicy:
    """What a project asks of the limits of its agents.

    Attributes:
        required: names of limits that must be set.
        maximum: the most that may be allowed, by the name of the limit; times are in seconds.
    """

    required: tuple[str, ...] = ()
    maximum: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectSpec:
    """The project an agent belongs to: where its files are, and what its agents may do.

    Attributes:
        root: absolute path of the project root.
        tools_folder: absolute path of `tools.d`.
        python_packages: installed packages that tools may import, from `runner.yaml`.
        http_hosts: hosts that HTTP tools may reach wherever they are: `host`, `host:port`, `*.host`.
        limits: policy for the limits of agents.
        models: globs of the models that may be asked; none at all means any.
        inline_tools: whether agents may declare tools of their own.
        max_risk: the highest risk a tool of an agent may have.
        state_dir: absolute path of the folder for sessions.
    """

    root: str
    tools_folder: str
    python_packages: tuple[str, ...] = ()
    http_hosts: tuple[str, ...] = ()
    limits: LimitPolicy = field(default_factory=LimitPolicy)
    models: tuple[str, ...] = ()
    inline_tools: InlineTools = "allow"
    max_risk: Risk = "high"
    state_dir: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSpec:
    """An agent as the engine's assembly needs it. `file` is its absolute path."""

    name: str
    file: str
    project: ProjectSpec
    model: ModelSpec
    description: str = ""
    metadata: JsonObject = field(default_factory=dict)
    inputs: tuple[InputSpec, ...] = ()
    instructions: Text | None = None
    prompt: Text
    examples: tuple[ExampleSpec, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = field(default_factory=ToolChoice)
    parsing: ParsingSpec = field(default_factory=ParsingSpec)
    output_schema: JsonObject | None = None
    limits: Limits = field(default_factory=Limits)
    on_limit: OnLimit = "fail"
    context: ContextSpec | None = None
    permissions: PermissionsSpec = field(default_factory=PermissionsSpec)
    feedback: FeedbackSpec = field(default_factory=FeedbackSpec)
