"""Warm start: a process that has loaded everything forks itself for each run, so that nothing has to be loaded again.

    the command `runner run`                    the warm process
    client   is there one? no: a cold start
    handover asks, with all it can hand over ─▶ server   would a cold start do the same? no: refuses
             says go                         ─▶ server   forks; child takes over, and runs the command line
             passes signals on, waits        ◀─ server   the child's exit status

Until `go` the command may still start cold, and from then on never: an agent must not run twice.
"""
