"""What the official SDK makes of a gateway: one JSON object a line.

Arguments: the base URL, the credential, the scenario.
"""

import json
import sys
import time

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
elif scenario == "retry":
    # The first uses the limit up, the second comes through after the wait that
    # the SDK reads from the refusal.
    chat()
    began = time.monotonic()
    chat()
    say(waited=time.monotonic() - began)
elif scenario == "refused":
    chat()
    try:
        chat()
    except openai.RateLimitError as e:
        say(
            error=type(e).__name__,
            status=e.status_code,
            code=e.code,
            type=e.type,
            message=e.message,
            body=e.body,
        )
