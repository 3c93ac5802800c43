#!/usr/bin/env python3
"""Write ftfy's published test cases anew: those that concern encodings, and what is expected of each.

    python tests/vectors/ftfy/make.py ftfy-6.3.1.tar.gz

It takes the source distribution of ftfy (``pip download --no-deps --no-binary ftfy ftfy==6.3.1``).
"""

from __future__ import annotations

import json
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "6.3.1"


def read_cases(archive: Path) -> list[dict[str, str]]:
    """Return the cases as they were published."""
    with tarfile.open(archive) as files:
        member = files.extractfile(f"ftfy-{VERSION}/tests/test_cases.json")
        assert member is not None
        cases: list[dict[str, str]] = json.load(member)
        return cases


def main() -> None:
    """Write what of each case concerns encodings."""
    kept = [
        {
            "label": case["label"],
            "original": case["original"],
            # Where ftfy does more than mend encodings, a case tells both.
            "fixed": case.get("fixed-encoding", case["fixed"]),
            "expect": case["expect"],
        }
        for case in read_cases(Path(sys.argv[1]))
    ]
    text = json.dumps(kept, indent=1, ensure_ascii=True)
    (HERE / "cases.json").write_text(f"{text}\n", encoding="ascii")


if __name__ == "__main__":
    main()
