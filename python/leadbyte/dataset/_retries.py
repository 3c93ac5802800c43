"""Errors of filesystems: which of them may pass, so that another attempt is made, and what they mean."""

from __future__ import annotations

import os
import random
import time
from errno import ELOOP, ENAMETOOLONG, ENOENT
from typing import TYPE_CHECKING, TypeVar

from leadbyte.dataset._waiting import WATCH

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

# How often a request is made before its error is final, and the waits between, in seconds.
ATTEMPTS = 5
FIRST_WAIT, LONGEST_WAIT = 0.25, 4.0


class WrongAnswerError(OSError):
    """A server that sends other bytes than it was asked for."""


# Errors that another attempt does not change.
PERMANENT = (
    FileNotFoundError,
    PermissionError,
    IsADirectoryError,
    NotADirectoryError,
    ImportError,
    NotImplementedError,
    TypeError,
    UnicodeError,
    OverflowError,
    WrongAnswerError,
)
PERMANENT_NUMBERS = (ELOOP, ENAMETOOLONG)
# Errors of modules that are imported where they are used, and of clients, which need not be installed: a
# damaged archive, no credentials, or a name or URL that cannot be.
PERMANENT_NAMES = {
    "BadZipFile",
    "DefaultCredentialsError",
    "InvalidURL",
    "NoCredentialsError",
    "ParamValidationError",
    "PartialCredentialsError",
    "ProfileNotFound",
    "SFTPNoSuchFile",
    "SFTPPermissionDenied",
    "TarError",
    "TooManyRedirects",
}
# A part of the message of zipfile, whose error is a RuntimeError.
ENCRYPTED = "is encrypted, password required"
# Errors of asyncssh, by their names, with the classes of the system.
SYSTEM_ERRORS: dict[str, type[OSError]] = {
    "SFTPNoSuchFile": FileNotFoundError,
    "SFTPPermissionDenied": PermissionError,
}
# Errors that keep their class; all others become an OSError.
KEPT = (*PERMANENT[:4], TimeoutError, ConnectionError)
# The statuses of HTTP that have an exception of their own.
STATUS_ERRORS: dict[int, type[OSError]] = {401: PermissionError, 403: PermissionError, 404: FileNotFoundError}
# Of the statuses that blame the request, those that may pass: with 400, S3 reports a timeout and aiohttp a
# response that is damaged; a timeout; too many requests.
TRANSIENT_STATUSES = (400, 408, 429)
# The messages of errors that filesystems raise with the name of the file, or with nothing.
MESSAGES = {FileNotFoundError: os.strerror(ENOENT), TimeoutError: "timed out"}


def retried(call: Callable[..., _T], /, *arguments: object, **choices: object) -> _T:
    """Return the result of a call, which is made again after errors that may pass.

    While it waits for long, this is reported. Raises the last error as an OSError.
    """
    with WATCH.request() as request:
        for attempt in range(ATTEMPTS):
            if attempt:
                # Workers that failed together do not come back together.
                time.sleep(random.uniform(0.5, 1) * min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT))
            try:
                return call(*arguments, **choices)
            except Exception as error:
                cause = origin(error)
                if is_permanent(cause) or attempt == ATTEMPTS - 1:
                    raise as_os_error(cause) from error
                request.error = str(as_os_error(cause))
    raise AssertionError


def origin(error: Exception) -> BaseException:
    """Return the error behind another.

    For fsspec, a file of a web server is not found whatever the server has answered.
    """
    cause = error.__cause__
    known = isinstance(cause, LookupError | FileNotFoundError) or (cause and status(cause) == 404)
    return cause if cause and isinstance(error, FileNotFoundError) and not known else error


def status(error: BaseException) -> int | None:
    """Return the status of the HTTP response behind an error, by the attributes that clients give it."""
    for name in ("status", "status_code", "code"):
        if isinstance(value := getattr(error, name, None), int):
            return value
    # The response of botocore, from which s3fs makes other errors.
    response = getattr(error, "response", None) or getattr(error.__cause__, "response", None)
    code: int | None = None
    if isinstance(response, dict):
        code = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return code


def is_permanent(error: BaseException) -> bool:
    """Return whether another attempt cannot change an error."""
    code = status(error) or 0
    return (
        isinstance(error, PERMANENT)
        or getattr(error, "errno", None) in PERMANENT_NUMBERS
        or not PERMANENT_NAMES.isdisjoint(kind.__name__ for kind in type(error).__mro__)
        or ENCRYPTED in str(error)
        or (400 <= code < 500 and code not in TRANSIENT_STATUSES)
    )


def as_os_error(error: BaseException) -> OSError:
    """Return an error of any client as an OSError with a message for people, which has no names of files."""
    named = SYSTEM_ERRORS.get(type(error).__name__)
    code = None if named else status(error)
    other = named or STATUS_ERRORS.get(code or 0, OSError)
    kind = next((kept for kept in KEPT if isinstance(error, kept)), other)
    message = getattr(error, "strerror", None) or MESSAGES.get(kind)
    if not message:
        message = " ".join(str(getattr(error, "message", None) or error).split())
        if not message or not (code or isinstance(error, OSError)):
            message = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return kind(f"{code} {message}" if code and kind is OSError else message)
