"""generateContent with tools. Needs GEMINI_API_KEY; GOOGLE_GEMINI_BASE_URL is used if set."""

from google import genai
from weather import toolset

client = genai.Client()
bound = toolset.bind("gemini")
contents = [{"role": "user", "parts": [{"text": "Where is it warmer, in Oslo or in Cairo?"}]}]


def ask():
    for chunk in client.models.generate_content_stream(
        model="gemini-2.5-flash", contents=contents, **bound.request()
    ):
        parts = chunk.candidates[0].content.parts if chunk.candidates else ()
        for part in parts or ():
            print(part.text or "", end="", flush=True)
        yield chunk


while True:
    ran = bound.run(ask())
    contents += ran  # the model's turn, then the results of its calls
    if ran.is_final:
        break
print()
