"""The Messages API with tools. Needs ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL is used if set."""

from anthropic import Anthropic
from weather import toolset

client = Anthropic()
bound = toolset.bind("anthropic")
messages = [{"role": "user", "content": "Where is it warmer, in Oslo or in Cairo?"}]


def ask():
    with client.messages.stream(
        model="claude-sonnet-4-5", max_tokens=1000, messages=messages, **bound.request()
    ) as stream:
        for text in stream.text_stream:
            print(text, end="", flush=True)
        return stream.get_final_message()


while True:
    ran = bound.run(ask())
    messages += ran  # the model's turn, then the results of its calls
    if ran.is_final:
        break
print()
