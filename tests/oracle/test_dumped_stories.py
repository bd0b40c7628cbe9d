"""Histories of dumped SDK objects, in every way programs dump them, to every provider."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("anthropic")
pytest.importorskip("google.genai")
pytest.importorskip("openai")

from tests.referee.bodies import sdk_faults, with_item_ids
from tests.stories.dumps import KINDS, WAYS, dumped_request
from tests.stories.laws import check_switch, examples
from tests.stories.story import stories
from tests.stories.wires import FAMILIES, NAMED

NEEDED = {
    "openai": {"model": "m"},
    "openai-responses": {"model": "m"},
    "anthropic": {"model": "m", "max_tokens": 1},
    "gemini": {},
    "bedrock": {},
}
BOTH = [(family, kind) for family, kinds in KINDS.items() for kind in kinds]


@pytest.mark.parametrize("source, kind", BOTH)
@given(data=st.data(), target=st.sampled_from(FAMILIES), way=st.sampled_from(sorted(WAYS)))
@examples(20)
def test_dumped_turns_go_everywhere_whole(source, kind, data, target, way):
    story = data.draw(stories(odd=False, named=NAMED[source]))
    done = check_switch(dumped_request(source, story, kind, way), source, target, story, whole=True)
    payload = with_item_ids(done.payload)
    judged = {**NEEDED[target], **payload} if isinstance(payload, dict) else payload
    assert not sdk_faults(target, judged)
