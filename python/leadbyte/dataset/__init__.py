"""Data sets: any number of files of any size, on one machine or on a cluster, with the result of one pass.

Files are read through fsspec, wherever they are: ``pip install "leadbyte[dataset]"``. Credentials are those
that the filesystem finds by itself, in its own configuration or in the environment; they are never shown.
"""

from leadbyte.dataset._jobs import DatasetOutput
from leadbyte.dataset._outputs import convert, repair
from leadbyte.dataset._result import DatasetError, DatasetScan, Failure
from leadbyte.dataset._scan import check, scan

__all__ = ["DatasetError", "DatasetOutput", "DatasetScan", "Failure", "check", "convert", "repair", "scan"]


def __dir__() -> list[str]:
    return __all__
