"""Measures ours beside bare LiteLLM, bare aiohttp and other frameworks: `python -m tests.benchmarks --help`."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from tests.benchmarks import mock_server
from tests.benchmarks.facts import machine_facts
from tests.benchmarks.figures import Round
from tests.benchmarks.measuring import Ground, rounds_of
from tests.benchmarks.peers.environments import NAMES, Peer, PeerError, prepare
from tests.benchmarks.raw import document
from tests.benchmarks.table import LEGEND, table, verdict
from tests.benchmarks.workload import Workload
from tests.benchmarks.workloads import WORKLOADS


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for; 1 when a goal is missed and `--check` given, else 0."""
    options = _parser().parse_args(arguments)
    if options.list:
        print("\n".join(f"{each.name:24} {each.what}{'' if each.usual else ' (by name only)'}" for each in WORKLOADS))
        return 0
    people = sys.stderr if options.json == "-" else sys.stdout
    facts = machine_facts()
    print(", ".join(f"{name} {fact}" for name, fact in facts.items()) + "\n" + LEGEND, file=people)
    peers = _prepared(options.peers, people)
    chosen = [each for each in WORKLOADS if (each.name in options.names if options.names else each.usual)]
    results = []
    with mock_server.running() as server:
        for workload in chosen:
            results.append((workload, measure(joined(workload, peers), server, rounds=options.rounds)))
            print(table(*results[-1]), file=people, flush=True)
    print(verdict(results), file=people)
    if options.json:
        versions = {peer.name: dict(peer.versions) for peer in peers}
        text = json.dumps(document(results, {**facts, "peers": versions}), indent=2) + "\n"
        sys.stdout.write(text) if options.json == "-" else Path(options.json).write_text(text, encoding="utf-8")
    missed = any(row.reached(rounds) is not True for workload, rounds in results for row in workload.rows if row.goal)
    return int(options.check and missed)


def measure(workload: Workload, server: str, *, rounds: int | None = None) -> list[Round]:
    """What every contender did in each round, at the server's address, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        ground = Ground(server=server, folder=Path(folder))
        workload.prepare(ground)
        return rounds_of(workload.contenders, ground, rounds=rounds or workload.rounds, warm_ups=workload.warm_ups)


def joined(workload: Workload, peers: Sequence[Peer]) -> Workload:
    """The workload with these peers among its contenders, if it is one for them."""
    if workload.asked is None:
        return workload
    commands = {peer.name: workload.asked.by(peer.script, workload.name, python=peer.python) for peer in peers}
    return replace(workload, contenders={**workload.contenders, **commands})


def _prepared(names: Sequence[str], people: TextIO) -> list[Peer]:
    """The peers of these names, but for those that cannot be installed, which people are told."""
    peers = []
    for name in names:
        try:
            peers.append(prepare(name))
        except PeerError as error:
            print(f"{name} cannot take part: {error}\n", file=people, flush=True)
        else:
            print(
                f"{name} takes part: {', '.join(f'{each} {made}' for each, made in peers[-1].versions.items())}\n",
                file=people,
            )
    return peers


def _parser() -> argparse.ArgumentParser:
    description = "Measures ours beside bare LiteLLM, bare aiohttp and other frameworks."
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=description)
    workload = _one_of("workload", [each.name for each in WORKLOADS])
    parser.add_argument("names", nargs="*", type=workload, metavar="NAME", help="default: the usual ones; see --list")
    parser.add_argument("--rounds", type=_count, metavar="N", help="default: 3 or 5, by workload")
    parser.add_argument(
        "--json", type=_writable, metavar="FILE", help="write everything that was measured there; - is stdout"
    )
    peer = _one_of("peer", NAMES)
    parser.add_argument(
        "--peers",
        type=lambda text: [peer(name) for name in text.split(",") if name],
        default=[],
        metavar="NAMES",
        help=f"other frameworks, with commas between them: {', '.join(NAMES)}",
    )
    parser.add_argument("--check", action="store_true", help="end with 1 unless every goal is reached")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    return parser


def _one_of(kind: str, names: Sequence[str]) -> Callable[[str], str]:
    def known(name: str) -> str:
        if name not in names:
            raise argparse.ArgumentTypeError(f"there is no {kind} {name!r}; there are {', '.join(names)}")
        return name

    return known


def _writable(name: str) -> str:
    """The name of a file that can be written, which is found out before everything is measured."""
    if name != "-":
        try:
            Path(name).touch()
        except OSError as error:
            raise argparse.ArgumentTypeError(f"{name} cannot be written: {error.strerror}") from None
    return name


def _count(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rounds; write 1 or more")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
