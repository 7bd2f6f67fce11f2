"""What people are told about a failed call: one line, the cause, and what to do about it."""

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from runner.models.evidence import Failure
from runner.models.overflow import sizes
from runner.models.providers import NO_KEY, Route


def no_choices(route: Route) -> str:
    """What is said when a provider answers without an answer; a streamed web page looks like that, too."""
    advice = "; check `api_base`: it usually ends in /v1" if route.api_base else ""
    return f"{route.name} returned no choices: the provider sent no reply and no reason{advice}"


def host(route: Route) -> str:
    """The server as people know it; an address may begin with a name and password, which nobody should see."""
    return _place(route.api_base) if route.api_base else f"the server of {route.provider}"


def _place(address: str) -> str:
    return urlsplit(address).netloc.rpartition("@")[2]


def key_advice(failure: Failure) -> str:
    """What to do about a key that was refused or is missing."""
    route = failure.route
    variable = route.key_variables[0] if route.key_variables else "MY_API_KEY"
    if route.api_key == NO_KEY:
        return (
            "no key was sent, because with `api_base` the one of the environment is not; "
            f"add `api_key: ${{{variable}}}` to `model`"
        )
    return "check `api_key` in `model`" if route.api_key else f"check {' or '.join(route.key_variables) or 'your key'}"


def says(what: str, advice: str = "") -> Callable[[Failure], str]:
    """A message of the usual form: model, what happened, status, the provider's words, what to do."""

    def say(failure: Failure) -> str:
        status = f" ({_with_phrase(failure.status)})" if failure.answered else ""
        words = f": {failure.said}" if failure.said else ""
        return f"{failure.route.name} {what}{status}{words}" + (f"; {advice}" if advice else "")

    return say


def _with_phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def timed_out(failure: Failure) -> str:
    """Our own time, or that of a client library, was over."""
    within = f" within {failure.seconds:g} s" if failure.seconds is not None else " in time"
    return f"{failure.route.name} did not answer{within}; raise `timeout` in `model`, or ask for less"


def too_long(failure: Failure) -> str:
    """The request and the model's window, with the sizes as far as they are known."""
    found = sizes(failure.raw)
    possible = found.possible or failure.window
    window = f"the window {possible} tokens" if possible else ""
    told = (f"it has {found.asked} tokens" if found.asked else failure.said, window)
    return (
        f"the conversation is too long for {failure.route.name}: {', '.join(filter(None, told))}; "
        "set `context:` in the agent to have it shortened, or take a model with a larger window"
    )


def redirected(failure: Failure) -> str:
    """The server named another place; see `runner.models.library` on why nobody goes there."""
    target = failure.headers.get("location", "")
    to = f" to {urlsplit(target).scheme}://{_place(target)}" if _place(target) else ""
    return (
        f"{host(failure.route)} sends requests for {failure.route.name} on{to}, which is not followed, "
        "for the sake of the key; write the final address as `api_base`"
    )


def broken_off(failure: Failure) -> str:
    """The connection ended too early; of a stream, the beginning may have been read."""
    name = failure.route.name
    when = f"the reply of {name} was complete" if failure.begun else f"{name} had answered"
    return f"{host(failure.route)} broke off the connection before {when}"


def bad_address(failure: Failure) -> str:
    """There is no server at such an address."""
    base = failure.route.api_base
    found = f"`api_base` of {failure.route.name} is" if base else f"the address set for {failure.route.name} is"
    return f"{found} no web address; write http:// or https://, the host, and mostly /v1"
