"""Secrets in URLs and in messages, which are not shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

# The text before a secret, and the secret: a password, a user of a web server.
#
# A slash in a password should be written as %2F: by RFC 3986 it ends a port, and the path may have an @.
# Whatever cannot be a port is taken for a password, up to the last @. git://directory:branch@path,
# github://owner:name@branch, file://C:/path and s3://arn:aws:... have none.
PASSWORDS = (
    re.compile(
        r"((?<!\bgit)(?<!\bgithub)://[^/:\s]*:)(?!\d{1,5}[/?#])"
        r"([^/\s]*(?=@)|(?!(?<=://[A-Za-z]:)/|(?<=://arn:)|:)(?:(?!://)\S)+(?=@))"
    ),
    re.compile(r"(?i)(\bhttps?://)([^/@:\s]+)(?=@)"),
)
# What separates the parts of a URL.
SEPARATOR = re.compile(r"[/?#@]")
# The name of a parameter of a query, its value, and the names of secrets: one expression for all would take
# cubic time.
NAME = re.compile(r"[?&;#]([^=&\s?;#]*)=")
VALUE = re.compile(r"[^&;\s'\"<>)]*")
SECRET = re.compile(r"(?i)auth|credential|delegation|jwt|key|pass|pwd|secret|session|sig|token")


# The number of characters of a part of a secret that is not shown by itself either.
MIN_PART = 3


def secret_values(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the secrets of queries start and end."""
    end = 0
    for name in NAME.finditer(text):
        if name.start() >= end and SECRET.search(name[1]) and (value := VALUE.match(text, name.end())):
            end = value.end()
            yield value.span()


def secrets_of(url: str) -> set[str]:
    """Return the passwords of a URL, and the secrets of its query, also decoded and as clients split them."""
    found = {match[2] for pattern in PASSWORDS for match in pattern.finditer(url)}
    parts = {part for secret in found for part in SEPARATOR.split(secret) if len(part) >= MIN_PART}
    found |= parts | {url[start:end] for start, end in secret_values(url)}
    return (found | set(map(unquote, found))) - {""}


def shown(url: str) -> str:
    """Return a URL without secrets, and a path of a local file as it is.

    >>> shown("https://example.org/a?token=1"), shown("/a?token=1")
    ('https://example.org/a?token=***', '/a?token=1')
    """
    return redacted(url) if "://" in url else url


def redacted(text: str) -> str:
    """Return a URL, or a message with URLs, without passwords and the secrets of queries.

    >>> redacted("ftp://user:password@example.org/a.txt")
    'ftp://user:***@example.org/a.txt'
    """
    for pattern in PASSWORDS:
        text = pattern.sub(r"\1***", text)
    parts, at = [], 0
    for start, end in secret_values(text):
        parts += [text[at:start], "***"]
        at = end
    return "".join([*parts, text[at:]])
