"""No test sees the CI service that may be around it: `runner validate` reports in the form of the service it finds."""

import os

for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
    os.environ.pop(name, None)
