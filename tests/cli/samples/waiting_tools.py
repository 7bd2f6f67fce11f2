"""Tools that never come back; they say on stderr when they have begun, and when they were let go of."""

import asyncio
import os
import time


def stuck() -> str:
    """Block, as a library without a timeout does."""
    os.write(2, b"asked\n")
    time.sleep(3600)
    return "never"


async def waiting() -> str:
    """Wait for something that never comes."""
    os.write(2, b"asked\n")
    try:
        await asyncio.sleep(3600)
    finally:
        os.write(2, b"let go\n")
    return "never"
