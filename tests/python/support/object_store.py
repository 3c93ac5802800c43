"""An S3-compatible server on the loopback address, behind a proxy with faults."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest
from faulty_proxy import FaultyProxy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from strategies import Anything

BUCKET = "bucket"
# A secret that is in no output.
SECRET = "f0e1d2c3b4a5"
URL = f"s3://{BUCKET}"


@contextmanager
def object_store() -> Iterator[FaultyProxy]:
    """Start the server with a bucket, and configure s3fs and processes started later to use it."""
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch, FaultyProxy(f"http://{host}:{port}") as proxy:
        options = {"key": "reader", "secret": SECRET, "endpoint_url": proxy.url}
        for name, value in options.items():
            patch.setenv(f"FSSPEC_S3_{name.upper()}", value)
        patch.setitem(fsspec.config.conf, "s3", options)
        # All servers of a process share their buckets.
        urlopen(Request(f"{proxy.url}/moto-api/reset", method="POST")).close()
        writer().mkdir(BUCKET)
        try:
            yield proxy
        finally:
            fsspec.get_filesystem_class("s3").clear_instance_cache()
            server.stop()


def writer() -> Anything:
    """Return a filesystem that other code does not use."""
    import fsspec

    return fsspec.filesystem("s3", use_listings_cache=False)


def put(path: str, data: bytes) -> str:
    """Store an object that everybody may read; return its URL."""
    writer().pipe_file(f"{BUCKET}/{path}", data, ACL="public-read")
    return f"{URL}/{path}"
