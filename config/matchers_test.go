package config

import (
	"strings"
	"testing"

	"sluice/limits"
)

func TestMatchersThatCannotBe(t *testing.T) {
	tryEach(t, []problemTest{
		{"nothing to match", oneLimit(map[string]string{"match": `{}`}), []string{
			`limits[0].match: must match something; without match a limit applies to all`}},
		{"no attribute to match", oneLimit(map[string]string{"match": `{"attribute": {}}`}), []string{
			`limits[0].match.attribute: must not be empty`}},
		{"unknown", oneLimit(map[string]string{"match": `{"paths": ["/"], "attribute": {"team": ["a", 1]}}`}), []string{
			`limits[0].match.paths: unknown field; there are path, method, model, operation, provider, attribute`,
			`limits[0].match.attribute.team: there is no attribute "team"; there are key, ip, model, provider, route, cluster, path, method, operation`,
			`limits[0].match.attribute.team[1]: must be a string, is a number`}},
		{"wrong types", oneLimit(map[string]string{"match": `{"path": "/v1", "model": [], "method": [""], "attribute": ["key"]}`}), []string{
			`limits[0].match.path: must be a list, is a string`,
			`limits[0].match.model: must not be empty`,
			`limits[0].match.method[0]: must not be empty`,
			`limits[0].match.attribute: must be an object, is a list`}},
		{"told too late", `{"admission": "headers", "limits": [{"name": "a", "dimension": "requests", "limit": 1, "window": "1m",
			"match": {"model": ["gpt-*"], "operation": ["chat"], "path": ["/*"]}}]}`, []string{
			`limits[0].match.model: can never match: with "admission": "headers" a request is decided before its body tells this`}},
	})
}

func TestGlobsThatNothingMatches(t *testing.T) {
	const hash = "can never match: a secret is matched by the first 12 hex digits of its SHA-256"
	const operations = "; there are chat, completions, embeddings, images, audio, moderations, rerank, other"
	tests := []struct {
		attribute string
		globs     string
		want      []string // problems, each at its index
	}{
		{"operation", `["chat", "*", "em*"]`, nil},
		{"operation", `["chat", 1, "chats"]`, []string{"[1]: must be a string, is a number", `[2]: "chats" can never match` + operations}},
		{"provider", `["openai", "azure*"]`, nil},
		{"path", `["/v1/*", "*/chat/completions", "*", "/v1/"]`, nil},
		{"path", `["/v1/chat;a"]`, []string{`[0]: "/v1/chat;a" can never match: paths are compared without parameters`}},
		{"path", `["v1/*", "http://a/"]`, []string{
			`[0]: "v1/*" can never match: a path begins with /`, `[1]: "http://a/" can never match: a path begins with /`}},
		{"method", `["POST", "P*", "*"]`, nil},
		{"method", `["post"]`, []string{`[0]: "post" can never match: methods are in upper case`}},
		{"model", `["gpt-4o*", "anything"]`, nil},
		{"ip", `["10.1.*", "10.0.0.1", "2001:db8::/64", "2001:db8:*"]`, nil},
		{"ip", `["10.0.0.0/8", "2001:db8::/32", "2001:db8::1/64"]`, []string{
			`[0]: "10.0.0.0/8" can never match: it is compared as text, as in "10.1.*"`,
			`[1]: "2001:db8::/32" can never match: it is compared as text, as in "10.1.*"`,
			`[2]: "2001:db8::1/64" can never match: it is compared as text, as in "10.1.*"`}},
		{"key", `["0123456789ab", "0123*", "*", "*ab*"]`, nil},
		{"key", `["sk-secret", "0123456789abc", "0123456789a", "0123456789AB", "0123456789abc*"]`, []string{
			"[0]: " + hash, "[1]: " + hash, "[2]: " + hash, "[3]: " + hash, "[4]: " + hash}},
		{"class", `["big", "small", "none", "*"]`, nil},
		{"class", `["bgi"]`, []string{`[0]: "bgi" can never match; there are big, small`}},
		{"tier", `["whatever"]`, nil},
	}
	for _, test := range tests {
		t.Run(test.attribute+" "+test.globs, func(t *testing.T) {
			problems := problemsOf(t, `{
				"attributes": {
					"tier": {"property": ["a"]},
					"class": {"map": "model", "to": {"big": ["gpt-4o"], "small": ["*mini"]}, "default": "none"}},
				"limits": [{"name": "a", "dimension": "requests", "limit": 1, "window": "1m",
					"match": {"attribute": {"`+test.attribute+`": `+test.globs+`}}}]}`)
			want := ""
			for i, w := range test.want {
				if i > 0 {
					want += "\n"
				}
				want += "limits[0].match.attribute." + test.attribute + w
			}
			if problems != want {
				t.Errorf("got:\n%s\nwant:\n%s", problems, want)
			}
		})
	}
}

func TestASecretIsNeverInAnError(t *testing.T) {
	got := problemsOf(t, `{
		"attributes": {"vip": {"map": "key", "to": {"yes": ["sk-secret"]}}},
		"limits": [{"name": "a", "dimension": "requests", "limit": 1, "window": "1m",
			"match": {"attribute": {"key": ["sk-secret"]}},
			"overrides": [{"attribute": {"key": ["sk-secret*"]}, "limit": 2}]}]}`)
	if strings.Contains(got, "sk-secret") || strings.Count(got, "\n") != 2 {
		t.Error(got)
	}
}

func TestEveryHashCanBeMatched(t *testing.T) {
	for _, secret := range []string{"", "sk-1", "sk-2"} {
		if hash := limits.HashSecret(secret); !matchesHashes(hash) || matchesHashes(hash+"0") {
			t.Errorf("%s", hash)
		}
	}
}

// A slash at the end, which the paths that are compared do not have, is not
// missed.
func TestPathsWithASlashAtTheEnd(t *testing.T) {
	for pattern, matching := range map[string]string{
		"/public/*": "/public /public/a", "/public/": "/public", "/public": "/public", "/*": "/ /public /public/a /publican",
		"/public*": "/public /public/a /publican", "*/a": "/public/a",
	} {
		c, err := Parse([]byte(oneLimit(map[string]string{"match": `{"path": ["` + pattern + `"]}`})))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, path := range []string{"/", "/public", "/public/a", "/publican"} {
			for _, g := range c.Limits[0].Match[0].Globs {
				if g.Match(path) {
					got = append(got, path)
					break
				}
			}
		}
		if strings.Join(got, " ") != matching {
			t.Errorf("%s matches %q, want %q", pattern, got, matching)
		}
	}
}

func TestOverridesThatCannotBe(t *testing.T) {
	const shadowed = "can never count: an earlier one matches all that it does"
	of := func(overrides string) string { return oneLimit(map[string]string{"overrides": "[" + overrides + "]"}) }
	tryEach(t, []problemTest{
		{"incomplete", of(`{}, {"limit": 1}, {"attribute": {"model": ["a"]}}, 1`), []string{
			`limits[0].overrides[0].attribute: is missing`,
			`limits[0].overrides[0].limit: is missing`,
			`limits[0].overrides[1].attribute: is missing`,
			`limits[0].overrides[2].limit: is missing`,
			`limits[0].overrides[3]: must be an object, is a number`}},
		{"of everything", of(`{"attribute": {}, "limit": 1}`), []string{`limits[0].overrides[0].attribute: must not be empty`}},
		{"wrong values", of(`{"attribute": {"provider": ["opnai*"]}, "limit": 0.5, "window": "1m"}`), []string{
			`limits[0].overrides[0].attribute.provider[0]: "opnai*" can never match; there are openai, azure_openai, anthropic, gemini, vertex_ai, bedrock, xai, dashscope, deepseek, mistral, minimax, moonshot, groq, cohere, together, fireworks, cerebras, openrouter, perplexity, openai_compatible`,
			`limits[0].overrides[0].limit: must be from 1 to 9007199254740991, is 0.5`,
			`limits[0].overrides[0].window: unknown field; there are attribute, limit`}},
		{"narrow before wide", of(`
			{"attribute": {"model": ["gpt-4o"]}, "limit": 1},
			{"attribute": {"model": ["gpt-*"], "path": ["/a"]}, "limit": 2},
			{"attribute": {"model": ["gpt-*"]}, "limit": 3},
			{"attribute": {"model": ["*"]}, "limit": 4}`), nil},
		{"wide before narrow", of(`
			{"attribute": {"model": ["gpt-*", "o1"]}, "limit": 1},
			{"attribute": {"model": ["gpt-*", "o1"]}, "limit": 2},
			{"attribute": {"model": ["gpt-4*"]}, "limit": 3},
			{"attribute": {"model": ["o1"], "path": ["/a"]}, "limit": 4},
			{"attribute": {"model": ["o1", "o3"]}, "limit": 5},
			{"attribute": {"path": ["/a"]}, "limit": 6}`), []string{
			`limits[0].overrides[1]: ` + shadowed,
			`limits[0].overrides[2]: ` + shadowed,
			`limits[0].overrides[3]: ` + shadowed}},
	})
}
