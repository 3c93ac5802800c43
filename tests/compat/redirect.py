"""A plugin for pytest: the tests of chardet, charset-normalizer or ftfy call leadbyte.compat.

The root of the tests is an unpacked source distribution. Its modules are imported as they are, and the
functions and classes that leadbyte.compat has too are replaced in them. differences.json lists for each
package, by their reasons, the tests that are not run, those that fail, and those that pass though the package
expects them to fail, as files or as pytest names them. Any other failure fails the run, and so does a test
that passes and is listed among those that fail.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from leadbyte import mojibake

DIFFERENCES = json.loads(Path(__file__).with_name("differences.json").read_text(encoding="utf-8"))
# The modules that tests import the functions from.
MODULES = {
    "chardet": ["chardet", "chardet.detector"],
    "charset_normalizer": [f"charset_normalizer{module}" for module in ("", ".api", ".legacy", ".models")],
    "ftfy": ["ftfy"],
}
# Tests that construct results test how the package does it.
RESULTS = {"CharsetMatch", "CharsetMatches", "ExplainedText", "ExplanationStep"}


def package(config: pytest.Config) -> str:
    """Return the package whose source distribution is the root of the tests."""
    return config.rootpath.name.partition("-")[0]


def pytest_configure(config: pytest.Config) -> None:
    """Replace the functions and classes of the package."""
    name = package(config)
    ours = importlib.import_module(f"leadbyte.compat.{name}")
    for module in map(importlib.import_module, MODULES[name]):
        for replaced in set(ours.__all__) & set(vars(module)) - RESULTS:
            setattr(module, replaced, getattr(ours, replaced))
    if name == "ftfy":
        # What a plan can apply.
        sys.modules[name].FIXERS["leadbyte.mojibake.repair"] = mojibake.repair


def differences(config: pytest.Config) -> dict[str, dict[str, str]]:
    """Return the reasons for the differences of the package by their kinds and tests."""
    return {
        kind: {test: reason for reason, tests in reasons.items() for test in tests}
        for kind, reasons in DIFFERENCES[package(config)].items()
    }


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files."""
    return collection_path.name in differences(config)["not run"] or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests, and mark those that differ."""
    listed = differences(config)
    kept, found = [], {path.name for path in config.rootpath.glob("tests/*.py")}
    for item in items:
        test = item.nodeid.removeprefix("tests/")
        names = {test, test.partition("[")[0]}
        found |= names
        if names & listed["not run"].keys():
            continue
        kept.append(item)
        if reason := next((listed["fail"][name] for name in names & listed["fail"].keys()), None):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        if names & listed["pass"].keys():
            item.own_markers = [marker for marker in item.own_markers if marker.name != "xfail"]
    if unknown := {test for tests in listed.values() for test in tests} - found:
        message = f"differences.json lists tests that do not exist: {sorted(unknown)}"
        raise pytest.UsageError(message)
    items[:] = kept
