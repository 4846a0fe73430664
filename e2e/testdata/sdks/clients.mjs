// What the JavaScript SDKs make of a gateway: as clients.py, with the same
// arguments and the same output. It is read from standard input, so that the
// packages are those of the folder in which Node runs.

const maxTokens = 64;
const prompt = "Say hello.";
const messages = [{ role: "user", content: prompt }];

// Each makes of a URL, a credential, and whether to retry: ask(call), the text
// that comes back, and facts(error). All of them retry by themselves.
const sdks = {
  async openai(url, key, retries) {
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI({ baseURL: url + "/v1", apiKey: key, ...(retries ? {} : { maxRetries: 0 }) });
    return {
      async ask(call) {
        const answer = await client.chat.completions.create(
          { model: "gpt-4o", messages, max_tokens: maxTokens },
          { headers: { "x-call": call } },
        );
        return answer.choices[0].message.content;
      },
      facts: (e) => ({ error: e.constructor.name, status: e.status, type: e.type, code: e.code }),
    };
  },

  async anthropic(url, key, retries) {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ baseURL: url, apiKey: key, ...(retries ? {} : { maxRetries: 0 }) });
    return {
      async ask(call) {
        const answer = await client.messages.create(
          { model: "claude-sonnet-5", messages, max_tokens: maxTokens },
          { headers: { "x-call": call } },
        );
        return answer.content[0].text;
      },
      facts: (e) => ({ error: e.constructor.name, status: e.status, type: e.type, code: e.error?.error?.code }),
    };
  },

  async vercel(url, key, retries) {
    const { generateText } = await import("ai");
    const { createOpenAI } = await import("@ai-sdk/openai");
    const provider = createOpenAI({ baseURL: url + "/v1", apiKey: key });
    return {
      async ask(call) {
        const answer = await generateText({
          model: provider.chat("gpt-4o"),
          prompt,
          maxOutputTokens: maxTokens,
          headers: { "x-call": call },
          ...(retries ? {} : { maxRetries: 0 }),
        });
        return answer.text;
      },
      facts(e) {
        const last = e.lastError ?? e; // A RetryError holds what each attempt came to.
        const body = JSON.parse(last.responseBody);
        return { error: e.name, status: last.statusCode, type: body.error?.type, code: body.error?.code };
      },
    };
  },

  async langchain(url, key, retries) {
    const { ChatOpenAI } = await import("@langchain/openai");
    const models = {}; // A model's headers are fixed.
    return {
      async ask(call) {
        models[call] ??= new ChatOpenAI({
          model: "gpt-4o",
          apiKey: key,
          maxTokens,
          configuration: { baseURL: url + "/v1", defaultHeaders: { "x-call": call } },
          ...(retries ? {} : { maxRetries: 0 }),
        });
        return (await models[call].invoke(prompt)).content;
      },
      facts: (e) => ({ error: e.name === "Error" ? e.constructor.name : e.name, status: e.status, type: e.type, code: e.code }),
    };
  },
};

const [name, url, groups] = process.argv.slice(2);

async function run({ key, calls }) {
  const clients = { true: await sdks[name](url, key, true), false: await sdks[name](url, key, false) };
  for (const { id, retries } of calls) {
    const { ask, facts } = clients[retries];
    try {
      const text = await ask(id);
      console.log(JSON.stringify({ id, text }));
    } catch (e) {
      const said = facts(e);
      if (!said.status) throw e; // It is no answer's error: a mistake, or no connection.
      console.log(JSON.stringify({ id, ...said, message: e.message }));
    }
  }
}

await Promise.all(JSON.parse(groups).map(run));
