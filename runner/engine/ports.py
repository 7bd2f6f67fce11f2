"""What the engine needs from the world: a model, tools, and a way to read replies."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from runner.engine.messages import AssistantMessage, Message, ToolResult, WireMessage
from runner.spec import Json, JsonObject, Price, Risk, ToolChoice


class ModelError(Exception):
    """The model could not be asked or did not answer; the message is one line for a person, without secrets.

    Attributes:
        configuration: True when nothing was sent because something is missing here (an API key, a package):
            the run then ends with the exit code of a wrong configuration.
        transient: whether the same call may work a little later (a rate limit, a server error, a lost connection).
        retry_after: seconds to wait at least, as the provider said; None when it did not.
        overflow: whether the request was longer than the model's window.
    """

    def __init__(
        self,
        message: str,
        *,
        configuration: bool = False,
        transient: bool = False,
        retry_after: float | None = None,
        overflow: bool = False,
    ) -> None:
        super().__init__(message)
        self.configuration = configuration
        self.transient = transient
        self.retry_after = retry_after
        self.overflow = overflow


class ConfigurationError(Exception):
    """What the author wrote turned out to be unusable during the run; the message is one line for a person."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens of one reply or of a run, as the provider counted them.

    `cached_tokens` are part of `input_tokens`, `reasoning_tokens` part of `output_tokens`. `estimated` means at least
    one reply came without numbers and was counted here.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            estimated=self.estimated or other.estimated,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Capabilities:
    """What is known of a model; None is unknown.

    Attributes:
        function_calling: whether it takes tool definitions and answers with calls.
        response_format: whether its reply can be bound to a JSON Schema.
        stop: whether it takes stop sequences.
        window: tokens that a request may have; some providers count the reply among them.
        most_output: tokens that a reply may have.
        price: what its tokens cost.
    """

    function_calling: bool | None = None
    response_format: bool | None = None
    stop: bool | None = None
    window: int | None = None
    most_output: int | None = None
    price: Price | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolDefinition:
    """A tool as the model sees it. `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """One call of the model; empty fields are not sent.

    Attributes:
        messages: the whole conversation in wire form.
        tools: OpenAI tool definitions (`{"type": "function", "function": …}`).
        tool_choice: `auto`, `none`, `required` or `{"type": "function", "function": {"name": …}}`.
        parallel_tool_calls: False asks for one call at a time.
        response_format: `{"type": "json_schema", …}`.
        stop: strings that end the reply.
        timeout: seconds this call may take.
        max_tokens: tokens the reply may have at most, besides the model's own cap; None for no further cap.
        stream: whether somebody watches; when False no deltas are wanted.
    """

    messages: Sequence[WireMessage]
    tools: Sequence[JsonObject] = ()
    tool_choice: str | JsonObject | None = None
    parallel_tool_calls: bool | None = None
    response_format: JsonObject | None = None
    stop: tuple[str, ...] = ()
    timeout: float | None = None
    max_tokens: int | None = None
    stream: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RawToolCall:
    """A provider's tool call as it came; `arguments` is the JSON text, not yet parsed.

    `extra` holds the provider's own fields of this call (a thought signature), to be sent back untouched.
    """

    id: str | None
    name: str | None
    arguments: str
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Delta:
    """A piece of a streamed reply's text."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelReply:
    """One complete reply.

    Attributes:
        text: the visible text; empty when there is none.
        tool_calls: in the order the provider gave them.
        finish_reason: `stop`, `tool_calls`, `length`, `content_filter`, or None when the provider said nothing.
        usage: the provider's numbers, or an estimate marked so.
        cost: dollars, or None when the price is unknown (never 0 for unknown).
        extra: provider fields to send back untouched with this message.
    """

    text: str = ""
    tool_calls: tuple[RawToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    extra: JsonObject = field(default_factory=dict)


class Model(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """The name people know it by, `provider/model`."""

    @property
    def retries(self) -> int:
        """Further calls after one that failed for a passing reason."""

    async def open(self) -> Capabilities:
        """Get ready (load libraries or weights) before the run's clock starts, and say what the model supports.

        Raises:
            ModelError: it cannot be used; nothing was sent.
        """

    def ask(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """Yield any number of deltas, then exactly one reply.

        Raises:
            ModelError: the provider failed.
        """

    async def close(self) -> None:
        """Let go of connections; nothing is printed or left running afterwards."""


class Closable(Protocol):
    """Something that a run holds until it ends."""

    async def aclose(self) -> None:
        """Let go of it."""


C = TypeVar("C", bound=Closable)


class Holder(Protocol):
    """Keeps what the tool calls of one run share, and closes it when the run ends."""

    def get(self, kind: Callable[[], C]) -> C:
        """The one that `kind` made for this run; made now, if it is the first to ask. Safe from one event loop only."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallContext:
    """What a tool call may know of the run it belongs to.

    Attributes:
        id: the call's id.
        session: the session of the run, None when it has none.
        deadline: when the call has to be done, by the clock of the event loop (`loop.time()`).
        log: tells how the call is getting on, (level, message); safe from any thread, and silent once the call is over.
        held: what the calls of the run share.
    """

    id: str
    session: str | None
    deadline: float
    log: Callable[[str, str], None]
    held: Holder


class Tool(Protocol):
    """A tool the model may call."""

    @property
    def definition(self) -> ToolDefinition:
        """What the model is told about it."""

    @property
    def timeout(self) -> float | None:
        """Seconds one call may take, or None for the run's `tool_timeout`."""

    @property
    def return_direct(self) -> bool:
        """Whether its result is the answer of the run."""

    @property
    def risk(self) -> Risk:
        """How much harm a wrong call can do."""

    @property
    def idempotent(self) -> bool:
        """Whether a call that may have run already may be made again."""

    def mended(self, arguments: JsonObject) -> JsonObject:
        """The arguments as it will read them, small slips of a model mended; as they are when they cannot be read."""

    def check(self, arguments: JsonObject) -> str | None:
        """What is wrong with arguments, as a model would be told; None when a call can be made with them."""

    @property
    def secrets(self) -> frozenset[str]:
        """What it read from the environment: shown nowhere, not even to the model."""

    async def call(self, arguments: JsonObject, context: CallContext) -> ToolResult:
        """Run it. Whatever goes wrong inside is a result with `is_error`, never an exception."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Calls:
    """The reply asks for the tools of `message.calls`; `in_order` means that each may build on the one before."""

    message: AssistantMessage
    in_order: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The reply is the final answer.

    Attributes:
        message: its `text` is the answer.
        output: the answer's value, when the agent has an output schema.
        repaired: the slips that were repaired in it, for people; None when there were none.
    """

    message: AssistantMessage
    output: Json = None
    repaired: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Malformed:
    """The reply is neither. `problem` tells the model what was wrong and what to write instead."""

    message: AssistantMessage
    problem: str


Reading = Calls | Answer | Malformed


class AnswerFilter(Protocol):
    """Picks the answer out of a reply while it is being streamed."""

    def feed(self, text: str) -> str:
        """The part of the answer that `text`, the next piece of the reply, makes certain; often none."""


class ParsingMode(Protocol):
    """How tools are offered to a model and how its replies are read; made for one run's tools, it never changes."""

    @property
    def name(self) -> str:
        """Its key in `runner.parsing.modes.MODES`."""

    def system(self, instructions: str) -> str:
        """The system prompt: the instructions and, in text protocols, the tools and the protocol."""

    def request(self, messages: Sequence[WireMessage], choice: ToolChoice) -> ModelRequest:
        """The next call of the model; `choice.mode` is what holds for this step."""

    def encode(self, message: Message) -> Sequence[WireMessage]:
        """A message of the conversation in wire form."""

    def read(self, reply: ModelReply, choice: ToolChoice) -> Reading:
        """What the reply means. A pure function in linear time; any text gives a reading."""

    def answer_filter(self) -> AnswerFilter:
        """A new filter for one reply."""
