"""Writing to a path: atomic replacement of regular files, and streams for everything else."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import stat
from io import FileIO

from leadbyte._files.directories import sync_directory
from leadbyte._files.reading import BLOCK
from leadbyte._files.writing import NEW_MODE, PRIVATE_MODE
from leadbyte.cli.files import open_file

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedWriter

# A directory whose entries are the open descriptors of a process.
DESCRIPTORS = re.compile(r"/dev/fd|/proc/\d+/(task/\d+/)?fd")
# The descriptors of this process; links among them are resolved each time, as the process may have been
# forked.
OWN_DESCRIPTORS = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")
# Linux follows no more links than this.
MAX_LINKS = 40

NO_NEW_FILE = "{} in its directory, where the new file is written"
CHANGED = "changed while it was read, and is left unchanged"
# Whether files can be opened and renamed in a directory that is open, wherever its path leads by now.
HOLDS_DIRECTORIES = hasattr(os, "O_DIRECTORY") and {
    os.open, os.stat, os.link, os.rename, os.unlink,
} <= os.supports_dir_fd  # fmt: skip
# Why an extended attribute cannot be copied: another file system, or one that only the system itself sets.
NOT_COPIED = {errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENODATA, errno.ENOTSUP}


def open_stream(path: str) -> FileIO | None:
    """Open the target of a path if it cannot be replaced; return None for a regular file or none at all.

    Pipes and devices are written directly. So is an open descriptor, by a name such as /dev/stdout, whatever
    its file is: writing starts at its offset, and nothing is truncated. If the descriptor is another
    process's, writing starts at the end of the file.
    """
    entry = find_descriptor(path)
    if entry is None:
        try:
            if stat.S_ISREG(os.stat(path).st_mode):
                return None
        except FileNotFoundError:
            return None
    elif os.path.dirname(entry) in map(os.path.realpath, OWN_DESCRIPTORS):
        return FileIO(os.dup(int(os.path.basename(entry))), "wb")
    return FileIO(path, "wb", opener=open_existing)


def find_descriptor(path: str) -> str | None:
    """Return the entry of a directory of descriptors that a path is or links to, or None."""
    for _ in range(MAX_LINKS):
        directory, name = os.path.split(path)
        path = os.path.join(os.path.realpath(directory), name)
        if name.isdecimal() and DESCRIPTORS.fullmatch(os.path.dirname(path)):
            return path
        try:
            path = os.path.join(os.path.dirname(path), os.readlink(path))
        except OSError:
            break
    return None


def open_existing(path: str, flags: int) -> int:
    """Open an existing file for appending, without truncating it."""
    return os.open(path, flags & ~(os.O_CREAT | os.O_TRUNC) | os.O_APPEND)


class Place:
    """Where a file is to be replaced: its name in a directory that is held open, or without one its path."""

    def __init__(self, name: str, directory: int | None = None) -> None:
        self.name = name
        self.directory = directory

    def temporary(self) -> str:
        """Return an unused name in the same directory."""
        return os.path.join(os.path.dirname(self.name), f".leadbyte-{os.urandom(8).hex()}")

    def status(self, name: str = "") -> os.stat_result:
        """Return the status of the file, or of another one in the directory; a link has its own."""
        return os.stat(name or self.name, dir_fd=self.directory, follow_symlinks=False)

    def create(self, name: str, mode: int) -> BufferedWriter:
        """Create a file in the directory, with these permissions at most."""
        opener = functools.partial(os.open, mode=mode, dir_fd=self.directory)
        try:
            return open(name, "xb", opener=opener)
        except PermissionError as error:
            raise OSError(NO_NEW_FILE.format(error.strerror)) from error

    def move(self, name: str, to: str) -> None:
        """Rename a file in the directory, in place of the file that had the name before."""
        os.replace(name, to, src_dir_fd=self.directory, dst_dir_fd=self.directory)

    def remove(self, name: str) -> None:
        """Delete a file in the directory, if it is there."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self.directory)

    def link(self, to: str) -> None:
        """Give the file a second name in the directory."""
        if self.directory is None:
            os.link(self.name, to)
        else:
            os.link(
                self.name,
                to,
                src_dir_fd=self.directory,
                dst_dir_fd=self.directory,
                follow_symlinks=False,
            )

    def sync(self) -> None:
        """Flush the entries of the directory to the disk, where the system can."""
        if self.directory is None:
            sync_directory(os.path.dirname(self.name))
        else:
            with contextlib.suppress(OSError):
                os.fsync(self.directory)


@contextlib.contextmanager
def place_below(top: str, path: str) -> Iterator[Place]:
    """Yield the place of a file that a walk of the directory ``top`` found.

    No link below ``top`` is followed, also one that has taken the place of a directory since the walk. Where
    the system cannot hold directories open, only the last component is not followed.
    """
    if not HOLDS_DIRECTORIES:
        yield Place(path)
        return
    flags = os.O_RDONLY | os.O_DIRECTORY
    *names, name = path.removeprefix(os.path.join(top, "")).split(os.sep)
    directory = os.open(top, flags)
    try:
        for inner in names:
            above, directory = directory, os.open(inner, flags | os.O_NOFOLLOW, dir_fd=directory)
            os.close(above)
        yield Place(name, directory)
    finally:
        os.close(directory)


@contextlib.contextmanager
def replacing(
    place: Place,
    *,
    old: FileIO | None = None,
    backup: str | None = None,
    mode: int = NEW_MODE,
    check: Callable[[], None] = lambda: None,
) -> Iterator[BufferedWriter]:
    """Yield a file to write that replaces the one at a place at the end, unless an exception is raised.

    Whatever happens, power failures included, the place names the old file or the complete new one. The new
    file has the old one's permissions, extended attributes and, where that is allowed, owner and group; if
    there is no old one, the permissions of the mode, at most.

    ``old`` is the file that is read to write the new one; it is closed at the end. If the place names another
    file then, or one that was written to since ``replacing`` was called, that stays, and OSError is raised.
    What happens between this check and the renaming, which follows at once, is not seen: another program's
    new version of the file may be replaced then, but never a file elsewhere. With a suffix for a backup,
    the old file is kept under its name and that suffix; OSError is raised if another file has that name.
    ``check`` is called last before the renaming, and may raise.
    """
    temporary = place.temporary()
    made = ""
    before = os.fstat(old.fileno()) if old else None
    exists = before is not None or os.path.exists(place.name)
    if before and backup:
        # A name that is taken is reported before anything is written.
        is_kept(place, before, place.name + backup)
    try:
        # Nobody else may read it before it has the permissions of the old file.
        with place.create(temporary, PRIVATE_MODE if exists else mode) as file:
            yield file
            file.flush()
            if exists:
                copy_status(old.fileno() if old else place.name, file)
            os.fsync(file.fileno())
        if old and before:
            # Windows renames nothing to a file that is open.
            old.close()
            check_unchanged(place, place.name, before)
            if backup and not is_kept(place, before, place.name + backup):
                keep(place, before, place.name + backup)
                made = place.name + backup
                check_unchanged(place, place.name, before)
        check()
        place.move(temporary, place.name)
    except BaseException:
        with contextlib.suppress(OSError):
            if made and before and is_same_file(place.status(), before):
                # The old file is still there.
                place.remove(made)
        place.remove(temporary)
        raise
    place.sync()


def check_replaceable(path: str, backup: str | None) -> None:
    """Raise OSError if it can be foreseen that a file will not be replaced."""
    place = Place(os.path.realpath(path))
    if backup:
        is_kept(place, place.status(), place.name + backup)
    directory = os.path.dirname(place.name)
    if os.path.isdir(directory):  # a URL has none
        check_directory(directory)


def check_directory(directory: str) -> None:
    """Raise OSError if it can be foreseen that a directory takes no new file."""
    if not os.path.isdir(directory):
        raise OSError(os.strerror(errno.ENOTDIR if os.path.exists(directory) else errno.ENOENT))
    if not os.access(directory, os.W_OK | os.X_OK):
        read_only = hasattr(os, "statvfs") and os.statvfs(directory).f_flag & os.ST_RDONLY
        raise OSError(NO_NEW_FILE.format(os.strerror(errno.EROFS if read_only else errno.EACCES)))


def check_unchanged(place: Place, name: str, before: os.stat_result) -> None:
    """Raise OSError if a name refers to another file than before, or to one that was written to."""
    if not is_same_file(place.status(name), before):
        raise OSError(CHANGED)


def is_same_file(now: os.stat_result, before: os.stat_result) -> bool:
    """Return whether both are of the same file, to which nothing was written in between."""
    facts = [(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) for status in (now, before)]
    return facts[0] == facts[1]


def copy_status(old: int | str, new: BufferedWriter) -> None:
    """Copy the status of an old file, open or at a path, to a new one, except its times."""
    status = os.stat(old)
    mode = stat.S_IMODE(status.st_mode)
    if hasattr(os, "fchown") and not is_given(new, status.st_uid, status.st_gid):
        # A set-user-ID program must not run with the rights of another owner.
        mode &= ~(stat.S_ISUID | stat.S_ISGID)
        if not is_given(new, -1, status.st_gid):
            # The members of another group have the rights of all others.
            mode = mode & ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3
    copy_attributes(old, new.fileno())
    os.chmod(by_descriptor(os.chmod, new), mode)


def is_given(file: BufferedWriter, owner: int, group: int) -> bool:
    """Give a file to an owner and a group, -1 for those that it has; return whether that is allowed."""
    try:
        os.fchown(file.fileno(), owner, group)
    except OSError:
        return False
    return True


def copy_attributes(old: int | str, new: int) -> None:
    """Copy the extended attributes of a file as far as possible, where Python has functions for them."""
    if not hasattr(os, "listxattr"):
        return
    with where_possible():
        for name in os.listxattr(old):
            with where_possible():
                os.setxattr(new, name, os.getxattr(old, name))


@contextlib.contextmanager
def where_possible() -> Iterator[None]:
    """Suppress errors of attributes that cannot be copied."""
    try:
        yield
    except OSError as error:
        if error.errno not in NOT_COPIED:
            raise


def by_descriptor(function: Callable[..., object], file: BufferedWriter) -> int | str:
    """Return what a function of os takes for an open file: its descriptor, if the system can, or its path."""
    return file.fileno() if function in os.supports_fd else str(file.name)


def is_kept(place: Place, before: os.stat_result, backup: str) -> bool:
    """Return whether a second name is the file's already; raise OSError if it is another file's."""
    try:
        status = place.status(backup)
    except FileNotFoundError:
        return False
    if is_same_file(status, before):
        return True
    message = f"{os.path.basename(backup)} exists; give --backup another suffix"
    raise OSError(message)


def keep(place: Place, before: os.stat_result, backup: str) -> None:
    """Link a file, whose status is known, to a second name, which is unused."""
    try:
        place.link(backup)
    except OSError:
        # Some file systems have no hard links.
        copy(place, before, backup)
    else:
        try:
            check_unchanged(place, backup, before)
        except OSError:
            place.remove(backup)
            raise


def copy(place: Place, before: os.stat_result, backup: str) -> None:
    """Copy a file, whose status is known, to a second name, which has the complete copy or nothing."""
    temporary = place.temporary()
    try:
        with (
            open_file(place.name, named=False, directory=place.directory) as old,
            place.create(temporary, PRIVATE_MODE) as file,
        ):
            if not is_same_file(os.fstat(old.fileno()), before):
                raise OSError(CHANGED)
            while block := old.read(BLOCK):
                file.write(block)
            file.flush()
            copy_status(old.fileno(), file)
            times = before.st_atime_ns, before.st_mtime_ns
            os.utime(by_descriptor(os.utime, file), ns=times)
            os.fsync(file.fileno())
        if not is_kept(place, before, backup):
            place.move(temporary, backup)
    finally:
        place.remove(temporary)
