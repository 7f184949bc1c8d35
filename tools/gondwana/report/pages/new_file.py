"""Creates files for a user, like core/new_file.hpp."""

import os
from pathlib import Path


def write(target: Path, content: bytes) -> None:
    """Replaces the file when the new one is complete. A target that is not a regular file is
    written directly. Only links of the user are followed.
    """
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    if target.is_symlink() and target.lstat().st_uid not in (os.geteuid(), 0):
        raise OSError(f"{target} is a link of another user")
    whole = Path(os.path.realpath(target))
    unfinished = whole.with_name(f"{whole.name}.{os.getpid()}.unfinished")
    unfinished.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(unfinished, flags, 0o666), "wb") as file:
            file.write(content)
        unfinished.replace(whole)
    finally:
        unfinished.unlink(missing_ok=True)
