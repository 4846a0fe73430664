package main

import (
	"maps"
	"testing"

	"sluice/internal/envoytest"
)

const attributes = `"attributes":{
	"org":   {"property":["filter_state","wasm.tenant"]},
	"tier":  {"headers":["X-Tier"],"default":"free","verified":true},
	"user":  {"body":"metadata.user"},
	"class": {"map":"model","to":{"small":["gpt-4o-mini*"],"gpt-4o":["gpt-4o*"]},"default":"other"},
	"plan":  {"map":"tier","to":{"paid":["pro","max-*"]}},
	"token": {"headers":["x-token"],"secret":true,"verified":true}}`

func TestAttributesComeFromAllSources(t *testing.T) {
	type facts = map[string]string
	for name, c := range map[string]struct {
		request    envoytest.Request
		properties map[string]string
		want       facts
	}{
		"all there": {
			post("/v1/chat/completions", `{"model":"gpt-4o-mini-2024","prompt":"","metadata":{"user":"u1"}}`, "x-tier", "max-20", "x-token", aKey),
			map[string]string{"filter_state.wasm.tenant": "acme"},
			facts{"org": "acme", "tier": "max-20", "user": "u1", "class": "small", "plan": "paid", "token": hashed(aKey)},
		},
		"nothing there": {
			post("/v1/chat/completions", `{"model":"claude"}`), nil,
			facts{"tier": "free", "class": "other"},
		},
		"empty counts as absent": {
			post("/v1/chat/completions", `{"model":"","prompt":"","metadata":{"user":""}}`, "x-tier", ""),
			map[string]string{"filter_state.wasm.tenant": ""},
			facts{"tier": "free", "class": "other"},
		},
		"null counts as absent": {
			post("/v1/chat/completions", `{"model":null,"metadata":{"user":null}}`), nil,
			facts{"tier": "free", "class": "other"},
		},
		"a number in the body": {
			post("/v1/chat/completions", `{"model":"gpt-4o","metadata":{"user":17}}`), nil,
			facts{"tier": "free", "class": "gpt-4o", "user": "17"},
		},
		"no body": {get("/"), nil, facts{"tier": "free", "class": "other"}},
		"the model's last mention counts": {
			post("/v1/chat/completions", `{"model":"gpt-4o","model":"gpt-4o-mini"}`), nil,
			facts{"tier": "free", "class": "small"},
		},
		"what breaks a log line is left out": {
			post("/v1/chat/completions", `{"model":"x","metadata":{"user":"a\nb\u0007ü"}}`, "x-tier", "t"), nil,
			facts{"tier": "t", "class": "other", "user": "ab"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, "{"+attributes+"}")
				c.request.Properties = c.properties
				r := g.Do(c.request, ok)
				got := facts{}
				for _, name := range []string{"org", "tier", "user", "class", "plan", "token"} {
					if v, there := r.FilterState["wasm.sluice_attr_"+name]; there {
						got[name] = v
					}
				}
				if !maps.Equal(got, c.want) {
					t.Errorf("attributes %v, want %v", got, c.want)
				}
			})
		})
	}
}

// Scopes, matches and overrides see what the attributes say.
func TestLimitsApplyByAttributes(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(attributes,
			`"name":"small","scope":["class"],"limit":2,"match":{"attribute":{"class":["small"]}}`,
			`"name":"user","scope":["user"],"limit":3,"on_missing":"skip"`,
			`"name":"org","scope":["org"],"limit":4,"on_missing":"skip"`))
		ask := func(model, user, org string) *envoytest.Result {
			r := post("/v1/chat/completions", `{"model":"`+model+`","metadata":{"user":"`+user+`"}}`)
			if org != "" {
				r.Properties = map[string]string{"filter_state.wasm.tenant": org}
			}
			return g.Do(r, ok)
		}
		has(t, ask("gpt-4o-mini", "a", ""), 200, "x-ratelimit-limit", "2", "x-ratelimit-remaining", "1")
		has(t, ask("gpt-4o-mini-2024", "b", ""), 200, "x-ratelimit-remaining", "0")
		has(t, ask("gpt-4o", "a", ""), 200, "x-ratelimit-limit", "3", "x-ratelimit-remaining", "1")
		has(t, ask("gpt-4o", "", "acme"), 200, "x-ratelimit-limit", "4", "x-ratelimit-remaining", "3")
		has(t, ask("gpt-4o", "", ""), 200, "x-ratelimit-limit", "-")
		if p := problem(t, ask("gpt-4o-mini", "c", "")); p["limit"] != "small" || p["scope_target_id"] != "small" {
			t.Errorf("error %v", p)
		}
	})
}

// The built-in facts, each through a limit that only it matches.
func TestBuiltInFacts(t *testing.T) {
	chat := func(headers ...string) envoytest.Request {
		return post("/v1/chat/completions", `{"model":"gpt-4o","messages":[]}`, headers...)
	}
	for name, c := range map[string]struct {
		match   string
		request envoytest.Request
		want    bool
	}{
		"path":                            {`"path":["/v1/chat/*"]`, chat(), true},
		"another path":                    {`"path":["/v2/*"]`, chat(), false},
		"the query is no part":            {`"path":["/v1/models"]`, get("/v1/models?x=1"), true},
		"doubled slashes":                 {`"path":["/v1/chat/*"]`, with(chat(), ":path", "//v1//chat/completions"), true},
		"escapes":                         {`"path":["/v1/chat/*"]`, with(chat(), ":path", "/v1/%63hat/completions"), true},
		"an escaped slash":                {`"path":["/v1/chat/*"]`, with(chat(), ":path", "/v1%2fchat/completions"), true},
		"dot segments":                    {`"path":["/v1/chat/*"]`, with(chat(), ":path", "/x/../v1/./chat/completions"), true},
		"escaped dot segments":            {`"path":["/v1/chat/*"]`, with(chat(), ":path", "/x/%2e%2E/v1/%2e/chat/completions"), true},
		"method":                          {`"method":["POST"]`, chat(), true},
		"another method":                  {`"method":["POST"]`, get("/"), false},
		"model":                           {`"model":["gpt-*"]`, chat(), true},
		"another model":                   {`"model":["claude-*"]`, chat(), false},
		"no model":                        {`"model":["*"]`, get("/"), false},
		"a model that cannot be read":     {`"model":["claude-*"]`, post("/v1/chat/completions", `{"mod`), true},
		"operation, by the path":          {`"operation":["chat"]`, chat(), true},
		"operation, by the body":          {`"operation":["chat"]`, with(chat(), ":path", "/custom"), true},
		"operation, embeddings":           {`"operation":["embeddings"]`, post("/v1/embeddings", `{"model":"m","input":"x"}`), true},
		"operation, another":              {`"operation":["embeddings"]`, chat(), false},
		"operation, of a GET":             {`"operation":["other"]`, get("/v1/models"), true},
		"operation, of a body of another": {`"operation":["other"]`, post("/upload", `{"x":1}`), true},
		"provider":                        {`"provider":["anthropic"]`, post("/v1/messages", `{}`), true},
		"another provider":                {`"provider":["anthropic"]`, chat(), false},
		"all of several":                  {`"method":["POST"],"path":["/v1/*"],"model":["gpt-4o"]`, chat(), true},
		"not all of several":              {`"method":["POST"],"path":["/v1/*"],"model":["gpt-5"]`, chat(), false},
		"route":                           {`"attribute":{"route":["chat"]}`, chat(), true},
		"cluster":                         {`"attribute":{"cluster":["provider-*"]}`, chat(), true},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, one(`"scope":[],"match":{`+c.match+`}`), func(o *envoytest.Options) {
					o.Properties = map[string]string{"xds.route_name": "chat", "xds.cluster_name": "provider-eu"}
				})
				limit := "-"
				if c.want {
					limit = "1"
				}
				has(t, g.Do(c.request, ok), 200, "x-ratelimit-limit", limit)
			})
		})
	}
}

// Without a match, token limits count model calls, whatever their path.
func TestTokenLimitsCountModelCalls(t *testing.T) {
	for name, c := range map[string]struct {
		request envoytest.Request
		counted bool
	}{
		"a chat":                         {chat(aKey), true},
		"a chat of another path":         {with(chat(aKey), ":path", "/internal/llm"), true},
		"of another content type":        {with(chat(aKey), ":path", "/internal/llm", "content-type", "text/plain"), true},
		"a prompt only":                  {post("/x", `{"prompt":"a"}`), true},
		"an input only":                  {post("/x", `{"input":"a"}`), true},
		"another JSON":                   {post("/x", `{"name":"a"}`), false},
		"a form":                         {post("/x", `a=b`, "content-type", "application/x-www-form-urlencoded"), false},
		"a file":                         {post("/v1/files", "--x\r\n\r\nb\r\n--x--\r\n", "content-type", "multipart/form-data; boundary=x"), false},
		"a recording":                    {post("/v1/audio/transcriptions", "--x\r\n\r\nb\r\n--x--\r\n", "content-type", "multipart/form-data; boundary=x"), true},
		"a GET":                          {get("/v1/chat/completions"), false},
		"what may be a chat, garbled":    {post("/x", `{"mod`), true},
		"what may be a chat, compressed": {post("/x", "\x00\x01", "content-encoding", "br", "content-type", "application/octet-stream"), true},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, one(`"scope":[],"dimension":"tokens","limit":100000`))
				r := g.Do(c.request, ok)
				if got := r.Headers.Has("x-ratelimit-limit-tokens"); got != c.counted {
					t.Errorf("counted: %t, want %t", got, c.counted)
				}
			})
		})
	}
}
