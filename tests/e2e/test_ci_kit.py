"""What build servers run: the Action's script, the pre-commit hooks, the pytest recipe."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.commands import WATCH, run
from tests.e2e.test_check_tools import LOOSE, PLAIN, SEARCH, put

ROOT = Path(__file__).parents[2]
HOOKS = {
    hook["id"]: hook
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
DEEP = {"type": "string"}
for _ in range(12):
    DEEP = {"type": "object", "properties": {"a": DEEP}, "required": ["a"]}
REJECTED = {**PLAIN, "name": "deep", "inputSchema": DEEP}


def shell(command, folder, **environ):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, **environ},
        capture_output=True,
        check=False,
        timeout=120,
    )


def act(folder, **inputs):
    """The Action as its runner would start it: inputs in the environment, files for its answers."""
    return shell(
        ["bash", str(ROOT / "action" / "check.sh")],
        folder,
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
        GITHUB_OUTPUT=str(folder / "output"),
        **inputs,
    )


def test_the_action_annotates_sums_up_and_fails_the_build(tmp_path):
    put(tmp_path, "tools.json", [PLAIN, REJECTED], indent=2)
    done = act(tmp_path, PATHS="tools.json", SARIF="out.sarif")
    assert done.returncode == 1
    line = next(x for x in done.stdout.decode().splitlines() if x.startswith("::error "))
    assert re.match(r"::error file=tools\.json,line=\d+,col=\d+,title=C202 strict-refused::", line)
    assert "| `deep` |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "output").read_text(encoding="utf-8") == "status=1\n"
    sarif = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))
    assert sarif["runs"][0]["results"][0]["ruleId"] == "C202"


def test_the_action_passes_valid_files(tmp_path):
    put(tmp_path, "a.json", PLAIN)
    put(tmp_path, "b.json", SEARCH)
    done = act(tmp_path, PATHS="a.json\nb.json", TARGETS="anthropic,mcp", FAIL_ON="warning")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(("paths", "status"), [("nowhere.json", 2), ("", 1)])
def test_the_action_reports_missing_inputs(tmp_path, paths, status):
    done = act(tmp_path, PATHS=paths)
    assert done.returncode == status
    assert done.stderr


def locked(folder, *tools):
    put(folder, "tools.json", list(tools), indent=2)
    with contextlib.chdir(folder):
        done = run("lock", "tools.json", "-q", module=WATCH)
    assert done.returncode == 0, done.stderr


def test_the_action_compares_tools_with_a_lockfile(tmp_path):
    locked(tmp_path, PLAIN, SEARCH)
    fine = act(tmp_path, LOCK="tools.lock")
    assert fine.returncode == 0, fine.stderr
    assert act(tmp_path, LOCK="tools.lock", REQUIRE_APPROVED="true").returncode == 1
    (tmp_path / "summary.md").unlink()
    put(tmp_path, "tools.json", [{**PLAIN, "description": "Say nothing."}, SEARCH])
    done = act(tmp_path, LOCK="tools.lock", SARIF="out.sarif", AGREE="one\ntwo")
    assert done.returncode == 1
    lines = (tmp_path / "tools.lock").read_text(encoding="utf-8").splitlines()
    block = next(number for number, line in enumerate(lines, 1) if '"ping": {' in line)
    assert f"file=tools.lock,line={block}," in done.stdout.decode()
    assert "ping" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    sarif = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))
    assert sarif["runs"][0]["results"][0]["ruleId"].startswith("D4")


def test_the_action_checks_and_verifies_with_the_worse_status(tmp_path):
    locked(tmp_path, PLAIN)
    done = act(tmp_path, PATHS="tools.json", LOCK="tools.lock", SARIF="out.sarif")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.glob("*.sarif")} == {"out.sarif", "out.lock.sarif"}
    put(tmp_path, "tools.lock", "<<<<<<< ours")
    assert act(tmp_path, PATHS="tools.json", LOCK="tools.lock").returncode == 2
    assert (tmp_path / "output").read_text(encoding="utf-8").endswith("status=2\n")


def test_the_hook_holds_tools_to_the_lockfile(tmp_path):
    hook = HOOKS["toolwatch-verify"]
    assert hook["pass_filenames"] is False
    for name in ("tools.lock", "src/tools.json", ".mcp.json"):
        assert re.search(hook["files"], name)
    assert not re.search(hook["files"], "package-lock.json")
    locked(tmp_path, PLAIN)
    command = hook["entry"].split()
    assert hook["entry"].split()[0] == "toolwatch"
    assert shell(command, tmp_path).returncode == 0
    put(tmp_path, "tools.json", [SEARCH])
    assert shell(command, tmp_path).returncode == 1


def test_the_action_puts_no_input_into_a_script():
    action = yaml.safe_load((ROOT / "action" / "action.yml").read_text(encoding="utf-8"))
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"]
    used = {
        name
        for step in action["runs"]["steps"]
        for value in [step.get("if", ""), *step.get("env", {}).values()]
        for name in re.findall(r"inputs\.([a-z-]+)", value)
    }
    assert used == set(action["inputs"])


@pytest.mark.parametrize(
    ("hook", "tool", "status"),
    [
        ("toolcanon-check", PLAIN, 0),
        ("toolcanon-check", REJECTED, 1),
        ("toolcanon-fix", LOOSE, 0),
    ],
)
def test_hooks_run_on_the_files_they_name(tmp_path, hook, tool, status):
    name = put(tmp_path, "tools.json", tool)
    assert re.search(HOOKS[hook]["files"], f"src/{name}")
    assert not re.search(HOOKS[hook]["files"], "package.json")
    done = shell([*HOOKS[hook]["entry"].split(), name], tmp_path)
    assert done.returncode == status
    changed = json.loads((tmp_path / name).read_text(encoding="utf-8")) != tool
    assert changed is (hook == "toolcanon-fix")


def test_the_recipe_for_pytest(tmp_path):
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    recipe = next(
        code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def test_" in code
    )
    put(tmp_path, "tools.json", [PLAIN])
    put(tmp_path, "test_tools.py", recipe)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tools.py"]
    assert shell(command, tmp_path).returncode == 0
    put(tmp_path, "tools.json", [REJECTED])
    done = shell(command, tmp_path)
    assert done.returncode == 1
    assert b"deep: rejected for openai/strict" in done.stdout
