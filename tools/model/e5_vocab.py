"""Cut the vocabulary to English, Russian and Chinese, and write the tokenizer.

Kept are: the special tokens; every piece that the full tokenizer uses for one of the 150,000
commonest words of each language (word lists of ``wordfreq``); single characters of the scripts in
use; ASCII pieces with a digit or a punctuation mark. The order of the pieces does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from wordfreq import top_n_list

LANGUAGES = ("en", "ru", "zh")
WORDS_PER_LANGUAGE = 150_000
SPECIAL_IDS = (0, 1, 2, 3)  # <s> <pad> </s> <unk>; the last piece is <mask>
UNKNOWN_ID = 3
SPACE = "\u2581"  # SentencePiece's mark for a space
_CHUNK = 5000
_KEPT_RANGES = (
    (0x0000, 0x024F),  # Latin
    (0x0400, 0x052F),  # Cyrillic
    (0x2000, 0x2BFF),  # punctuation, symbols; also holds the space mark
    (0x3000, 0x303F),  # CJK punctuation
    (0x4E00, 0x9FFF),  # CJK ideographs
    (0xFF00, 0xFFEF),  # full-width forms
    (0x1F000, 0x1FFFF),  # emoji
)


def make_tokenizer(pieces: Sequence[str], scores: Sequence[float]) -> Tokenizer:
    """Build a unigram tokenizer that splits as XLM-RoBERTa's does."""
    tokenizer = Tokenizer(models.Unigram(list(zip(pieces, scores, strict=True)), unk_id=UNKNOWN_ID))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return tokenizer


def select_pieces(pieces: Sequence[str], scores: Sequence[float]) -> list[int]:
    """Return the ids of the pieces to keep, ascending."""
    full = make_tokenizer(pieces, scores)
    kept = {*SPECIAL_IDS, len(pieces) - 1}
    for language in LANGUAGES:
        kept |= _used_ids(full, list(_word_forms(language)))
    kept |= {i for i, piece in enumerate(pieces) if _always_kept(piece)}
    return sorted(kept)


def _word_forms(language: str) -> Iterator[str]:
    """Yield each word as it stands, and capitalised (Chinese: not at the start of a word)."""
    for word in top_n_list(language, WORDS_PER_LANGUAGE):
        yield word
        yield "\u3002" + word if language == "zh" else word.capitalize()


def _used_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> set[int]:
    used: set[int] = set()
    for start in range(0, len(texts), _CHUNK):
        for encoding in tokenizer.encode_batch(texts[start : start + _CHUNK]):
            used.update(encoding.ids)
    return used


def _always_kept(piece: str) -> bool:
    text = piece.replace(SPACE, "")
    if len(text) <= 1 and all(_in_kept_script(char) for char in piece):
        return True
    return text.isascii() and any(char.isdigit() or not char.isalnum() for char in text)


def _in_kept_script(char: str) -> bool:
    return any(low <= ord(char) <= high for low, high in _KEPT_RANGES)
