"""Histories whose every call, result and word is known, in any shape, to every provider."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stories.laws import check_back, check_switch, examples
from tests.stories.story import stories
from tests.stories.wires import FAMILIES, NAMED, request
from toolcanon.errors import NotAConversation

every_source = pytest.mark.parametrize("source", FAMILIES)
TARGETS = st.sampled_from([*FAMILIES, "openai/strict", "vercel"])


@every_source
@given(data=st.data(), target=TARGETS)
@examples(40)
def test_usual_histories_keep_every_law(source, data, target):
    story = data.draw(stories(odd=False, named=NAMED[source]))
    given_ = request(source, story)
    check_switch(given_, source, target, story, whole=True)
    check_back(given_, source, target)


@every_source
@given(data=st.data(), target=TARGETS)
@examples(60)
def test_odd_histories_keep_every_law(source, data, target):
    named = "maybe" if source in {"openai", "gemini"} else NAMED[source]
    story = data.draw(stories(odd=True, named=named))
    given_ = request(source, story)
    try:
        check_switch(given_, source, target, story)
    except NotAConversation:
        assert story.strays  # a list that holds something else may be refused as a whole
