"""Words that tell the field a text belongs to: the keyword domain map of SM-24, as data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

_TABLE = """
ai/agents           agent agents агент агенты 智能体
ai/llm              llm gpt openai anthropic claude prompt prompts нейросеть промпт 大模型 提示词
ai/retrieval        rag embedding embeddings reranker 向量检索 知识库
android             android kotlin
cloud/aws           aws lambda cloudfront dynamodb
cloud/terraform     terraform
containers/docker   docker dockerfile docker-compose podman
containers/kubernetes   kubernetes kubectl helm k8s
css                 flexbox tailwind stylesheet
data/pandas         pandas dataframe numpy
database/mongodb    mongodb mongoose
database/mysql      mysql mariadb innodb
database/postgresql postgres postgresql pgvector psql asyncpg psycopg
database/redis      redis
database/sql        sql sqlite database databases базы данных 数据库 索引
git                 git rebase gitignore worktree git-hooks
go                  golang goroutine goroutines
java                java jvm gradle maven 线程池 虚拟机
java/spring         spring spring-boot springboot mybatis
javascript          javascript npm eslint webpack
javascript/node     node.js nodejs express
javascript/react    react jsx usestate useeffect хуки 组件
javascript/vue      vue vuejs pinia
typescript          typescript tsconfig
latex               latex bibtex
linux               systemd systemctl journalctl apt-get
lua                 luajit luarocks
messaging           kafka rabbitmq rocketmq mqtt 消息队列
neovim              neovim nvim vimscript
neovim/lsp          lspconfig
neovim/plugins      telescope lazy.nvim treesitter
networking          tcp dns nginx http https 网络协议
nix                 nixos nixpkgs
php                 php laravel composer
python              python pip pypi asyncio pydantic
python/testing      pytest hypothesis unittest
python/uv           uv
python/web          fastapi django flask
ruby                ruby rails bundler
rust                rust cargo tokio rustc
security            oauth jwt csrf tls шифрование 加密 认证
shell               bash zsh shellcheck
testing             playwright selenium cypress tdd тестирование 测试
tools/ci            github-actions gitlab-ci jenkins
tools/obsidian      obsidian
"""


@lru_cache(maxsize=1)
def domains() -> Mapping[str, str]:
    """From a word, folded, to its topic."""
    found: dict[str, str] = {}
    for line in _TABLE.strip().splitlines():
        topic, *words = line.split()
        for word in words:
            found.setdefault(word, topic)
    return found
