"""What holds for all tests."""

import os

from hypothesis import settings

# `runner validate` reports in the form of the CI service it finds around it; no test shall see that of its own run.
for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
    os.environ.pop(name, None)

# A run must be a start of its own, also where whoever runs the tests keeps a warm process.
os.environ["RUNNER_WARM"] = "off"

# A machine that is busy is no reason to fail.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
