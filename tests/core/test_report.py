from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.report import (
    CONFIG,
    DOTTED,
    IDENTIFIER,
    KINDS,
    LITERAL,
    MODULE,
    PATH,
    SUBJECT,
    WORD,
    understand,
)


def texts(report: str, kind: str) -> set[str]:
    return {clue.text for clue in understand(report).of(kind)}


def frames(report: str) -> list[tuple[int, int, str, str, int]]:
    return [(f.trace, f.depth, f.function, f.path, f.line) for f in understand(report).frames]


def test_python_frames_count_from_the_innermost_which_is_printed_last() -> None:
    report = """Saving fails
Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/shop/views.py", line 12, in checkout
    order.save()
  File "/home/me/env/lib/python3.11/site-packages/shop/models.py", line 80, in save
    raise ValueError("order has no lines yet")
ValueError: order has no lines yet
"""
    assert frames(report) == [
        (0, 0, "save", "shop/models.py", 80),
        (0, 1, "checkout", "shop/views.py", 12),
    ]
    assert texts(report, LITERAL) == {"order has no lines yet"}


def test_pytest_short_traceback_is_one_trace() -> None:
    report = """it breaks

lib/core/expr.py:124: in __eq__
    other = convert(other)
lib/core/convert.py:385: in convert
    return parse(a)
"""
    assert frames(report) == [
        (0, 0, "convert", "lib/core/convert.py", 385),
        (0, 1, "__eq__", "lib/core/expr.py", 124),
    ]


def test_prefixed_internal_errors_are_still_frames() -> None:
    report = """Crash
INTERNALERROR> Traceback (most recent call last):
INTERNALERROR>   File "/x/site-packages/run/main.py", line 9, in wrap
INTERNALERROR>     return go()
INTERNALERROR>   File "/x/site-packages/run/go.py", line 3, in go
INTERNALERROR>     raise Stop
"""
    assert frames(report) == [(0, 0, "go", "run/go.py", 3), (0, 1, "wrap", "run/main.py", 9)]


def test_kernel_call_trace_keeps_order_modules_and_doubt() -> None:
    report = """NULL pointer on unplug
[    6.520042] BUG: unable to handle kernel NULL pointer dereference at (null)
[    6.520066] IP: [<ffffffffa072cc3b>] codec_unsol_event+0x38b/0x577 [snd_codec_x]
[    6.520103] Call Trace:
[    6.520110]  [<ffffffffa072a185>] ? codec_init+0x15e/0x2f1 [snd_codec_x]
[    6.520120]  probe_one.isra.4+0x10/0x20
"""
    report_read = understand(report)
    assert [(f.function, f.module, f.depth, f.sure) for f in report_read.frames] == [
        ("codec_unsol_event", "snd_codec_x", 0, True),
        ("codec_init", "snd_codec_x", 0, False),
        ("probe_one", "", 1, True),
    ]
    assert "snd_codec_x" in texts(report, MODULE)
    assert any("unable to handle kernel" in text for text in texts(report, LITERAL))


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("EIP is at drop_ring+0x14/0x50", ("drop_ring", "", 0, "")),
        ("RIP  [<ffffffff8117d603>] link_up+0x15e/0x65f", ("link_up", "", 0, "")),
        (
            "RIP: 0010:[<ffffffff8023d5d0>]  [<ffffffff8023d5d0>] tell+0x66/0x194 [acme]",
            ("tell", "", 0, "acme"),
        ),
        (
            "WARNING: CPU: 2 PID: 72 at drivers/acme/rx.c:1142 rx_done+0x47a/0x5f0 [acme]",
            ("rx_done", "drivers/acme/rx.c", 1142, ""),
        ),
        ("kernel BUG: at mm/pool.c:7", ("", "mm/pool.c", 7, "")),
    ],
)
def test_where_a_kernel_stopped_is_told_apart_from_the_calls_that_led_there(
    printed: str, expected: tuple[str, str, int, str]
) -> None:
    report = f"Crash on unplug\n[    6.52] {printed}\n[    6.53] caller_one+0x10/0x20\n"
    fault, called = understand(report).frames
    assert (fault.function, fault.path, fault.line, fault.module) == expected
    assert fault.fault
    assert (called.function, called.fault) == ("caller_one", False)


def test_a_title_that_tells_where_the_kernel_stopped_is_still_a_title() -> None:
    report = understand("WARNING: at drivers/acme/rx.c:9 rx_done+0x1/0x2\nIt is slow since then\n")
    assert report.title.startswith("WARNING: at drivers/acme/rx.c")
    assert [frame.function for frame in report.frames] == ["rx_done"]


def test_words_of_a_trackers_fields_and_the_initials_of_their_phrases() -> None:
    report = "Share hangs\nProduct: File System\nComponent: Net-Shares / Other\n\nIt hangs.\n"
    assert texts(report, SUBJECT) == {"fs", "system", "net", "shares"}
    assert texts("Share hangs\nIt stops.\n", SUBJECT) == set()


def test_the_machine_of_a_report_weighs_little() -> None:
    report = "Pad is dead\nHardware Environment: Acmebook T41\nThe acmepad stopped.\n"
    weight = {clue.text: clue.weight for clue in understand(report).of(WORD)}
    assert weight["acmebook"] < weight["acmepad"] / 2


def test_a_driver_before_the_colon_of_a_title_is_a_module() -> None:
    assert texts("acmewifi: queue hangs\nIt hangs for hours.\n", MODULE) == {"acmewifi"}


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (
            "    #0 0x51eac9 in read_size /home/u/proj/frontend/read.c:355:29\n"
            "    #1 0x517c4d in parse frontend/read.c:766:19\n",
            [
                (0, 0, "read_size", "proj/frontend/read.c", 355),
                (0, 1, "parse", "frontend/read.c", 766),
            ],
        ),
        (
            "#0  tone_free (t=0x0) at src/tone.c:41\n#1  0x0000555 in main () at src/main.c:9\n",
            [(0, 0, "tone_free", "src/tone.c", 41), (0, 1, "main", "src/main.c", 9)],
        ),
        (
            "goroutine 1 [running]:\n"
            "github.com/acme/tool/scan.(*Server).Detect(0xc000, 0x1)\n"
            "\t/root/go/src/github.com/acme/tool/scan/server.go:88 +0x1d\n"
            "main.main()\n"
            "\t/tmp/main.go:5 +0x2\n",
            [(0, 0, "Server.Detect", "scan/server.go", 88), (0, 1, "main", "main.go", 5)],
        ),
        (
            "TypeError: x is undefined\n    at Queue.push (/app/src/queue.js:10:5)\n"
            "    at /app/src/index.js:3:1\n",
            [(0, 0, "Queue.push", "src/queue.js", 10), (0, 1, "", "src/index.js", 3)],
        ),
        (
            "\tat com.acme.Store.load(Store.java:61)\n\tat com.acme.Main.main(Main.java)\n",
            [
                (0, 0, "com.acme.Store.load", "Store.java", 61),
                (0, 1, "com.acme.Main.main", "Main.java", 0),
            ],
        ),
        (
            "   3: tool::lexer::next_token\n             at ./src/lexer.rs:77:9\n"
            "   4: tool::main\n             at ./src/main.rs:4:5\n",
            [
                (0, 0, "tool::lexer::next_token", "src/lexer.rs", 77),
                (0, 1, "tool::main", "src/main.rs", 4),
            ],
        ),
        (
            "thread 'main' panicked at src/args.rs:12:5:\n",
            [(0, 0, "", "src/args.rs", 12)],
        ),
        (
            "from lib/cart.rb:8:in `total'\nfrom lib/cart.rb:3:in 'Cart#pay'\n",
            [(0, 0, "total", "lib/cart.rb", 8), (0, 1, "Cart#pay", "lib/cart.rb", 3)],
        ),
        (
            "#0 /srv/site/src/Mailer.php(40): App\\Mailer->send()\n",
            [(0, 0, "App\\Mailer->send", "srv/site/src/Mailer.php", 40)],
        ),
        (
            "   at Acme.Cart.Add(Item item) in /src/Cart.cs:line 21\n",
            [(0, 0, "Acme.Cart.Add", "src/Cart.cs", 21)],
        ),
    ],
)
def test_frames_of_each_runtime(
    printed: str, expected: list[tuple[int, int, str, str, int]]
) -> None:
    assert frames("It crashes\n" + printed) == expected


def test_names_in_prose_code_and_back_ticks() -> None:
    report = """`resolve` ignores Registry.default_scope

The lookup in `lookup_table` calls HttpClient::get_once and then `drop`.

```python
from acme.scope import Scope, Frame
class MyThing:
    pass
Scope(MyThing()).enter(depth=2)
```
"""
    by_name = {clue.text: clue for clue in understand(report).of(IDENTIFIER)}
    assert {"resolve", "lookup_table", "HttpClient", "get_once", "drop", "Scope", "Frame"} <= set(
        by_name
    )
    assert by_name["resolve"].weight > by_name["lookup_table"].weight > by_name["Frame"].weight
    assert by_name["MyThing"].own
    assert not by_name["Scope"].own
    assert {"Registry.default_scope", "HttpClient.get_once", "acme.scope.Scope"} <= texts(
        report, DOTTED
    )
    assert "acme.scope" in texts(report, MODULE)


def test_paths_lose_the_reporters_machine() -> None:
    report = """Wrong colour
See /usr/lib/python3/dist-packages/acme/paint/brush.py:77 and a/src/main.c,
https://forge.example/acme/paint/blob/main/acme/paint/canvas.py#L12 or core/io.
"""
    assert texts(report, PATH) == {
        "acme/paint/brush.py:77",
        "src/main.c",
        "acme/paint/canvas.py:12",
        "core/io",
    }


def test_log_lines_give_their_constant_words_once() -> None:
    line = "[   73.934901] foo_bus 0000:00:13.0: completion wait timed out after 20ms\n"
    report = "Bus is slow\n" + line * 500
    assert texts(report, LITERAL) == {"completion wait timed out after"}
    assert texts(report, MODULE) == {"foo_bus"}
    assert texts(report, WORD) >= {"completion", "wait", "timed"}


def test_options_settings_and_constants_are_config_keys() -> None:
    report = "`--no-header` and CONFIG_SENSORS_X are ignored, so is UPLOAD_MODE\n"
    assert texts(report, CONFIG) == {"no-header", "CONFIG_SENSORS_X", "UPLOAD_MODE"}


def test_templates_versions_and_hardware_lists_are_noise() -> None:
    report = """Legend overlaps the axis
<!-- Thank you for taking the time to fill this in -->
- [x] I searched for duplicates

### Environment
Ubuntu wonderland
numpy==1.2.3

### Description
The legend hides ticks.
Python: 3.11.2
RAX: 0000000000000000 RBX: ffff88007954d000
"""
    words = texts(report, WORD)
    assert {"legend", "overlaps", "axis", "hides", "ticks"} == words


def test_exception_messages_are_literals_without_their_values() -> None:
    report = "Bad\n\nacme.errors.LoadError: could not open archive 'x' while a writer has it\n"
    assert texts(report, LITERAL) == {"could not open archive", "while a writer has it"}
    assert "LoadError" in texts(report, IDENTIFIER)


def test_a_bare_list_of_names_is_a_query_too() -> None:
    assert texts("AVI_read_frame avi_read avidmx_process", IDENTIFIER) == {
        "AVI_read_frame",
        "avi_read",
        "avidmx_process",
    }


def test_other_languages_give_words() -> None:
    assert {"ошибка", "сохранении"} <= texts("Ошибка при сохранении файла", WORD)


def test_the_title_outweighs_the_body() -> None:
    weights = {clue.text: clue.weight for clue in understand("legend\n\nticks").of(WORD)}
    assert weights["legend"] > weights["ticks"]


def test_clues_of_a_long_log_are_bounded() -> None:
    report = understand("\n".join(json.dumps({f"key_{n}": "v" * 40}) for n in range(4_000)))
    assert {kind: len(report.of(kind)) <= 200 for kind in KINDS} == dict.fromkeys(KINDS, True)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_understood_and_the_same_each_time(text: str) -> None:
    assert understand(text) == understand(text)
