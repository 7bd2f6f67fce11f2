"""Contenders: scripts that do the same work against the same server, each in a process of its own.

A contender is run as `python -P SCRIPT WORKLOAD JSON` in an empty folder, with the root of the repository in
`PYTHONPATH`. The module `tests.benchmarks.contenders.task`, which needs only the standard library, reads the arguments,
warms up, measures and prints. A contender has one thing to write: how its framework runs an agent.

    @asynccontextmanager
    async def agent(task: Task) -> AsyncIterator[Run]:
        ...  # make the client and the agent, once
        async def run() -> str:
            ...  # one whole run: ask, call the tool, ask again, until there is an answer
            return answer
        yield run
        ...  # close what must be closed; this is not measured

    if __name__ == "__main__":
        take_part(agent)

`run` is called several times, in `concurrent-200` 200 times at once; each is a conversation of its own. It returns the
answer, and raises when there is none; `task.py` checks the answer, and that the tool was called as often as it should.
A framework that is not async runs in threads that `run` starts; `asyncio.to_thread` has few of them, so make enough.
`agent` is used twice: for a warm-up of one step, which is not measured, and for the work (once only in `cold-run`).

A `Task` has

    workload        the name, as below
    url             `base_url` of an OpenAI-compatible server (chat completions); its path says what it replies
    model           name of the model, without a provider's prefix; any key is right
    instructions, prompt
                    the system prompt, and the message of the user
    tool            the only tool to offer: a function `(number: int) -> str` with a docstring
    steps           replies that call the tool before the answer comes: set limits of steps or recursion above it
    limit           seconds after which the run must be given up, the way the framework documents, or by
                    `asyncio.wait_for`; None everywhere but in `blocked-tool`
    sink            a terminal to write pieces of the answer to as they come; None when nobody watches, and then a
                    contender may ask for the whole reply at once
    answer          what the answer will be
    folder          a folder for files, which is removed afterwards

A request that offers a tool `final_answer` gets the answer as a call of it, `{"answer": ...}`.

Workloads, and what happens in each run:

    cold-run                one call, no tool call; the process is timed from outside, with its imports and its exit,
                            and prints nothing but the answer
    loop-50                 50 steps of one quick tool call each, then the answer
    growth                  the same with 400 steps
    parallel-tools-async    8 calls in one reply of an `async` tool that sleeps for 0.5 s, then the answer
    parallel-tools-blocking the same with a tool that blocks its thread
    concurrent-200          200 runs at once of two tool steps and the answer; every reply takes the server 100 ms
    streaming-terminal      no tool call; an answer of 1,000 chunks, written to `sink`
    streaming-nothing       the same answer, and nobody watches
    blocked-tool            one call of a tool that blocks for 30 s, with `limit` 1 s: `run` must return or raise then,
                            and the process end as the script of a user would (no `os._exit`)

A contender names what it cannot do: `take_part(agent, leaves_out={"growth": "it has no limit of steps to raise"})`.

The last line of stdout is one JSON object of figures (`task.py` prints it):

    seconds, cpu            wall and processor seconds of a run (of all 200 in `concurrent-200`), the median where it is
                            repeated, without imports and warm-up
    peak_mb, grew_mb        the most memory the process had at work, and by how much it had grown since the warm-up
    first, last             `growth`: wall milliseconds per step, of the first and the last 50 steps
    first_cpu, last_cpu     the same of processor time
    began, control          `blocked-tool`: the moment at which `run` was called (`time.monotonic()`), and the seconds
                            until control was back; when the process has ended the harness sees itself

Peers are contenders of other environments: `tests/benchmarks/peers/NAME.py`, run by the Python that
`tests.benchmarks.peers.environments` makes for it. The harness uses from that module

    NAMES: Sequence[str]            the peers there are
    prepare(name: str) -> Peer      makes the environment unless it is there;
                                    Peer(name: str, python: Path, script: Path, versions: Mapping[str, str])
    class PeerError(Exception)      raised by `prepare`: one line that says why it could not

and calls `prepare` before anything is measured. An environment must not hold a package `tests`, which would hide ours.
"""
