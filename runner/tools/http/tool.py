"""An HTTP endpoint behind the engine's `Tool` port."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from runner.engine.messages import ToolResult
from runner.engine.ports import CallContext, ToolDefinition
from runner.environment import Secrets
from runner.language.schema import problems
from runner.spec import JsonObject, ProjectSpec, Risk, ToolSpec
from runner.tools.arguments import WrongArgumentsError, explained, mended_arguments
from runner.tools.calling import in_thread
from runner.tools.declared import DeclaredParameters, declared
from runner.tools.http.addresses import Hosts
from runner.tools.http.declaration import read_endpoint
from runner.tools.http.exchange import ClientOf, Reply, Resolve
from runner.tools.http.failures import FailedExchangeError, RefusedAddressError, RefusedRedirectError, UnpreparedError
from runner.tools.http.nesting import with_places
from runner.tools.http.prepared import PreparedRequest, as_text
from runner.tools.http.preparing import Preparer
from runner.tools.http.resolving import resolved
from runner.tools.http.responses import Reader
from runner.tools.http.retrying import Retries
from runner.tools.http.sending import Sender
from runner.tools.results import cut

# Reading more than this (HTML above all) would hold up the event loop.
_QUICK_BYTES = 32_768


def open_http_tool(
    spec: ToolSpec,
    project: ProjectSpec,
    *,
    max_result_chars: int,
    environ: Mapping[str, str],
    resolve: Resolve = resolved,
) -> "HttpTool":
    """Read the declaration; nothing is sent.

    Args:
        spec: a tool of the type `http`, as the schema has accepted it.
        project: whose `http_hosts` may be reached wherever they are.
        max_result_chars: longest result given to the model, in characters.
        environ: where the `${VAR}` are looked up.
        resolve: looks up the addresses of a name.

    Raises:
        ToolLoadError: it cannot be called as it is declared.
        VariableError: an environment variable it needs is not set.
    """
    endpoint = read_endpoint(spec, environ)
    secrets = Secrets(endpoint.secrets)
    hosts = Hosts(patterns=project.http_hosts)
    parameters = declared(spec.parameters or {"type": "object"}, problems)
    return HttpTool(
        definition=ToolDefinition(name=spec.name, description=spec.description or "", parameters=parameters.schema),
        timeout=spec.timeout,
        return_direct=spec.return_direct,
        risk=spec.risk,
        idempotent=spec.idempotent,
        secrets=endpoint.secrets,
        parameters=parameters,
        preparer=Preparer(endpoint=endpoint, hosts=hosts),
        sender=Sender(
            client=ClientOf(hosts=hosts, resolve=resolve),
            retries=Retries(most=spec.retries, method=endpoint.method, repeatable=spec.idempotent),
            max_bytes=endpoint.max_bytes,
            secrets=secrets,
        ),
        reader=Reader(select=endpoint.select, max_chars=max_result_chars, secrets=secrets),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpTool:
    """A tool that sends one request for each call."""

    definition: ToolDefinition
    timeout: float | None
    return_direct: bool
    risk: Risk
    idempotent: bool
    secrets: frozenset[str]
    parameters: DeclaredParameters
    preparer: Preparer
    sender: Sender
    reader: Reader

    def mended(self, arguments: JsonObject) -> JsonObject:
        """The arguments with a model's small slips mended by the schema."""
        return mended_arguments(arguments, self.definition.parameters)

    def check(self, arguments: JsonObject) -> str | None:
        """What is wrong with the arguments, or None."""
        try:
            self.prepare(arguments)
        except UnpreparedError as error:
            return str(error)
        return None

    def prepare(self, arguments: JsonObject) -> PreparedRequest:
        """The exact request that a call with these arguments sends.

        Raises:
            UnpreparedError: the call would be refused; the message is the one that the model would get.
        """
        try:
            values = self.parameters.read(arguments)
        except WrongArgumentsError as error:
            parameters = self.definition.parameters
            told = with_places(error.problems, parameters)
            raise UnpreparedError(explained(self.definition.name, told, parameters)) from error
        required = self.definition.parameters.get("required", ())
        given = {name: value for name, value in values.items() if value is not None or name in required}
        # Not those whose default is null: nobody asked for it.
        nulls = [name for name in arguments if name in values and name not in given]
        try:
            return self.preparer.prepare(given, nulls)
        except UnpreparedError as error:
            message = self.reader.secrets.mask(f"{self.definition.name} was not run: {error}")
            raise UnpreparedError(message) from error

    def shown(self, request: PreparedRequest) -> str:
        """The request as text, with every secret masked."""
        return as_text(request, self.secrets)

    async def call(self, arguments: JsonObject, context: CallContext) -> ToolResult:
        """Send the request; whatever goes wrong is a result with `is_error`."""
        try:
            request = self.prepare(arguments)
            reply = await self.sender.send(request, context)
        except (UnpreparedError, RefusedAddressError, RefusedRedirectError, FailedExchangeError) as error:
            text = self.reader.secrets.mask(str(error))
            return ToolResult(content=cut(text, max_chars=self.reader.max_chars), is_error=True)
        return await self._result(reply, request.method)

    async def _result(self, reply: Reply, method: str) -> ToolResult:
        read = partial(self.reader.result, reply, method)
        if len(reply.body) <= _QUICK_BYTES:
            return read()
        return await in_thread(read, name=f"read the response for {self.definition.name}")
