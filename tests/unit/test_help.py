"""Help: grouped by job, with examples, in eighty columns; former spellings work unseen."""

import json

import click
import pytest
from click.testing import CliRunner

from toolcanon.cli.main import toolcanon
from toolcanon.cli.watch import toolwatch

PROGRAMS = {"toolcanon": (toolcanon, 19), "toolwatch": (toolwatch, 15)}
TOOL = {"name": "f", "description": "d", "inputSchema": {"type": "object"}}


class Eighty(click.HelpFormatter):
    def __init__(self, **_):
        super().__init__(width=80)


def help_of(program, *words):
    group, _ = PROGRAMS[program]
    context = click.Context(group, info_name=program, **group.context_settings)
    command = group
    if words:
        command = group.get_command(context, words[0])
        context = click.Context(command, info_name=words[0], parent=context)
    context.formatter_class = Eighty
    return command.get_help(context)


PAGES = [
    (program, *name)
    for program, (group, _) in PROGRAMS.items()
    for name in ((), *((name,) for name in group.lazy))
]


@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_help_has_examples_and_fits_eighty_columns(page):
    shown = help_of(*page)
    examples = shown.partition("Examples:")[2].splitlines()[1:]
    assert examples
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert "--target" not in shown


@pytest.mark.parametrize("program", PROGRAMS)
def test_commands_are_grouped_by_job(program):
    group, most = PROGRAMS[program]
    shown = help_of(program)
    assert 1 < len(group.lazy) <= most
    assert "\nCommands:" not in shown
    for job, commands in group.groups.items():
        section = shown.partition(f"\n{job}:\n")[2].partition("\n\n")[0].splitlines()
        assert [line.split()[0] for line in section] == list(commands)
        assert all(line.endswith(".") for line in section)


LINES = [
    ["convert", "-"], ["check", "-", "--json"], ["show", "-"], ["emit", "-"],
    ["switch", "-"],
]  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_the_former_spelling_of_to_still_works(line):
    given = json.dumps(TOOL)
    target = "mcp"
    if line[0] == "switch":
        given, target = json.dumps([{"role": "user", "content": "Hi"}]), "gemini"
    if line[0] == "emit":
        given = CliRunner().invoke(toolcanon, ["canonicalize", "-"], input=given).stdout
    done = [
        CliRunner().invoke(toolcanon, [*line, option, target], input=given)
        for option in ("--to", "--target", "-t")
    ]
    assert {(one.exit_code, one.stdout) for one in done} == {(0, done[0].stdout)}


def test_a_missing_target_is_asked_for_by_its_name_of_today():
    done = CliRunner().invoke(toolcanon, ["convert", "-"], input=json.dumps(TOOL))
    assert (done.exit_code, "--target" in done.stderr) == (2, False)
    assert "'--to'" in done.stderr


@pytest.mark.parametrize(
    "program, line", [(toolcanon, ["fetch"]), (toolwatch, ["lock"]), (toolwatch, ["verify"])]
)
def test_a_client_s_file_has_an_option_of_its_own(program, line):
    done = CliRunner().invoke(program, [*line, "--config", ".mcp.json"])
    assert done.exit_code == 2
    assert "--config is for toolcanon.toml; use --client-config .mcp.json" in done.stderr


def test_the_former_group_is_named():
    done = CliRunner().invoke(toolcanon, ["watch", "lock"])
    assert (done.exit_code, "Did you mean 'toolwatch'?" in done.stderr) == (2, True)


def test_quiet_prints_nothing_beside_a_file(tmp_path):
    (tmp_path / "tool.json").write_text(json.dumps(TOOL), encoding="utf-8")
    out, known = tmp_path / "report.json", tmp_path / "known.json"
    for more in ([], ["--baseline", known, "--write-baseline"]):
        line = ["check", tmp_path / "tool.json", "-q", "--json", "-o", out, *more]
        done = CliRunner().invoke(toolcanon, list(map(str, line)))
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
        assert json.loads(out.read_text(encoding="utf-8"))["compatible"] is not None
    both = [str(tmp_path / "tool.json")] * 2
    done = CliRunner().invoke(toolcanon, ["diff", *both, "-q", "-o", str(out)])
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


def test_verify_without_a_lockfile_explains_how_to_get_one(tmp_path):
    done = CliRunner().invoke(toolwatch, ["verify", "--lock", str(tmp_path / "tools.lock")])
    assert done.exit_code == 2
    assert "toolwatch lock" in done.stderr
    assert "stdin" not in done.stderr
