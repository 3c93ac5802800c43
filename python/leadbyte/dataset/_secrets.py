"""Secrets in URLs and in messages, which are not shown."""

from __future__ import annotations

import re

# The text before a secret, and the secret: a password, a user of a web server, a value in a query.
SECRETS = (
    re.compile(r"(://[^/:\s]*:)([^/\s]*)(?=@)"),
    re.compile(r"(?i)(\bhttps?://)([^/@:\s]+)(?=@)"),
    re.compile(
        r"(?i)([?&;#][^=&\s]*(?:auth|credential|delegation|jwt|key|pass|pwd|secret|session|sig|token)[^=&\s]*=)"
        r"([^&;\s'\"<>)]*)"
    ),
)


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
    for pattern in SECRETS:
        text = pattern.sub(r"\1***", text)
    return text
