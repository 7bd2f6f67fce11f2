"""Runs a command and prints its figures: `python -I -S command.py COMMAND [ARGUMENT…]`.

A process counts the memory of the one that started it as its own peak, so this one must be small: few imports, and the
harness, which has many, stays out of it.
"""

import os
import sys
import time

command, nowhere = sys.argv[1:], os.open(os.devnull, os.O_WRONLY)
silent = [(os.POSIX_SPAWN_DUP2, nowhere, 1)]
began = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ, file_actions=silent), 0)
seconds = time.perf_counter() - began
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
print(f'{{"seconds": {seconds}, "cpu": {usage.ru_utime + usage.ru_stime}, "peak_mb": {peak}}}')
sys.exit(os.waitstatus_to_exitcode(status))
