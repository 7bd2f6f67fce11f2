"""Finds the root of the repository: what CI services want the names of files relative to."""

import os
from pathlib import Path

# GitHub Actions and GitLab CI say where they checked out.
_SAID_BY = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


def repository_root(folder: Path) -> Path:
    """The root of the repository that `folder` (absolute) is in, `folder` itself if it is in none."""
    said = (Path(os.path.realpath(os.environ[name])) for name in _SAID_BY if os.environ.get(name))
    around = next((root for root in said if folder.is_relative_to(root)), None)
    with_git = (each for each in (folder, *folder.parents) if (each / ".git").exists())
    return around or next(with_git, folder)
