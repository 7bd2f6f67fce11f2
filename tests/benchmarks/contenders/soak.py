"""Many runs of ours in one process, some at a time: the memory early and late, and the tasks that are left."""

import asyncio
import gc
import json
import sys
import time

from tests.benchmarks.contenders import memory
from tests.benchmarks.contenders.runner_agent import agent
from tests.benchmarks.contenders.task import Settings


async def soak(settings: Settings) -> dict[str, float]:
    """`repeats` times `at_once` runs; memory in MB after a tenth of them and at the end."""
    figures: dict[str, float] = {}
    began = time.perf_counter()
    async with agent(settings.task("soak")) as run:
        for done in range(1, settings.repeats + 1):
            await asyncio.gather(*(run() for _ in range(settings.at_once)))
            if done in (settings.repeats // 10, settings.repeats):
                gc.collect()
                figures["early_mb" if done < settings.repeats else "late_mb"] = memory.resting_mb()
        figures["tasks"] = len(asyncio.all_tasks()) - 1
    return {**figures, "seconds": time.perf_counter() - began}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(soak(Settings(**json.loads(sys.argv[2]))))))
