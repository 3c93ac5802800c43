"""Run CPython's own tests of codecs, str and io with leadbyte's codec in the place of that for UTF-8.

    python tests/peers/cpython.py [TEST...]

The registry of codecs gives leadbyte's for all names of UTF-8. ``str.encode`` and ``bytes.decode`` do not ask
the registry for these names, so the names in the sources of the tests are replaced by ``leadbyte-utf-8``, and
where none is given it is added. ``left_out.json`` lists the tests that fail, each with its reason; one that
passes all the same is an error, too.
"""

from __future__ import annotations

import ast
import codecs
import encodings
import importlib.util
import json
import sys
import unittest
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte.codec

if TYPE_CHECKING:
    import types

LEFT_OUT = Path(__file__).parent / "left_out.json"
MODULES = ["test_codecs", "test_codeccallbacks", "test_str", "test_unicode", "test_io"]
# The least number of tests that a version of CPython has in all of these.
MIN_TESTS = 900
OURS = "leadbyte-utf-8"
NAMES = {**dict.fromkeys(["utf-8", "utf8", "UTF-8", "UTF8", "utf_8"], OURS), "utf-8-sig": f"{OURS}-sig"}
# Functions that take the name of an encoding, and do not ask the registry for UTF-8's.
METHODS = {"encode", "decode"}
TYPES = {"str", "bytes", "bytearray"}


class Renaming(ast.NodeTransformer):
    """Replaces names of UTF-8, but where the registry is asked for them."""

    count = 0

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Replace names in a call that does not ask the registry; add one where there is none."""
        function = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if function in METHODS and not node.args and not node.keywords:
            node.args.append(ast.Constant(OURS))
            self.count += 1
        name = node.func.id if isinstance(node.func, ast.Name) else function
        if function in METHODS or name in TYPES:
            self.generic_visit(node)
        else:
            node.func = self.visit(node.func)
            for index, argument in enumerate(node.args):
                if not isinstance(argument, ast.Constant):
                    node.args[index] = self.visit(argument)
            for keyword in node.keywords:
                if not isinstance(keyword.value, ast.Constant):
                    keyword.value = self.visit(keyword.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        """Leave a comparison alone: what has this name is to be found."""
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """Replace a name."""
        if node.value not in NAMES:
            return node
        self.count += 1
        return ast.copy_location(ast.Constant(NAMES[node.value]), node)


def search(name: str) -> codecs.CodecInfo | None:
    """Return leadbyte's codec for all names of UTF-8, and any other as Python does."""
    found = encodings.search_function(name)
    if found is not None and found.name in {"utf-8", "utf-8-sig"}:
        ours = codecs.lookup(f"leadbyte-{found.name}")
        return codecs.CodecInfo(
            ours.encode,
            ours.decode,
            ours.streamreader,
            ours.streamwriter,
            ours.incrementalencoder,
            ours.incrementaldecoder,
            found.name,
        )
    return found


def load(name: str) -> types.ModuleType | None:
    """Return a module of CPython's tests with names replaced; none if this version has no such module."""
    full = f"test.{name}"
    spec = importlib.util.find_spec(full)
    if spec is None or spec.origin is None:
        return None
    renaming = Renaming()
    tree = ast.fix_missing_locations(renaming.visit(ast.parse(Path(spec.origin).read_text("utf-8"))))
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    exec(compile(tree, spec.origin, "exec"), vars(module))
    print(f"{full}: {renaming.count} names replaced")
    return module


def tests_of(suite: unittest.TestSuite) -> list[unittest.TestCase]:
    """Return the tests of a suite and of all below it."""
    found: list[unittest.TestCase] = []
    for test in suite:
        found += tests_of(test) if isinstance(test, unittest.TestSuite) else [test]
    return found


def main() -> None:
    """Run all; exit with 1 if one fails that is not listed, or the reverse."""
    if importlib.util.find_spec("test.test_codecs") is None:
        message = "this Python comes without its own tests"
        raise SystemExit(message)
    leadbyte.codec.register()
    codecs.unregister(encodings.search_function)
    codecs.register(search)
    assert codecs.getincrementaldecoder("utf-8") is codecs.getincrementaldecoder(OURS)
    warnings.simplefilter("ignore")
    left_out = json.loads(LEFT_OUT.read_text("utf-8"))
    wanted = sys.argv[1:]
    run = 0
    unexpected: list[str] = []
    failed: set[str] = set()
    for name in MODULES:
        module = load(name)
        if module is None:
            continue
        tests = tests_of(unittest.defaultTestLoader.loadTestsFromModule(module))
        suite = unittest.TestSuite(
            test for test in tests if not wanted or any(text in test.id() for text in wanted)
        )
        result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
        run += result.testsRun - len(result.skipped)
        for test, text in [*result.failures, *result.errors]:
            identity = getattr(test, "test_case", test).id().removeprefix("test.")
            failed.add(identity)
            if identity not in left_out:
                unexpected.append(f"{identity}\n{text}")
    if not wanted:
        unexpected += [f"{name} is left out, but passes" for name in left_out if name not in failed]
    for text in unexpected:
        print(text)
    print(f"{run} tests run, {len(failed)} failed, of which {len(failed & set(left_out))} are listed")
    raise SystemExit(bool(unexpected) or (run < MIN_TESTS and not wanted))


if __name__ == "__main__":
    main()
