"""CPython's own tests of utf-8 and utf-8-sig, run with the codecs of this package."""

from __future__ import annotations

import inspect
import re
import unittest
import warnings
from typing import TYPE_CHECKING

import leadbyte.codec
import pytest

if TYPE_CHECKING:
    from types import ModuleType

leadbyte.codec.register()
REASON = "this Python comes without its own tests"
OURS = {"UTF8Test": "leadbyte-utf-8", "UTF8SigTest": "leadbyte-utf-8-sig"}


def cpython_tests() -> ModuleType:
    """Import CPython's module; some distributions leave its tests out."""
    with warnings.catch_warnings():
        # It imports deprecated modules, as it tests them too.
        warnings.simplefilter("ignore")
        module: ModuleType = pytest.importorskip("test.test_codecs", reason=REASON)
    return module


@pytest.mark.parametrize("name", OURS)
def test_cpython(name: str) -> None:
    module = cpython_tests()
    # Some of the tests name the encoding, where others ask their class for it.
    theirs = inspect.getsource(getattr(module, name))
    ours = re.sub(r"""(["'])(utf-8(-sig)?)\1""", r"\1leadbyte-\2\1", theirs)
    assert f'encoding = "{OURS[name]}"' in ours
    namespace = dict(vars(module))
    exec(compile(ours, f"{name} of CPython", "exec"), namespace)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(namespace[name]).run(result)
    assert result.testsRun > 10
    assert not [text for _, text in [*result.failures, *result.errors]]
