"""Configuration of the documentation site: ``nox -s docs``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leadbyte

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
REPOSITORY = "https://github.com/leadbyte/leadbyte"
IMAGES = {".png", ".svg"}

project = "leadbyte"
version = release = leadbyte.__version__
extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["**/*.py"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "leadbyte"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_copyright = False
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def adapt(_app: Sphinx, page: str, source: list[str]) -> None:
    """Point links to files outside the site at the repository; drop blank lines that doctest needs."""
    folder = (DOCS / page).parent

    def link(match: re.Match[str]) -> str:
        target = (folder / match[1]).resolve()
        is_here = target.suffix in IMAGES or (target.is_relative_to(DOCS) and target.suffix != ".py")
        return match[0] if is_here else f"]({REPOSITORY}/blob/main/{target.relative_to(DOCS.parent)})"

    text = re.sub(r"\]\((?!https?:|#)([^)#]+)\)", link, source[0])
    source[0] = text.replace("\n\n```\n", "\n```\n")


def set_language(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Set the language of a page from its name, for browsers."""
    if page.endswith(".ru"):
        context["language"] = "ru"


def setup(app: Sphinx) -> None:
    """Connect the functions above to the events of the builder."""
    app.connect("source-read", adapt)
    app.connect("html-page-context", set_language)
