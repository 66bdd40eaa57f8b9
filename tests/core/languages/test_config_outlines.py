"""Keys and targets of configuration languages, with their nesting, lines and docs."""

from __future__ import annotations

import pytest

from codeviews.core.facts import FileFacts
from codeviews.core.languages import extractor


def facts_of(language: str, text: str, path: str = "x") -> FileFacts:
    return extractor(language)(path, text.encode())


def outline_of(facts: FileFacts) -> list[str]:
    return [f"{s.kind} {s.qualname} {s.start_line}-{s.end_line}" for s in facts.symbols[1:]]


YAML = """\
# Builds and publishes.
name: build
on: [push]
jobs:
  # Runs the tests.
  test:
    runs-on: linux
    steps:
    - name: Check out
      uses: checkout
    - run: |
        make: all
        echo done
      env:
        "MODE": 'x: y'
  publish: {needs: test}
# end
url: http://host:80/a
list:
  - one
  - key: two
"""


def test_yaml_keys_are_nested_and_block_text_is_not_read_as_keys() -> None:
    facts = facts_of("yaml", YAML)
    assert facts.symbols[0].doc == "Builds and publishes."
    assert outline_of(facts) == [
        "key name 2-2",
        "key on 3-3",
        "key jobs 4-17",
        "key jobs.test 6-15",
        "key jobs.test.runs-on 7-7",
        "key jobs.test.steps 8-15",
        "key jobs.test.steps.Check out 9-10",
        "key jobs.test.steps.Check out.uses 10-10",
        "key jobs.test.steps.run 11-13",
        "key jobs.test.steps.env 14-15",
        "key jobs.test.steps.env.MODE 15-15",
        "key jobs.publish 16-17",
        "key url 18-18",
        "key list 19-21",
        "key list.two 21-21",
    ]
    test = facts.symbols[4]
    assert (test.doc, test.signature) == ("Runs the tests.", "test:")


TOML = '''\
[build]
requires = ["a", # not [a table]
  "b"]
text = """
[not.a.table]
key = 1
"""

# Where it lives.
[tool."my tool".paths]
a.b = 1
[[item]]
name = "x"
'''


def test_toml_tables_hold_their_keys_and_strings_hold_nothing() -> None:
    facts = facts_of("toml", TOML)
    assert outline_of(facts) == [
        "key build 1-9",
        "key build.requires 2-3",
        "key build.text 4-9",
        "key tool.mytool.paths 10-11",
        "key tool.mytool.paths.a.b 11-11",
        "key item 12-13",
        "key item.name 13-13",
    ]
    assert facts.symbols[4].doc == "Where it lives."


JSON = """\
{
  // a comment, with "quotes": 1
  "name": "x",
  "scripts": {"test": "run \\"it\\"", "lint": [1, {"deep": {"er": 2}}]},
  "last": [
    {"id": 1},
    {"id": 2}
  ]
}
"""


def test_json_keys_have_exact_spans_on_one_line_too() -> None:
    facts = facts_of("json", JSON)
    assert outline_of(facts) == [
        "key name 3-3",
        "key scripts 4-4",
        "key scripts.test 4-4",
        "key scripts.lint 4-4",
        "key scripts.lint.deep 4-4",
        "key scripts.lint.deep.er 4-4",
        "key last 5-8",
        "key last.id 6-6",
        "key last.id#2 7-7",
    ]
    source = JSON.encode()
    spans = {s.qualname: source[s.start_byte : s.end_byte].decode() for s in facts.symbols[1:]}
    assert spans["scripts.test"] == '"test": "run \\"it\\""'
    assert spans["scripts.lint.deep"] == '"deep": {"er": 2}'
    assert spans["last"] == '"last": [\n    {"id": 1},\n    {"id": 2}\n  ]'


def test_large_json_lists_its_outermost_keys_only() -> None:
    rows = ",".join(f'{{"id": {i}, "text": "{"x" * 30}"}}' for i in range(25_000))
    facts = facts_of("json", f'{{"rows": [{rows}], "count": {{"all": 1}}}}')
    assert outline_of(facts) == ["key rows 1-1", "key count 1-1"]


INI = """\
top = 1
[server]
; Port to listen on.
port: 80
hosts =
    a.example
    b.example
[server.tls]
cert=/etc/x.pem
"""


def test_ini_sections_hold_their_keys() -> None:
    facts = facts_of("ini", INI)
    assert outline_of(facts) == [
        "key top 1-1",
        "key server 2-7",
        "key server.port 4-4",
        "key server.hosts 5-7",
        "key server.tls 8-9",
        "key server.tls.cert 9-9",
    ]
    assert facts.symbols[3].doc == "Port to listen on."


DOCKERFILE = """\
# syntax=docker/dockerfile:1
FROM python:3.12 AS build
ARG VERSION=1
# Installs what is needed.
RUN apt-get update \\
 && apt-get install -y make
RUN <<EOF
ENV not an instruction
EOF
FROM scratch
COPY --from=build /app /app
ENTRYPOINT ["/app"]
"""


def test_dockerfile_stages_hold_their_instructions() -> None:
    facts = facts_of("dockerfile", DOCKERFILE)
    assert outline_of(facts) == [
        "target build 2-9",
        "key build.VERSION 3-3",
        "key build.RUN 5-6",
        "key build.RUN#2 7-9",
        "target scratch 10-12",
        "key scratch.COPY 11-11",
        "key scratch.ENTRYPOINT 12-12",
    ]
    assert facts.symbols[3].doc == "Installs what is needed."


SQL = """\
-- People who buy.
CREATE TABLE IF NOT EXISTS shop."customer" (
    id integer PRIMARY KEY,
    name text DEFAULT 'a;b',
    CONSTRAINT one UNIQUE (name)
);
create or replace view shop.active as
select * from shop.customer;
CREATE FUNCTION total(a int) RETURNS int AS $$
BEGIN
  RETURN 1;
END;
$$ LANGUAGE plpgsql;
CREATE PROCEDURE clean()
BEGIN
  IF a THEN DELETE FROM t; END IF;
END;
CREATE UNIQUE INDEX by_name ON shop.customer (name);
INSERT INTO t VALUES ('CREATE TABLE no (');
"""


def test_sql_statements_span_to_their_semicolon() -> None:
    facts = facts_of("sql", SQL)
    assert outline_of(facts) == [
        "target shop.customer 2-6",
        "key shop.customer.id 3-3",
        "key shop.customer.name 4-4",
        "target shop.active 7-8",
        "target total 9-13",
        "target clean 14-17",
        "target by_name 18-18",
    ]
    assert facts.symbols[1].doc == "People who buy."


MAKEFILE = """\
# Builds everything.
include common.mk config.mk
CC ?= gcc
SRC := a.c \\
       b.c
obj-$(CONFIG_X) += x.o
SRC += c.c
ifeq ($(A),b:c)
endif
define recipe
all: not a target
endef
# Runs the tests.
.PHONY: test
test all: $(SRC) | build
\t@run --all
ifdef V

\techo $(V)
endif
%.o: %.c
\t$(CC) -c $<
export PATH := /bin
"""


def test_makefile_targets_span_their_recipe() -> None:
    facts = facts_of("makefile", MAKEFILE)
    assert outline_of(facts) == [
        "key CC 3-3",
        "key SRC 4-5",
        "key obj-$(CONFIG_X) 6-6",
        "key recipe 10-12",
        "target .PHONY 14-14",
        "target test all 15-19",
        "target %.o 21-22",
        "key PATH 23-23",
    ]
    assert [imported.module for imported in facts.imports] == ["common.mk", "config.mk"]


KCONFIG = """\
menu "File systems"
config FOO_FS
\ttristate "Foo file system"
\tdepends on BLOCK
\thelp
\t  Stores things.

\t  config lines in help are text.

choice
\tprompt "Default"
config A
\tbool "a"
endchoice
endmenu
source "fs/foo/Kconfig"
menuconfig BAR
\tbool
"""


def test_kconfig_options_are_named_as_the_code_sees_them() -> None:
    facts = facts_of("kconfig", KCONFIG)
    assert outline_of(facts) == [
        "heading File systems 1-16",
        "key File systems.CONFIG_FOO_FS 2-8",
        "heading File systems.Default 10-16",
        "key File systems.Default.CONFIG_A 12-13",
        "key CONFIG_BAR 17-18",
    ]
    option = facts.symbols[2]
    assert option.name == "CONFIG_FOO_FS"
    assert option.signature == "config FOO_FS: tristate Foo file system"
    assert option.doc == "Stores things.  config lines in help are text."
    assert [imported.module for imported in facts.imports] == ["fs/foo/Kconfig"]


HTML = """\
{% extends "base.html" %}
<title>Shop &mdash; {{ name }}</title>
{% block content %}
<h1 class="big">All <em>things</em></h1>
<div id="list">
  {% include 'row.html' %}
  {% block row %}{% endblock %}
</div>
{% endblock content %}
{% macro button(text) %}
<button id=go>{{ text }}</button>
{% endmacro %}
<h2>Later</h2>
<script src="/static/a.js"></script>
"""


def test_html_templates_show_blocks_macros_headings_ids_and_includes() -> None:
    facts = facts_of("html", HTML)
    assert facts.symbols[0].doc == "Shop &mdash;"
    assert outline_of(facts) == [
        "target content 3-9",
        "heading content.All things 4-6",
        "key content.All things.list 5-5",
        "target content.row 7-7",
        "target button 10-12",
        "key button.go 11-11",
        "heading Later 13-14",
    ]
    imports = [imported.module for imported in facts.imports]
    assert imports == ["base.html", "row.html", "/static/a.js"]


CONFIG = ["yaml", "toml", "json", "ini", "dockerfile", "sql", "makefile", "kconfig", "html"]


@pytest.mark.parametrize("language", CONFIG)
def test_windows_line_ends_change_nothing(language: str) -> None:
    texts = dict(
        zip(CONFIG, [YAML, TOML, JSON, INI, DOCKERFILE, SQL, MAKEFILE, KCONFIG, HTML], strict=True)
    )
    text = texts[language]
    windows = facts_of(language, text.replace("\n", "\r\n"))
    assert outline_of(windows) == outline_of(facts_of(language, text))
