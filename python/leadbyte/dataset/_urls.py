"""URLs, and the files that they name, which are listed as they are needed."""

from __future__ import annotations

import fnmatch
import inspect
import os
import re
import stat
from collections import Counter
from contextlib import suppress
from datetime import datetime
from errno import ENOENT
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from leadbyte._files import lake
from leadbyte._formats import EXTENSIONS, PARQUET
from leadbyte.dataset._retries import as_os_error, retried
from leadbyte.dataset._secrets import redacted, secrets_of, shown
from leadbyte.dataset._tasks import File
from leadbyte.dataset._waiting import about

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from tarfile import TarFile, TarInfo
    from typing import Any, TypeAlias, TypeGuard

    import deltalake
    import pyiceberg.table
    from fsspec import AbstractFileSystem

    Url: TypeAlias = str | os.PathLike[str]
    # What names files: URLs, and tables that a catalog has loaded.
    Source: TypeAlias = Url | deltalake.DeltaTable | pyiceberg.table.Table

NO_FSSPEC = 'files of a dataset are read through fsspec: pip install "leadbyte[dataset]"'

# The formats of files, by how their names end; all others are text.
FORMATS = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".xz": "xz",
    ".zst": "zstd",
    **EXTENSIONS,
}
ENDINGS = tuple(FORMATS)

# Where filesystems report what differs between two versions of a file, the best first.
VERSION_KEYS = (
    "ETag", "etag", "generation", "VersionId", "version_id", "blob_id", "md5", "md5Hash", "content_md5",
    "sha", "CRC", "mtime", "Content-MD5", "Last-Modified", "LastModified", "last_modified",
    "modificationTime", "modified", "modify", "updated", "created",
)  # fmt: skip

# Below directories and in globs, names that start so are not data, as in Spark and Arrow.
HIDDEN = (".", "_")
# The types of entries in local directories.
TYPES = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
MAGIC = re.compile(r"[*?\[]")
# A scheme, also within a chain.
SCHEME = re.compile(r"(?:^|(?<=::))[A-Za-z][A-Za-z0-9+.-]+(?=://)")
# In URLs of these, a question mark starts a query.
HTTP = ("http://", "https://")
# In others, the version of an object may follow.
OBJECT_VERSION = re.compile(r"(?i)(?<=://)(.*?)(?:\?versionid=[^/]*|#\d+)$")

# The number of bytes of a tar that are read at once.
TAR_PART = 1 << 20

# The number of characters of a secret that is hardly a part of other words.
MIN_SECRET = 8


class Entry(NamedTuple):
    """What a directory has, as it was listed."""

    name: str
    path: str
    # "file", "directory", "link" or anything else that cannot be read.
    type: str
    size: int | None
    version: str | None


def plain_url(url: Url) -> str:
    """Return a URL with its schemes in lower case, as fsspec knows them: RFC 3986 (3.1) ignores case.

    >>> plain_url("HTTPS://Example.org/A"), plain_url("zip://*.txt::S3://bucket/a.zip")
    ('https://Example.org/A', 'zip://*.txt::s3://bucket/a.zip')
    """
    return SCHEME.sub(lambda scheme: scheme[0].lower(), os.fspath(url))


def check_url(url: str) -> None:
    """Raise FileNotFoundError for an empty URL: to fsspec that is the current directory.

    Most likely it is a variable without a value.
    """
    if not url:
        raise FileNotFoundError(ENOENT, "an empty URL")


def open_filesystem(url: str, **options: Any) -> tuple[AbstractFileSystem, str]:  # noqa: ANN401 - fsspec's
    """Return the filesystem of a URL, as fsspec.config and the environment configure it, and the path."""
    try:
        from fsspec.core import split_protocol, url_to_fs
    except ImportError:
        raise ImportError(NO_FSSPEC, name="fsspec") from None
    if "::" in url and not is_chain(url):
        # fsspec would take it for a chain.
        kind = filesystem_class(split_protocol(url)[0])
        return kind(**kind._get_kwargs_from_urls(url), **options), kind._strip_protocol(url)
    filesystem, path = url_to_fs(url, **options)
    return filesystem, path


def describe(error: BaseException, url: str = "") -> str:
    """Return the message about a URL that could not be read, in one line and without secrets."""
    message = redacted(str(as_os_error(error)))
    # A filesystem may show a part of the URL.
    for secret in sorted(secrets_of(url), key=len, reverse=True):
        # A short one may be a part of any word.
        edge = r"\b" if len(secret) < MIN_SECRET else ""
        message = re.sub(rf"{edge}{re.escape(secret)}{edge}", "***", message)
    return message


def file_format(url: str) -> str:
    """Return the format of a file by its name."""
    name = split_chain(url)[1] if "::" in url else url
    name = name.partition("?")[0] if name.startswith(HTTP) else OBJECT_VERSION.sub(r"\1", name)
    if not name.lower().endswith(ENDINGS):
        return "text"
    return FORMATS.get(os.path.splitext(name)[1].lower(), "text")


def version(info: dict[str, Any]) -> str | None:
    """Return what differs between two versions of a file, by its info of fsspec; None if that is unknown."""
    if "ino" in info and "mtime" in info:
        return local_version(info["ino"], info["mtime"])
    found = next((info[key] for key in VERSION_KEYS if info.get(key) is not None), None)
    # Some filesystems list a number where their info has a date.
    found = found.timestamp() if isinstance(found, datetime) else found
    return None if found is None else str(found)


def local_version(number: int, changed: float) -> str:
    """Return the version of a local file, by the number of its inode and the time of its last change.

    The time is in microseconds: to format a float takes three times as long.
    """
    return f"{number}-{int(changed * 1e6)}"


def version_of(status: os.stat_result) -> str:
    """Return the version of a local file by its status."""
    return local_version(status.st_ino, status.st_mtime)


def find_files(urls: Source | Iterable[Source]) -> Iterator[File]:
    """Yield the files of a URL, or of several; the next directory is listed when its first file is needed.

    Directories are walked, and globs expanded, in the order of names. Of a directory that is a table of Delta
    or Iceberg, and of a table, the files of the current snapshot are yielded. A URL without files raises
    FileNotFoundError; among several it is yielded as a File that failed, as all that cannot be listed.
    """
    if is_source(urls):
        yield from listing(urls, 0).files(strict=True)
        return
    index = 0
    given: Any = urls
    for url in given:
        for file in listing(url, index).files(strict=False):
            yield file
            index = file.index + 1


def is_source(urls: Source | Iterable[Source]) -> TypeGuard[Source]:
    """Return whether an argument is a single URL or table, and not several."""
    return isinstance(urls, (str, os.PathLike)) or lake.format_of_table(urls) is not None


def listing(source: Source, index: int) -> Listing:
    """Return the files of a URL or a table, numbered from an index."""
    if lake.format_of_table(source) is None:
        return Listing(plain_url(source), index)
    return TableListing(source, index)


def open_table(source: Source) -> tuple[Any, str]:
    """Return a table with its URL; raise ValueError if a URL is not of a Delta table, OSError if it fails."""
    if lake.format_of_table(source) is not None:
        return source, TableListing(source, 0).url.rstrip("/")
    url = directory_of(plain_url(source)).rstrip("/")
    filesystem, path = open_filesystem(url)
    root = Root(filesystem, path.rstrip("/"), url, "")
    found = root.table_format(root.entries(root.path))
    if found == lake.ICEBERG:
        message = f"{shown(url)}: {lake.NOT_BY_DIRECTORY}"
        raise ValueError(message)
    if found is None:
        message = f"{shown(url)} is not a table of Delta or Iceberg"
        raise ValueError(message)
    return lake.open_directory(found, url, ()), url


def url_of(source: Source) -> str:
    """Return a URL, or the URL of a table."""
    return plain_url(source) if lake.format_of_table(source) is None else TableListing(source, 0).url


class Listing:
    """The files of one URL, numbered from an index."""

    def __init__(self, url: str, index: int) -> None:
        self.url = url
        self.index = index

    def files(self, *, strict: bool) -> Iterator[File]:
        """Yield the files; unless ``strict``, a URL that cannot be listed is one of them."""
        start = self.index
        try:
            yield from self.find()
            if self.index == start:
                raise FileNotFoundError(ENOENT, "no files")  # noqa: TRY301 - handled as what filesystems raise
        except (ImportError, ValueError):
            # A protocol that is unknown, or whose package is not installed: it concerns more than this URL.
            raise
        except Exception as error:
            if strict and self.index == start:
                kind = type(as_os_error(error))
                message = f"{shown(self.url)}: {describe(error, self.url)}"
                raise kind(message) from None
            yield self.failed(self.url, error)

    def find(self) -> Iterator[File]:
        """Yield the files as the filesystem has them."""
        check_url(self.url)
        before, body, after, glob = split_glob(self.url)
        filesystem, path = open_filesystem(before + body + after)
        if glob is None:
            filesystem.invalidate_cache(path)
            with about(self.url):
                found = entry_of(retried(filesystem.info, path))
            # Over HTTP, everything is a file; in a store of objects, one may have the name of a directory.
            if found.type != "directory" and not body.endswith("/"):
                yield self.file(before + absolute(body) + after, found)
                return
        base = absolute(body)
        prefix = base if base.endswith("://") else base.rstrip("/")
        root = Root(filesystem, path.rstrip("/"), before + prefix, after)
        pattern = Pattern((glob or "").split("/"))
        if is_archive(filesystem):
            yield from self.members(root, pattern)
        else:
            yield from self.walk(root, root.path, pattern, pattern.start)

    def members(self, root: Root, pattern: Pattern) -> Iterator[File]:
        """Yield the files of an archive that match a pattern; their names need not be as in a directory."""
        filesystem = root.filesystem
        with about(self.url):
            retried(filesystem._get_dirs)
        names = Counter(filesystem.zip.namelist() if hasattr(filesystem, "zip") else ())
        tar: Any = getattr(filesystem, "tar", None)
        members = {member.name: member for member in tar.getmembers()} if tar else {}
        start = f"{root.path}/" if root.path else ""
        infos = {info["name"]: info for info in filesystem.dir_cache.values() if info["type"] != "directory"}
        for path in sorted(infos, key=lambda path: path.split("/")):
            components = path.removeprefix(start).split("/")
            states = pattern.start if path.startswith(start) else frozenset()
            for name in components:
                states = pattern.follow(states, name) if name not in {"", "."} else states
            member = members.get(path)
            # A tar also has symbolic links, pipes and the like.
            is_file = member is None or member.isreg() or member.islnk()
            if pattern.end not in states or not is_file:
                continue
            try:
                if names[path] > 1:
                    message = f"{names[path]} members of the archive have this name: extract it first"
                    raise OSError(message)  # noqa: TRY301 - handled as errors of other files
                entry = entry_of(infos[path])
                if member and member.islnk():
                    # Some versions of fsspec report the size of the link.
                    entry = entry._replace(size=linked_size(tar, member))
                yield self.file(root.url(path), entry)
            except Exception as error:
                yield self.failed(root.url(path), error)
        if tar:
            with about(self.url):
                retried(check_end, tar)

    def walk(self, root: Root, path: str, pattern: Pattern, states: frozenset[int]) -> Iterator[File]:
        """Yield the files below a path that match a pattern from these states on."""
        entries = root.entries(path)
        if pattern.end in states and (table := root.table_format(entries)):
            yield from self.table_files(root, path, table)
            return
        for entry in entries:
            following = pattern.follow(states, entry.name)
            try:
                if following and entry.type == "directory":
                    yield from self.walk(root, entry.path, pattern, following)
                elif pattern.end in following:
                    # What a link leads to is not in the listing. Links to directories may be cycles.
                    found = self.target(root, entry.path) if entry.type == "link" else entry
                    if found.type == "file":
                        yield self.file(root.url(entry.path), found)
            except Exception as error:
                yield self.failed(root.url(entry.path), error)

    def target(self, root: Root, path: str) -> Entry:
        """Return what a link at a path leads to."""
        with about(self.url):
            return entry_of(retried(root.filesystem.info, path))

    def table_files(self, root: Root, path: str, found: str) -> Iterator[File]:
        """Yield the files of the table of a format in a directory."""
        url = root.url(path)
        logs = root.entries(f"{path}/{lake.ICEBERG_LOGS}") if found == lake.ICEBERG else []
        with about(url):
            table = lake.open_directory(found, url, [entry.name for entry in logs])
            files = lake.data_files(table, url)
        yield from self.snapshot(files)

    def snapshot(self, files: list[lake.DataFile]) -> Iterator[File]:
        """Yield the files of a snapshot, which are never changed."""
        for file in files:
            self.index += 1
            yield File(file.url, self.index - 1, file.size, None, PARQUET, file.failed, constant=True)

    def file(self, url: str, entry: Entry) -> File:
        """Return the next file; raise OSError if it is a device, a pipe or the like."""
        if entry.type != "file":
            message = "not a regular file"
            raise OSError(message)
        self.index += 1
        return File(url, self.index - 1, entry.size, entry.version, file_format(url))

    def failed(self, url: str, error: Exception) -> File:
        """Return the next file, which cannot be read."""
        self.index += 1
        return File(url, self.index - 1, None, None, file_format(url), describe(error, url))


class TableListing(Listing):
    """The files of the current snapshot of a table that a package has loaded."""

    def __init__(self, table: Any, index: int) -> None:  # noqa: ANN401 - of one of the packages
        self.table = table
        is_delta = lake.format_of_table(table) == lake.DELTA
        location = self.table.table_uri if is_delta else self.table.location()
        super().__init__(lake.local_directory(location) if is_delta else lake.plain_path(location), index)

    def find(self) -> Iterator[File]:
        """Yield the files."""
        yield from self.snapshot(lake.data_files(self.table))


class Root:
    """A directory to walk."""

    def __init__(self, filesystem: AbstractFileSystem, path: str, prefix: str, suffix: str) -> None:
        self.filesystem = filesystem
        self.path = path
        # The parts of the files' URLs before and after their paths below the directory.
        self.prefix = prefix
        self.suffix = suffix
        self.is_local = is_local(filesystem)

    def url(self, path: str) -> str:
        """Return the URL of a path below the directory."""
        return self.prefix + path[len(self.path) :] + self.suffix

    def table_format(self, entries: list[Entry]) -> str | None:
        """Return the format of the table that has these entries in its directory; None without a table."""
        directories = {entry.name: entry.path for entry in entries if entry.type == "directory"}
        if lake.DELTA_LOG in directories:
            return lake.DELTA
        logs = directories.get(lake.ICEBERG_LOGS)
        if logs and any(lake.VERSION.fullmatch(entry.name) for entry in self.entries(logs)):
            return lake.ICEBERG
        return None

    def entries(self, path: str) -> list[Entry]:
        """Return the entries of a path by name."""
        if path.endswith("/"):
            message = "names with two slashes are not listed: name the files"
            raise OSError(message)
        if self.is_local and path:
            with about(path):
                return retried(local_entries, path)
        # An earlier listing in the cache may be out of date; this one is not cached, as it may be large.
        self.filesystem.invalidate_cache()
        # Web servers may know a directory by a name with a slash only.
        listed = f"{path}/" if path.startswith(HTTP) else path
        with about(self.url(path)):
            entries = [entry_of(info) for info in retried(self.filesystem.ls, listed, detail=True)]
        self.filesystem.invalidate_cache()
        # Some stores list a directory as an object of its own, and servers link to other directories.
        below = f"{path}/" if path else ""
        entries = [entry for entry in entries if entry.path != path and entry.path.startswith(below)]
        return sorted(entries, key=lambda entry: entry.name)


class Pattern:
    """The components of a glob; a state is how many have matched, and after the last everything matches."""

    def __init__(self, components: list[str]) -> None:
        components = [component for component in components if component]
        self.prefixes = [component[0] for component in components]
        self.matches = [
            None if component == "**" else re.compile(fnmatch.translate(component)).match
            for component in components
        ]
        self.end = len(components)
        self.start = self.closed({0})

    def closed(self, states: set[int]) -> frozenset[int]:
        """Return the states with those after ``**``, which also matches no directory at all."""
        reached = set(states)
        for state in range(self.end):
            if state in reached and self.matches[state] is None:
                reached.add(state + 1)
        return frozenset(reached)

    def follow(self, states: frozenset[int], name: str) -> frozenset[int]:
        """Return the states after a name, which may be several; none if it does not match."""
        hidden = name.startswith(HIDDEN) and name != ".."
        if not (hidden or self.end):
            return states
        following = set()
        for state in states:
            match = self.matches[state] if state < self.end else None
            if match is None:
                following |= set() if hidden else {state}
            elif match(name) and not (hidden and self.prefixes[state] != name[0]):
                following.add(state + 1)
        return self.closed(following)


def split_chain(url: str) -> tuple[str, str, str]:
    """Return the URL whose path names files, with the text before and after it in a chain of URLs.

    >>> split_chain("simplecache::s3://bucket/a.txt"), split_chain("zip://*.txt::s3://bucket/a.zip")
    (('simplecache::', 's3://bucket/a.txt', ''), ('', 'zip://*.txt', '::s3://bucket/a.zip'))
    """
    if not is_chain(url):
        return "", url, ""
    bits = url.split("::")
    first = 0
    while first + 1 < len(bits) and "://" not in bits[first] and is_passing(bits[first]):
        first += 1
    body = bits[first]
    if first + 1 < len(bits) and "://" not in body:
        # A filesystem without a path, as in zip::s3://bucket/a.zip.
        body += "://"
    return "".join(f"{bit}::" for bit in bits[:first]), body, "".join(f"::{bit}" for bit in bits[first + 1 :])


def split_glob(url: str) -> tuple[str, str, str, str | None]:
    """Return a URL as `split_chain` does, of a glob with its directory in place of the path, and the glob.

    An existing path is not a glob, whatever its name.
    """
    before, body, after = split_chain(url)
    magic = MAGIC.search(body.partition("?")[0] if body.startswith(HTTP) else body)
    if not magic:
        return before, body, after, None
    filesystem, path = open_filesystem(before + body + after)
    filesystem.invalidate_cache(path)
    with suppress(OSError), about(url):
        retried(filesystem.info, path)
        return before, body, after, None
    end = body.rfind("/", 0, magic.start()) + 1
    return before, body[:end] or ".", after, body[end:]


def is_chain(url: str) -> bool:
    """Return whether a URL is a chain of URLs; in others, two colons are part of a name.

    >>> is_chain("zip://*.txt::s3://bucket/a.zip"), is_chain("s3://bucket/a::b.txt"), is_chain("./a::b.txt")
    (True, False, False)
    """
    first, separator, _ = url.partition("::")
    if not separator:
        return False
    try:
        kind = filesystem_class(first.partition("://")[0])
    except ValueError:
        return False
    # Filesystems that read another one, as archives and caches do, take its protocol. fsspec marks only some.
    constructors = (base.__init__ for base in kind.__mro__)  # type: ignore[misc]
    return any("target_protocol" in inspect.signature(found).parameters for found in constructors)


def is_passing(protocol: str) -> bool:
    """Return whether a filesystem passes paths to the next one of a chain, as caches do."""
    from fsspec.implementations.cached import CachingFileSystem

    return issubclass(filesystem_class(protocol), CachingFileSystem)


def is_asynchronous(url: str) -> bool:
    """Return whether the filesystem of a URL, the first one of a chain, is asynchronous."""
    chained = is_chain(url)
    protocol, separator, _ = (url.partition("::")[0] if chained else url).partition("://")
    return bool(filesystem_class(protocol if separator or chained else None).async_impl)


def filesystem_class(protocol: str | None) -> type[AbstractFileSystem]:
    """Return the filesystem of a protocol, None for local files; raise ValueError if there is none."""
    try:
        from fsspec.registry import get_filesystem_class
    except ImportError:
        raise ImportError(NO_FSSPEC, name="fsspec") from None
    found: type[AbstractFileSystem] = get_filesystem_class(protocol)
    return found


def absolute(url: str) -> str:
    """Return a URL, or the path of a local file, that another process understands."""
    scheme, separator, _ = url.rpartition("://")
    path = local_path(url)
    return url if path is None else scheme + separator + path


def local_path(url: str) -> str | None:
    """Return the absolute path of a local file or directory; None for the URL of another filesystem."""
    from fsspec.implementations.local import LocalFileSystem

    is_local = url.rpartition("://")[0] in {"", "file", "local"}
    return str(LocalFileSystem._strip_protocol(url)) if is_local else None


def directory_of(url: str) -> str:
    """Return how the URLs of the files in a directory start."""
    before, body, _ = split_chain(url)
    start = absolute(body)
    return before + (start if start.endswith("://") else start.rstrip("/") + "/")


def resolved(directory: str) -> str:
    """Return a directory as `directory_of` does, without caches before it, and a local one without links."""
    _, body, after = split_chain(directory)
    directory = body + after
    path = local_path(directory)
    return directory if path is None else directory_of(os.path.realpath(path))


def is_archive(filesystem: AbstractFileSystem) -> bool:
    """Return whether a filesystem has the members of an archive."""
    from fsspec.archive import AbstractArchiveFileSystem

    return isinstance(filesystem, AbstractArchiveFileSystem)


def linked_size(tar: TarFile, link: TarInfo) -> int:
    """Return the size of the file that a hard link leads to; raise OSError if there is none."""
    with suppress(KeyError):
        if target := tar.extractfile(link):
            return target.seek(0, os.SEEK_END)
    message = f"a hard link to {link.linkname}, which is not a file of the archive"
    raise OSError(message)


def check_end(tar: TarFile) -> None:
    """Raise tarfile.ReadError unless a tar ends where its last member that was found does.

    The module tarfile takes any malformed header for the end. The checksum of compressed data is after that.
    """
    from tarfile import BLOCKSIZE, ReadError

    file = tar.fileobj
    assert file is not None
    file.seek(tar.offset)
    # As for GNU tar, the blocks of NULs at the end may be missing.
    if file.read(BLOCKSIZE).strip(b"\0"):
        message = f"malformed header at byte {tar.offset:,}"
        raise ReadError(message)
    while file.read(TAR_PART):
        pass


def is_local(filesystem: AbstractFileSystem) -> bool:
    """Return whether a filesystem is the operating system's."""
    from fsspec.implementations.local import LocalFileSystem

    return type(filesystem) is LocalFileSystem


def local_entries(path: str) -> list[Entry]:
    """Return the entries of a local directory by name, as `entry_of` would, without an info for each."""
    entries = []
    with os.scandir(path) as found:
        for entry in found:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            name = entry.name
            kind = TYPES.get(stat.S_IFMT(status.st_mode), "other")
            entries.append(Entry(name, f"{path}/{name}", kind, status.st_size, version_of(status)))
    entries.sort(key=itemgetter(0))
    return entries


def entry_of(info: dict[str, Any]) -> Entry:
    """Return an entry from the info of a filesystem."""
    # Of prefixes, which have this class, s3fs leaves out the last slash; one before it belongs to a//b.
    path = info["name"] if info.get("StorageClass") == "DIRECTORY" else info["name"].rstrip("/")
    is_link = info["type"] == "other" and info.get("islink")
    kind = "link" if is_link else info["type"]
    return Entry(path.rpartition("/")[2], path, kind, info.get("size"), version(info))
