"""Which relations hold of one thing at a time: one lives in one city and likes many dishes (F88).

Of a relation that holds once, another object says that the one before no longer holds, or that one of the two is wrong.
Of the others it says something more.
"""

from __future__ import annotations

MANY = frozenset(
    (
        "likes,dislikes,prefers,uses,decided,is a,son,daughter,dog,cat,brother,sister,colleague"
        ",儿子,兒子,女儿,女兒,狗,猫,貓,哥哥,弟弟,姐姐,妹妹,сына,дочь,дочку,собаку,кошку,кота,брата,сестру"
    ).split(",")
)
"""Relations of which several objects hold beside one another."""

LOOSE = frozenset({"is"})
"""Relations too general to tell whether two objects are about the same: "is encrypted" and "is PostgreSQL 16"."""

NO_LONGER = "no longer "
"""What stands before a relation that has ended."""

_MANY_STARTS = ("always ", "never ", NO_LONGER)


def holds_once(predicate: str) -> bool:
    """Whether another object of ``predicate`` takes the place of the one before."""
    folded = predicate.casefold().strip()
    return bool(folded) and folded not in MANY and not folded.startswith(_MANY_STARTS)
