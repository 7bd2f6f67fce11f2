"""The loop on litellm again, started and ended the fast way: what is left of a cold start when nothing is ours."""

import gc
import os
import sys

gc.disable()

from tests.benchmarks.contenders.litellm_loop import agent  # noqa: E402 - imported without collecting garbage
from tests.benchmarks.contenders.task import take_part  # noqa: E402 - as above

if __name__ == "__main__":
    take_part(agent)
    sys.stdout.flush()
    os._exit(0)
