"""A vault as it is after a year of use: some sixty memories of many ages, some used, double, long, untidy, retired."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from scrubjay.temporal import now
from scrubjay.vaults.documents import revision


@dataclass(frozen=True, kw_only=True)
class Memory:
    """One memory: ``age`` and ``used`` (days since its last retrieval) in days, ``count`` in its file, ``counted`` in
    ``memory-index.json`` only; ``more`` are lines of frontmatter, ``links`` go under Connections."""

    slug: str
    title: str
    topic: str
    category: str
    keywords: str
    body: str
    age: int = 0
    count: int = 0
    used: int | None = None
    counted: int = 0
    more: str = ""
    links: tuple[str, ...] = field(default=())


def ago(days: int) -> str:
    """The date so many days ago."""
    return f"{(now() - timedelta(days=days)).date()}"


def text(memory: Memory) -> str:
    """The file of a memory."""
    used = "null" if memory.used is None else ago(memory.used)
    links = "\n".join(f"- [[{link}]]" for link in memory.links) or "<!-- [[MEM-other]] links go here -->"
    return revision.counted(
        f'---\ntitle: "{memory.title}"\ncreated: {ago(memory.age)}\ntags: [{memory.category}]\n'
        f'topic: "{memory.topic}"\nsource: "user input"\nmodified: {ago(memory.age)}\n'
        f'keywords: [{memory.keywords}]\nsummary: "{memory.title}"\n'
        f"retrieval_count: {memory.count}\nlast_retrieved: {used}\ntoken_count: 0\n{memory.more}---\n\n"
        f"# {memory.title}\n\n{memory.body}\n\n## Connections\n{links}\n"
    )


def grow(vault: Path) -> list[Memory]:
    """Writes the memories into ``vault`` and returns them."""
    folder = vault / "10-Memories"
    folder.mkdir(parents=True, exist_ok=True)
    memories = [*_in_use(), *_forgotten(), *_double(), *_long(), *_untidy(), *_retired()]
    for memory in memories:
        (folder / f"MEM-{memory.slug}.md").write_text(text(memory), "utf-8")
    entries = [
        {
            "id": f"MEM-{memory.slug}",
            "path": f".memory/10-Memories/MEM-{memory.slug}.md",
            "retrieval_count": memory.counted,
            "last_retrieved": ago(memory.used or 0),
        }
        for memory in memories
        if memory.counted
    ]
    (vault / "memory-index.json").write_text(json.dumps({"version": "1.0.0", "entries": entries}), "utf-8")
    return memories


def _in_use() -> Iterator[Memory]:
    rows = [
        ("http-retry-backoff", "Retry HTTP calls with jittered backoff", "python/http", "PATTERN",
         "requests, retry, backoff, jitter", "Retry idempotent calls at most 5 times. Never retry a POST.", 200, 39, 2),
        ("pytest-tmp-path", "tmp_path is unique for each test", "python/testing", "TECHNIQUE",
         "pytest, tmp_path, fixture, isolation", "Use `tmp_path`; do not share a folder between tests.", 150, 12, 9),
        ("postgres-pool-size", "Pool size of the API is 20", "database/postgresql", "CONFIG",
         "postgres, pool, connections, pgbouncer", "`pool_size=20`; more than 25 exhausts the server.", 120, 8, 5),
        ("release-checklist", "Releasing a version", "tools/ci", "WORKFLOW",
         "release, changelog, tag, wheel", "1. Update the changelog.\n2. Tag.\n3. Wait for the wheel.", 300, 6, 20),
        ("nix-flake-lock", "Update one input of a flake", "nix/flakes", "TECHNIQUE",
         "nix, flake, lock, input", "`nix flake update nixpkgs` touches one input only.", 95, 4, 30),
        ("lua-pcall", "Use pcall for plugins that may be missing", "neovim/plugins", "PATTERN",
         "lua, pcall, require, plugin", "`local ok, plugin = pcall(require, name)`.", 210, 22, 1),
        ("sqlite-wal", "WAL needs one machine", "database/sqlite", "INSIGHT",
         "sqlite, wal, nfs, locking", "WAL does not work over NFS: it needs shared memory.", 80, 3, 12),
        ("кэш-сборки", "Кэш сборки живёт в томе", "tools/ci", "CONFIG",
         "кэш, сборка, том, docker", "Кэш лежит в томе `build-cache`; не удаляйте его перед релизом.", 60, 5, 3),
        ("数据库迁移", "数据库迁移必须可回滚", "database/migrations", "PATTERN",
         "数据库, 迁移, 回滚, 部署", "每次迁移都必须可以回滚。禁止在高峰期执行。", 70, 7, 4),
        ("review-small", "Reviews of at most 400 lines", "team/review", "INSIGHT",
         "review, size, lines, pull-request", "Larger reviews find fewer faults.", 20, 1, 10),
    ]  # fmt: skip
    for slug, title, topic, category, keywords, body, age, count, used in rows:
        stored = 0 if slug == "http-retry-backoff" else count  # that one was counted in the overview only
        yield Memory(
            slug=slug, title=title, topic=topic, category=category, keywords=keywords, body=body, age=age,
            count=stored, used=used if stored else None, counted=count - stored,
        )  # fmt: skip
    for number in range(8):
        yield Memory(
            slug=f"fresh-{number}",
            title=f"Finding {number} of this sprint",
            topic="team/sprint",
            category="INSIGHT",
            keywords=f"sprint, finding-{number}, board-{number}, owner-{number}",
            body=f"Ticket {100 + number} was about a missing index.",
            age=3 + number,
        )


def _forgotten() -> Iterator[Memory]:
    rows = [
        ("staging-host", "The staging host is stage-3", "infra/hosts", "CONFIG", 410),
        ("old-token-env", "The token is read from LEGACY_TOKEN", "infra/secrets", "CONFIG", 260),
        ("node-16-flags", "Node 16 needs --experimental-fetch", "javascript/node", "CONFIG", 380),
        ("webpack-alias", "Aliases of webpack 4", "javascript/webpack", "TECHNIQUE", 520),
        ("gdb-python", "Python frames in gdb", "python/debugging", "TECHNIQUE", 300),
        ("jenkins-steps", "Running a job on the old Jenkins", "tools/ci", "WORKFLOW", 450),
        ("svn-import", "Importing from Subversion", "git/import", "WORKFLOW", 700),
        ("mvp-layers", "Layers of the first version", "architecture/layers", "PATTERN", 640),
        ("vendor-meeting", "What the vendor promised", "team/vendors", "INSIGHT", 330),
        ("css-grid-hack", "Grid in old browsers", "css/grid", "TECHNIQUE", 290),
        ("python2-str", "Text in Python 2", "python/unicode", "INSIGHT", 580),
        ("mysql-charset", "utf8 is not utf8mb4", "database/mysql", "CONFIG", 100),
    ]
    for number, (slug, title, topic, category, age) in enumerate(rows):
        yield Memory(
            slug=slug,
            title=title,
            topic=topic,
            category=category,
            keywords=f"{slug.split('-')[0]}, legacy-{number}, old-{number}, detail-{number}",
            body=f"{title}. This was right in version {number + 1} and nobody asked since.",
            age=age,
            links=("MEM-node-16-flags",) if slug == "webpack-alias" else (),
        )
    for number, used in enumerate((85, 95, 130)):
        yield Memory(
            slug=f"dormant-{number}",
            title=f"Dormant finding {number}",
            topic="infra/hosts",
            category="INSIGHT",
            keywords=f"dormant-{number}, host-{number}, rack-{number}, cable-{number}",
            body=f"Rack {number} has {number + 2} free units.",
            age=200 + number,
            count=2,
            used=used,
        )


def _double() -> Iterator[Memory]:
    yield Memory(
        slug="docker-layer-cache", title="Order of layers in a Dockerfile", topic="containers/docker",
        category="PATTERN", keywords="docker, dockerfile, layer, cache, build", age=140, count=9, used=6,
        body="Copy `requirements.txt` before the source, so that the layer with packages is kept.",
    )  # fmt: skip
    yield Memory(
        slug="docker-cache-order", title="Faster Docker builds", topic="containers/docker", category="TECHNIQUE",
        keywords="docker, layer, cache, build, buildkit", age=90, count=2, used=40,
        body="What changes rarely goes first.\n\n```dockerfile\nCOPY pyproject.toml .\nRUN pip install .\n```\n\n"
        "Do not copy `.git`: it changes with every commit.",
        links=("MEM-docker-layer-cache", "MEM-release-checklist"),
    )  # fmt: skip
    yield Memory(
        slug="docker-buildkit", title="BuildKit mounts", topic="containers/docker", category="TECHNIQUE",
        keywords="docker, buildkit, cache, mount", age=50, count=1, used=20,
        body="`RUN --mount=type=cache,target=/root/.cache` keeps pip's cache. See [[MEM-docker-cache-order]].",
    )  # fmt: skip
    yield Memory(
        slug="git-rebase-autosquash", title="Autosquash", topic="git/rebase", category="TECHNIQUE",
        keywords="git, rebase, autosquash, fixup", age=30, count=3, used=3, body="`git rebase -i --autosquash main`.",
    )  # fmt: skip
    yield Memory(
        slug="git-fixup-commits", title="Fixup commits", topic="git/rebase", category="WORKFLOW",
        keywords="git, fixup, autosquash, rebase, commit", age=25,
        body="Make `git commit --fixup <hash>`, then rebase. Never after a push to main.",
    )  # fmt: skip


def _long() -> Iterator[Memory]:
    steps = "\n".join(
        f"- Step {number}: the worker {number} reads queue {number % 4} every {number * 5} seconds; it must not read "
        f"queue {(number + 1) % 4}, because messages there are not idempotent and were lost twice in incident {number}."
        for number in range(1, 31)
    )
    story = " ".join(
        f"In week {number} the team tried setting number {number} and the latency was {number * 7} ms at the median. "
        "Everybody agreed that this was interesting to watch on the dashboard during lunch."
        for number in range(1, 31)
    )
    yield Memory(
        slug="queue-workers", title="How the queue workers are laid out", topic="messaging/workers",
        category="PATTERN", keywords="queue, worker, idempotent, incident, latency", age=45, count=4, used=8,
        body=f"Never let a worker:\n\n- read two queues\n- write without a key\n\n{steps}\n\n"
        "```toml\n[worker]\nconcurrency = 4\n```\n",
    )  # fmt: skip
    yield Memory(
        slug="latency-diary", title="Diary of the latency hunt", topic="performance/latency", category="INSIGHT",
        keywords="latency, dashboard, median, setting", age=100, count=2, used=33, body=story,
    )  # fmt: skip
    yield Memory(
        slug="日志规范", title="日志规范", topic="logging/standard", category="PATTERN",
        keywords="日志, 规范, 字段, 级别", age=40, count=2, used=5,
        body="".join(
            f"第{number}条:日志必须包含字段{number},禁止写入密码。大家讨论过很多次。" for number in range(1, 71)
        ),
    )  # fmt: skip


def _untidy() -> Iterator[Memory]:
    yield Memory(
        slug="few-words", title="asyncio and blocking calls", topic="Python/Asyncio/", category="TECHNIQUE",
        keywords="asyncio", age=14, count=1, used=2,
        body="A blocking call in a coroutine stops the event loop. Use `asyncio.to_thread` for it.",
    )  # fmt: skip
    yield Memory(
        slug="double-words", title="Timeouts of the gateway", topic="networking/gateway", category="CONFIG",
        keywords="Gateway, gateway, timeout, nginx, Nginx", age=14, count=1, used=2,
        body="The gateway waits 30 s; set `proxy_read_timeout` to 35 s, not more.",
    )  # fmt: skip
    yield Memory(
        slug="no-topic", title="pytest -x stops at the first failure", topic="", category="TECHNIQUE",
        keywords="pytest, failure, option, first", age=10, count=1, used=1, body="`pytest -x` saves time.",
    )  # fmt: skip


def _retired() -> Iterator[Memory]:
    for number, days in enumerate((30, 9, 2)):
        yield Memory(
            slug=f"gone-{number}", title=f"Retired finding {number}", topic="infra/hosts", category="CONFIG",
            keywords=f"gone-{number}", age=400, body="Nobody needs this.",
            more=f"status: tombstoned\ntombstoned_at: {ago(days)}\ntombstone_reason: purge\n",
        )  # fmt: skip
