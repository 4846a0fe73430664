"""What the Python SDKs make of a gateway: one JSON object for each call.

Arguments: the SDK, the gateway's URL, and groups of calls, a JSON list of
{"key": a credential, "calls": [{"id": …, "retries": whether the SDK may retry}]}.
The calls of a group follow one another, groups run side by side. Every request
names its call in the header x-call.
"""

import importlib
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

MAX_TOKENS = 64
PROMPT = "Say hello."
MESSAGES = [{"role": "user", "content": PROMPT}]


def at(value, *path):
    """What stands there in a JSON value, None where there is nothing."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def stainless(package, url, key, retries):
    """openai, anthropic, and groq come from one generator. They retry twice by themselves."""
    sdk = importlib.import_module(package)
    options = {} if retries else {"max_retries": 0}
    client = getattr(sdk, {"openai": "OpenAI", "anthropic": "Anthropic", "groq": "Groq"}[package])(
        base_url=url, api_key=key, **options
    )

    def ask(call):
        headers = {"x-call": call}
        if package == "anthropic":
            answer = client.messages.create(
                model="claude-sonnet-5", messages=MESSAGES, max_tokens=MAX_TOKENS, extra_headers=headers
            )
            return answer.content[0].text
        answer = client.chat.completions.create(
            model="gpt-4o", messages=MESSAGES, max_tokens=MAX_TOKENS, extra_headers=headers
        )
        return answer.choices[0].message.content

    def facts(e):
        # openai takes the error object out of the body, the others do not.
        error = at(e.body, "error") or e.body
        return e.status_code, at(error, "type"), at(error, "code")

    return ask, facts


def mistral(url, key, retries):
    """Retries only where retry_config says so."""
    from mistralai.client import Mistral
    from mistralai.client.utils import BackoffStrategy, RetryConfig

    options = {"retry_config": RetryConfig("backoff", BackoffStrategy(500, 60_000, 1.5, 10_000), False)} if retries else {}
    client = Mistral(server_url=url, api_key=key, **options)

    def ask(call):
        answer = client.chat.complete(
            model="mistral-small-latest", messages=MESSAGES, max_tokens=MAX_TOKENS, http_headers={"x-call": call}
        )
        return answer.choices[0].message.content

    def facts(e):
        body = json.loads(e.body)
        return e.status_code, at(body, "error", "type"), at(body, "error", "code")

    return ask, facts


def gemini(url, key, retries):
    """Retries only where retry_options says so."""
    from google import genai
    from google.genai import types

    options = {"retry_options": types.HttpRetryOptions()} if retries else {}
    client = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=url, **options))

    def ask(call):
        answer = client.models.generate_content(
            model="gemini-2.5-flash",
            contents=PROMPT,
            config=types.GenerateContentConfig(
                max_output_tokens=MAX_TOKENS, http_options=types.HttpOptions(headers={"x-call": call})
            ),
        )
        return answer.text

    def facts(e):
        return e.code, e.status, at(e.details, "error", "details", 0, "metadata", "code")

    return ask, facts


# boto3 makes clients one at a time: its session is not safe for threads.
boto3_session = threading.Lock()


def bedrock(url, key, retries):
    """Makes three attempts by itself."""
    import boto3
    from botocore.config import Config

    options = {} if retries else {"retries": {"total_max_attempts": 1}}
    with boto3_session:
        client = boto3.client(
            "bedrock-runtime",
            region_name="us-east-1",
            endpoint_url=url,
            aws_access_key_id=key,
            aws_secret_access_key="none",
            config=Config(**options),
        )

    def ask(call):
        def name(request, **_):
            request.headers["x-call"] = call

        client.meta.events.register("request-created.bedrock-runtime", name, unique_id="x-call")
        try:
            answer = client.converse(
                modelId="anthropic.claude-sonnet-4-20250514-v1:0",
                messages=[{"role": "user", "content": [{"text": PROMPT}]}],
                inferenceConfig={"maxTokens": MAX_TOKENS},
            )
        finally:
            client.meta.events.unregister("request-created.bedrock-runtime", name, unique_id="x-call")
        return answer["output"]["message"]["content"][0]["text"]

    def facts(e):
        return e.response["ResponseMetadata"]["HTTPStatusCode"], None, e.response["Error"]["Code"]

    return ask, facts


def sdk(name, url, key, retries):
    match name:
        case "openai":
            return stainless(name, url + "/v1", key, retries)
        case "anthropic" | "groq":
            return stainless(name, url, key, retries)
        case "mistralai":
            return mistral(url, key, retries)
        case "google-genai":
            return gemini(url, key, retries)
        case "boto3":
            return bedrock(url, key, retries)
    raise SystemExit(f"no SDK {name}")


printing = threading.Lock()


def say(**said):
    with printing:
        print(json.dumps(said), flush=True)


def run(calls, clients):
    for call in calls:
        ask, facts = clients[call["retries"]]
        try:
            say(id=call["id"], text=ask(call["id"]))
        except Exception as e:
            try:
                status, kind, code = facts(e)
            except AttributeError:
                raise e from None  # It is no answer's error: a mistake, or no connection.
            say(id=call["id"], error=type(e).__name__, status=status, type=kind, code=code, message=str(e))


def main():
    name, url, groups = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    # All clients first: making one takes long, and a limit's window is short.
    ready = [(g["calls"], {retries: sdk(name, url, g["key"], retries) for retries in (False, True)}) for g in groups]
    with ThreadPoolExecutor(len(ready)) as pool:
        for done in [pool.submit(run, *group) for group in ready]:
            done.result()


main()
