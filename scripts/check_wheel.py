"""Checks that a built wheel holds every file of the package that is not Python, the model above all.

python scripts/check_wheel.py dist/scrubjay-….whl
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
NEEDED = ("scrubjay/py.typed", "scrubjay/models/weights/tokenizer.json")


def main(wheel: str) -> None:
    """Ends with an error when something is missing from ``wheel``, or something is in it that was not in the source."""
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("scrubjay/")}
    files = (path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    there = {path.relative_to(SOURCE).as_posix() for path in files} | set(NEEDED)
    if packed != there:
        sys.exit(f"The wheel differs from the source: missing {sorted(there - packed)}, extra {sorted(packed - there)}")
    if not any(name.endswith(".onnx") for name in packed):
        sys.exit("The wheel holds no model.")
    print(f"{Path(wheel).name}: {len(packed)} files, {Path(wheel).stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1])
