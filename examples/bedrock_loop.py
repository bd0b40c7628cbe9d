"""Converse with tools. Needs AWS credentials; AWS_ENDPOINT_URL_BEDROCK_RUNTIME is used if set."""

import boto3
from weather import toolset

client = boto3.client("bedrock-runtime")
bound = toolset.bind("bedrock")
messages = [{"role": "user", "content": [{"text": "Where is it warmer, in Oslo or in Cairo?"}]}]


def ask():
    answer = client.converse_stream(
        modelId="amazon.nova-lite-v1:0", messages=messages, **bound.request()
    )
    for event in answer["stream"]:
        print(event.get("contentBlockDelta", {}).get("delta", {}).get("text", ""), end="")
        yield event


while True:
    ran = bound.run(ask())
    messages += ran  # the model's turn, then the results of its calls
    if ran.is_final:
        break
print()
