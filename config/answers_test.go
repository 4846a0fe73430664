package config

import "testing"

func TestProvidersAreMatchedInOrder(t *testing.T) {
	c := parsed(t, `{"providers": [
		{"cluster": "anthropic*", "provider": "anthropic"},
		{"authority": "*.example.com", "provider": "kimi"},
		{"cluster": "llm-?", "authority": "a.test:8080", "provider": "azure"}]}`)
	for _, tt := range []struct{ cluster, authority, want string }{
		{"anthropic-eu", "x.example.com", "anthropic"},
		{"other", "x.example.com", "moonshot"},
		{"other", "X.Example.COM:443", "moonshot"},
		{"llm-?", "a.test:8080", "azure_openai"},
		{"llm-?", "a.test", ""},
		{"llm-", "a.test:8080", ""},
	} {
		got := ""
		for i := range c.Providers {
			if c.Providers[i].Matches(tt.cluster, tt.authority) {
				got = c.Providers[i].Provider
				break
			}
		}
		if got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.cluster, tt.authority, got, tt.want)
		}
	}
}

func TestAnUpstreamFilterLimitsNothing(t *testing.T) {
	if c := parsed(t, `{"role": "upstream", "limits": []}`); c.Role != Upstream {
		t.Error(c.Role)
	}
}

func TestSettingsOfAnswersThatCannotBe(t *testing.T) {
	tryEach(t, []problemTest{
		{"a role that is none", `{"role": "sidecar"}`, []string{`role: must be "gateway" or "upstream", is "sidecar"`}},
		{"limits of an upstream filter", `{"limits": [{"name": "a", "dimension": "requests", "limit": 1, "window": "1s"}], "role": "upstream"}`,
			[]string{`limits: must be empty with "role": "upstream": it sees every attempt, and would count each`}},
		{"providers without a match", `{"providers": [{"provider": "openai"}, {"cluster": "a"}, {"cluster": ""}, {"provider": "opnai", "cluster": "a"}]}`,
			[]string{
				`providers[0]: must have a cluster or an authority to match`,
				`providers[1].provider: is missing`,
				`providers[2].cluster: must not be empty`,
				`providers[3].provider: must be "openai", "azure_openai", "anthropic", "gemini", "vertex_ai", "bedrock", "xai", "dashscope", "deepseek", "mistral", "minimax", "moonshot", "groq", "cohere", "together", "fireworks", "cerebras", "openrouter", "perplexity" or "openai_compatible", is "opnai"`,
			}},
		{"headers", `{"headers": {"reset_format": "ms", "upstream": true, "native": "hide", "account": "no", "ietf": "yes"}}`, []string{
			`headers.reset_format: must be "seconds", "duration" or "unix", is "ms"`,
			`headers.upstream: must be a string, is a boolean`,
			`headers.native: must be "keep" or "drop", is "hide"`,
			`headers.account: must be "drop" or "keep", is "no"`,
			`headers.ietf: must be true or false, is a string`,
		}},
		{"errors", `{"errors": {"dialect": "anthropic", "quota_status": 403, "max_client_wait": "-1s", "default_wait": 2, "retry_jitter": "1"}}`, []string{
			`errors.dialect: must be "auto" or "openai", is "anthropic"`,
			`errors.quota_status: must be 429 or 402, is 403`,
			`errors.max_client_wait: must not be negative, is "-1s"`,
			`errors.default_wait: must have a unit, as in "60s"`,
			`errors.retry_jitter: must be a duration such as "90s", "1m" or "24h", is "1"`,
		}},
		{"asking for usage", `{"stream_usage": "always", "reserve": {"learn": 1}}`, []string{
			`stream_usage: must be "auto" or "never", is "always"`,
			`reserve.learn: must be true or false, is a number`,
		}},
	})
}

// A provider may be called by its shorter name wherever it is named.
func TestProvidersInMatchers(t *testing.T) {
	c := parsed(t, `{"limits": [{"name": "a", "dimension": "requests", "limit": 1, "window": "1s", "match": {"provider": ["azure", "kimi", "open*"]}}]}`)
	for provider, want := range map[string]bool{"azure_openai": true, "moonshot": true, "openai": true, "anthropic": false} {
		matches := false
		for _, g := range c.Limits[0].Match[0].Globs {
			matches = matches || g.Match(provider)
		}
		if matches != want {
			t.Errorf("%s matches: %t", provider, matches)
		}
	}
}
