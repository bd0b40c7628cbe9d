"""Chat Completions with tools, streamed. Needs OPENAI_API_KEY; OPENAI_BASE_URL is used if set."""

from openai import OpenAI
from weather import toolset

client = OpenAI()
bound = toolset.bind("openai", strict=True)
messages = [{"role": "user", "content": "Where is it warmer, in Oslo or in Cairo?"}]

while True:
    chunks = []
    for chunk in client.chat.completions.create(
        model="gpt-5", messages=messages, stream=True, **bound.request()
    ):
        if chunk.choices and chunk.choices[0].delta.content:
            print(chunk.choices[0].delta.content, end="", flush=True)
        chunks.append(chunk)
    ran = bound.run(chunks)
    messages += ran  # the model's turn, then the results of its calls
    if ran.is_final:
        break
print()
