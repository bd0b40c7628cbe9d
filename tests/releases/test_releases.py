"""What earlier releases have written is read: their receipts, lenses, lockfiles, stores."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import toolcanon as tc
from tests.conftest import ROOT
from toolcanon.cli import toolwatch
from toolcanon.lowering import Lens

RELEASES = sorted(path for path in Path(__file__).parent.iterdir() if path.name[0].isdigit())


def example(name):
    return json.loads((ROOT / "examples" / name).read_text("utf-8"))


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def release(request):
    """Return a reader of a release's files."""

    def load(name):
        return json.loads((request.param / name).read_text("utf-8"))

    load.folder = request.param
    return load


@pytest.fixture
def work(release, tmp_path, monkeypatch):
    """A folder with copies of everything: commands write into stores."""
    shutil.copytree(release.folder, tmp_path, dirs_exist_ok=True)
    for name in ("orders.v1.json", "orders.v2.json"):
        shutil.copyfile(ROOT / "examples" / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def status(*words):
    return CliRunner().invoke(toolwatch, words).exit_code


def test_there_is_a_release():
    assert RELEASES


def test_canonical_tool(release):
    (tool,) = tc.read(release("canonical.json"))
    (now,) = tc.read(example("deploy.mcp.json"))
    assert tool.model_dump() == now.model_dump()


def test_receipt_restores_definition_and_call(release):
    payload, receipt = release("payload.json"), release("receipt.json")
    back = tc.convert(payload, to="mcp", source="openai", receipt=receipt)
    assert back.payload == example("deploy.mcp.json")
    binding = tc.Binding.from_receipt(receipt)
    call = binding.restore("deploy", '{"service": "api", "replicas": null, "labels": []}')
    assert call.arguments == {"service": "api", "labels": {}}


def test_lens_restores_arguments(release):
    lens = Lens(release("lens.json"))
    wire = {"service": "api", "replicas": None, "labels": [{"key": "tier", "value": "web"}]}
    assert lens.restore(wire) == {"service": "api", "labels": {"tier": "web"}}


def test_receipt_of_a_conversation_brings_it_back(release):
    receipt = release("switch_receipt.json")
    back = tc.switch(release("switched.json"), "anthropic", source="openai", receipt=receipt)
    (given,) = tc.read_conversation(example("history.anthropic.json")).messages[1].calls
    messages = tc.read_conversation(back.payload).messages
    (call,) = messages[1].calls
    assert (call.name, call.arguments) == (given.name, given.arguments)
    assert messages[2].results[0].call_id == call.id


def test_lockfile_is_verified(work):
    shutil.copyfile("orders.v2.json", "changed.json")
    assert status("verify", "-q") == 0
    shutil.copyfile("changed.json", "orders.v1.json")
    assert status("verify", "-q") == 1


def test_store_knows_its_tools(work):
    assert status("--store", "store.db", "check", "orders.v2.json", "-q") == 1
    shutil.copyfile("orders.v1.json", "orders.v2.json")
    assert status("--store", "store.db", "check", "orders.v2.json", "-q") == 0
    assert status("--store", "store.db", "history", "list_orders") == 0


def test_baselines_are_imported(work):
    assert status("--store", "new.db", "import", "baselines.json") == 0
    assert status("--store", "new.db", "check", "orders.v1.json", "-q", "--require-baseline") == 0
