"""Code is cut at functions and classes, with their comments (SM-21)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay.text.segment import Size, segment
from scrubjay.text.segment.grammars import parser_for

ONE_EACH = Size(ideal=9, max=14, min=0)

PYTHON = '''"""Doc."""
import os
from a import b

X = 1  # trailing

# on its own

# above é
@deco
def foo(a):
    return a


class Bar:
    """Doc of the class."""

    # about baz
    def baz(self): pass

    def qux(self): pass
'''


def test_functions_come_with_what_stands_above_them() -> None:
    found = [(item.headings, item.text) for item in segment(PYTHON, kind="code", language="py", size=ONE_EACH)]
    assert found == [
        ((), '"""Doc."""'),
        ((), "import os\nfrom a import b"),
        ((), "X = 1  # trailing\n\n# on its own"),
        (("foo",), "# above é\n@deco\ndef foo(a):\n    return a"),
        (("Bar",), 'class Bar:\n    """Doc of the class."""'),
        (("Bar", "baz"), "    # about baz\n    def baz(self): pass"),
        (("Bar", "qux"), "    def qux(self): pass"),
    ]


@pytest.mark.parametrize(
    ("language", "source", "names"),
    [
        (
            "javascript",
            'import a from "a";\nexport class K {\n  m() { return 1 + 2 + 3; }\n  n() { return 2; }\n}\n'
            "const f = () => 1;\n",
            "K K.m K.n f",
        ),
        (
            "typescript",
            "interface I { x: number }\nexport class K {\n  m(): void { a; b; c; d; }\n  n(): void {}\n}\n",
            "I K K.m K.n",
        ),
        ("tsx", "export function C() { return <div>hi</div>; }\n", "C"),
        ("go", "package main\n\n// T doc\ntype T struct { x int }\n\nfunc (t *T) M() {}\n", "T M"),
        (
            "rust",
            "use std::io;\n/// doc\n#[derive(Debug)]\nstruct S;\nimpl S {\n  fn new() -> S { S }\n  fn old() {}\n}\n",
            "S S S.new S.old",
        ),
        ("java", "import b.C;\npublic class X {\n  int y = 1;\n  void m() { a(); b(); }\n}\n", "X X.y X.m"),
        ("c", "#include <x.h>\n/* d */\nint f(int a) { return a; }\nstruct s { int x; };\n", "f s"),
        ("c++", "namespace n {\nclass K { void m(); };\nint f(int a) { return a; }\n}\n", "n n.K n.f"),
        ("c#", "using System;\nnamespace N {\n class K { void M() {} }\n class L { void O() {} }\n}\n", "N N.K N.L"),
        (
            "ruby",
            "module M\n  class K\n    def m; 1; end\n  end\n  class L\n    def n; 1; end\n  end\nend\n",
            "M.K M.L",
        ),
        ("php", "<?php\nuse B;\n/** d */\nclass K { function m() {} }\nfunction f() { return 1; }\n", "K f"),
        (
            "lua",
            'local x = require("x")\n-- doc\nlocal function f() return 1 end\nfunction M.g() return 2 end\n',
            "f M.g",
        ),
        ("bash", "# doc\nf() { echo 1; }\n\ng() { echo 2; echo 3; }\n", "f g"),
    ],
)
def test_every_grammar(language: str, source: str, names: str) -> None:
    if parser_for(language) is None:
        pytest.skip(f"no grammar for {language} is installed")
    found = segment(source, kind="code", language=language, size=ONE_EACH)
    seen = [".".join(item.headings) for item in found if item.headings]
    assert list(dict.fromkeys(seen)) == list(dict.fromkeys(names.split()))


@pytest.mark.parametrize("language", [None, "cobol", "python"])
def test_what_cannot_be_parsed_is_cut_at_blank_lines(language: str | None) -> None:
    source = "%% one [[[ two three four\n%% ((( five\n\n}}} six seven ??? eight\n"
    found = [item.text for item in segment(source, kind="code", language=language, size=ONE_EACH)]
    assert found == ["%% one [[[ two three four\n%% ((( five", "}}} six seven ??? eight"]


def test_code_is_cut_at_characters_not_bytes() -> None:
    source = "# " + "数" * 5_000 + "\n\ndef f():\n    return '😀'\n\n\ndef g():\n    return 'é'\n" * 50
    found = segment(source, kind="code", language="python")
    assert all(item.text == source[item.start : item.end] for item in found)
    assert any(item.text.startswith("def ") for item in found)


def test_own_sources() -> None:
    """Whole functions, as far as they fit."""
    for path in sorted((Path(__file__).parents[3] / "src/scrubjay/text").rglob("*.py")):
        text = path.read_text("utf-8")
        found = segment(text, kind="code", language="python")
        assert "".join("".join(item.text.split()) for item in found) == "".join(text.split())


def test_hostile_code() -> None:
    for source in ("(" * 20_000, "{" * 20_000, "def f():\n" * 3_000, "\0" * 1_000, "\ud800 = 1\n", "class A {" * 3_000):
        for language in ("python", "javascript"):
            found = segment(source, kind="code", language=language)
            assert "".join(item.text for item in found).count(source[0]) == source.count(source[0])
