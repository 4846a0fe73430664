"""How OpenAI's SDK chats through a gateway: one JSON object a line.

Arguments: the base URL, the credential, the scenario.
"""

import json
import sys

import openai

base_url, key, scenario = sys.argv[1:]
client = openai.OpenAI(base_url=base_url + "/v1", api_key=key)


def say(**facts):
    print(json.dumps(facts), flush=True)


def chat(**options):
    return client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": "Say hello."}], **options
    )


if scenario == "chat":
    answer = chat()
    say(content=answer.choices[0].message.content, total_tokens=answer.usage.total_tokens)
    raw = client.chat.completions.with_raw_response.create(
        model="gpt-4o", messages=[{"role": "user", "content": "Say hello."}]
    )
    say(remaining=raw.headers["x-ratelimit-remaining-requests"])
elif scenario == "stream":
    words = "".join(c.choices[0].delta.content or "" for c in chat(stream=True) if c.choices)
    say(content=words)
