"""Render the description of a wheel as PyPI does, and check its links; needs readme-renderer[md].

    python packaging/describe.py WHEEL PAGE

PAGE is written as HTML, to look at. Links to files of the repository must lead to files of this source tree,
those within the page to its headings, and relative ones lead nowhere on PyPI.
"""

from __future__ import annotations

import re
import sys
import zipfile
from email import message_from_bytes
from html.parser import HTMLParser
from pathlib import Path

from readme_renderer.markdown import render

PROJECT = Path(__file__).parents[1]
REPOSITORY = re.compile(
    r"https://(?:github\.com/leadbyte/leadbyte/(?:blob|tree)|raw\.githubusercontent\.com/leadbyte/leadbyte)/main/([^#?]+)"
)
PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 sans-serif }}
body {{ max-width: 860px; margin: auto; padding: 1em }}
pre {{ overflow: auto; padding: 1em; background: #8881; font-size: 85% }}
table {{ border-collapse: collapse }}
td, th {{ border: 1px solid #8888; padding: .3em .6em }}
img {{ max-width: 100% }}
</style>
{body}
"""


class Links(HTMLParser):
    """Collects the targets of links and images, and what links within the page lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.within: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Add the targets of an element, and its own name."""
        self.targets += [value for name, value in attrs if name in {"href", "src"} and value]
        self.within |= {f"#{value}" for name, value in attrs if name == "id"}


def faults(html: str) -> list[str]:
    """Return the links that lead nowhere."""
    links = Links()
    links.feed(html)
    found = [] if links.targets else ["no links"]
    for target in links.targets:
        inside = REPOSITORY.match(target)
        if inside:
            leads = (PROJECT / inside[1]).exists()
        else:
            leads = target in links.within or bool(re.match(r"https?://", target))
        if not leads:
            found.append(f"broken link in the description: {target}")
    return found


def main() -> None:
    """Write the page; fail if it cannot be rendered or a link is broken."""
    wheel, page = map(Path, sys.argv[1:])
    with zipfile.ZipFile(wheel) as opened:
        name = next(name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(opened.read(name))
    payload = metadata.get_payload(decode=True)
    text = payload.decode() if isinstance(payload, bytes) else ""
    html = render(text) if metadata["Description-Content-Type"].startswith("text/markdown") else None
    found = faults(html) if html else ["the description cannot be rendered"]
    print(*found, sep="\n", end="\n" if found else "")
    page.parent.mkdir(exist_ok=True)
    page.write_text(PAGE.format(title=metadata["Name"], body=html), encoding="utf-8")
    print(f"{page}: the description of {wheel.name}")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
