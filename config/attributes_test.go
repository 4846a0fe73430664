package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"sluice/limits"
)

func TestAttributesAreRead(t *testing.T) {
	c := parsed(t, `{"attributes": {
		"org":   {"property": ["filter_state", "wasm.tenant"]},
		"tier":  {"headers": ["X-Tier", "x-plan"], "default": "free", "verified": true},
		"user":  {"body": "metadata.user_id", "secret": true},
		"class": {"map": "model", "to": {"sonnet": ["claude-*sonnet*"], "gpt-4o": ["gpt-4o*"]}, "default": "other"},
		"key":   {"headers": ["x-gateway-key"]}}}`)
	free, other := "free", "other"
	want := []Attribute{
		{Name: "org", Property: []string{"filter_state", "wasm.tenant"}},
		{Name: "tier", Headers: []string{"x-tier", "x-plan"}, Default: &free, Verified: true},
		{Name: "user", Body: "metadata.user_id", Secret: true},
		{Name: "class", Default: &other, Groups: &Groups{From: Model, Names: []string{"sonnet", "gpt-4o"},
			Globs: [][]limits.Glob{{limits.NewGlob("claude-*sonnet*")}, {limits.NewGlob("gpt-4o*")}}}},
	}
	if got := c.Attributes[builtins:]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := c.Attributes[Key]; !reflect.DeepEqual(got, Attribute{Name: "key", Secret: true, Headers: []string{"x-gateway-key"}}) {
		t.Errorf("key: %+v", got)
	}
}

func TestBuiltInAttributesCanBeOverridden(t *testing.T) {
	c := parsed(t, `{"attributes": {
		"key": {"property": ["filter_state", "wasm.user"], "secret": false},
		"ip": {"headers": ["cf-connecting-ip"], "verified": true}}}`)
	if key := c.Attributes[Key]; key.Secret || key.BuiltIn() {
		t.Errorf("key: %+v", key)
	}
	if ip := c.Attributes[IP]; ip.BuiltIn() || len(c.Attributes) != builtins {
		t.Errorf("ip: %+v", ip)
	}
}

func TestAttributesThatCannotBe(t *testing.T) {
	const names = "there are key, ip, model, provider, route, cluster, path, method, operation"
	tryEach(t, []problemTest{
		{"a name that is none", `{"attributes": {"Org": {}, "a.b": {}}}`, []string{
			`attributes.Org: an attribute's name must be 1 to 64 of a-z, 0-9, _ and -`,
			`attributes["a.b"]: an attribute's name must be 1 to 64 of a-z, 0-9, _ and -`}},
		{"built in", `{"attributes": {"model": {"body": "model"}}}`, []string{`attributes.model: is built in and cannot be set`}},
		{"no object", `{"attributes": {"org": "x-org"}}`, []string{`attributes.org: must be an object, is a string`}},
		{"twice", `{"attributes": {"org": {"body": "a"}, "org": {"body": "b"}}}`, []string{`attributes.org: is there twice`}},
		{"no source", `{"attributes": {"org": {"default": "a"}, "key": {"secret": true}}}`, []string{
			`attributes.org: must have a source: headers, property, body or map`,
			`attributes.key: must have a source: headers, property, body or map`}},
		{"two sources", `{"attributes": {"org": {"headers": ["a"], "body": "b"}}}`, []string{
			`attributes.org: must have one source, has headers and body`}},
		{"unknown field", `{"attributes": {"org": {"header": ["a"]}, "key": {"trusted_hops": 1}}}`, []string{
			`attributes.org.header: unknown field; there are headers, property, body, map, to, default, secret, verified`,
			`attributes.key.trusted_hops: unknown field; there are headers, property, body, map, to, default, secret, verified`}},
		{"wrong types", `{"attributes": {"org": {"headers": "x-org", "default": 1, "secret": "yes", "verified": 1}, "b": {"body": 1}, "p": {"property": {}}}}`, []string{
			`attributes.org.headers: must be a list, is a string`,
			`attributes.org.default: must be a string, is a number`,
			`attributes.org.secret: must be true or false, is a string`,
			`attributes.org.verified: must be true or false, is a number`,
			`attributes.b.body: must be a string, is a number`,
			`attributes.p.property: must be a list, is an object`}},
		{"empty", `{"attributes": {"a": {"headers": []}, "b": {"headers": [""]}, "c": {"property": []}, "d": {"body": ""}, "e": {"property": ["x", ""]}}}`, []string{
			`attributes.a.headers: must not be empty`,
			`attributes.b.headers[0]: must not be empty`,
			`attributes.c.property: must not be empty`,
			`attributes.d.body: must not be empty`,
			`attributes.e.property[1]: must not be empty`}},
		{"headers that are none", `{"attributes": {"a": {"headers": ["x-ok", ":path", "x y", "x-ü"]}}}`, []string{
			`attributes.a.headers[1]: is not the name of a header`,
			`attributes.a.headers[2]: is not the name of a header`,
			`attributes.a.headers[3]: is not the name of a header`}},
		{"ip", `{"attributes": {"ip": {"trusted_hops": -1, "v6_prefix": 129}}}`, []string{
			`attributes.ip.trusted_hops: must be from 0 to 100, is -1`,
			`attributes.ip.v6_prefix: must be from 1 to 128, is 129`}},
		{"ip from elsewhere, with hops", `{"attributes": {"ip": {"headers": ["x-real-ip"], "trusted_hops": 1}}}`, []string{
			`attributes.ip: trusted_hops and v6_prefix go with the built-in address, not with headers`}},
		{"half a group", `{"attributes": {"a": {"map": "model"}, "b": {"to": {"x": ["y"]}, "body": "b"}}}`, []string{
			`attributes.a: map and to go together`, `attributes.b: map and to go together`}},
		{"groups of nothing", `{"attributes": {"a": {"map": "modle", "to": {}}, "b": {"map": 1, "to": {"x": [1]}}, "c": {"map": "model", "to": []}}}`, []string{
			`attributes.a.map: there is no attribute "modle"; ` + names + `, a, b, c`,
			`attributes.a.to: must not be empty`,
			`attributes.b.map: must be a string, is a number`,
			`attributes.b.to.x[0]: must be a string, is a number`,
			`attributes.c.to: must be an object, is a list`}},
		{"groups of groups", `{"attributes": {
			"a": {"map": "b", "to": {"x": ["y"]}}, "b": {"map": "model", "to": {"x": ["y"]}}, "c": {"map": "c", "to": {"x": ["y"]}}}}`, []string{
			`attributes.a.map: "b" is itself made by map`, `attributes.c.map: "c" is itself made by map`}},
		{"key made of nothing, and used", `{"attributes": {"key": {"map": "user", "to": {"x": ["y"]}}},
			"limits": [{"name": "a", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "1m"}]}`, []string{
			`attributes.key.map: there is no attribute "user"; ` + names}},
		{"groups that nothing is in", `{"attributes": {"a": {"map": "provider", "to": {"x": ["openai", "opnai"]}}}}`, []string{
			`attributes.a.to.x[1]: "opnai" can never match; there are openai, azure_openai, anthropic, gemini, vertex_ai, bedrock, xai, dashscope, deepseek, mistral, minimax, moonshot, groq, cohere, together, fireworks, cerebras, openrouter, perplexity, openai_compatible`}},
		{"groups of a secret, in plain", `{"attributes": {"vip": {"map": "key", "to": {"yes": ["sk-12345678", "0123456789ab"]}}}}`, []string{
			`attributes.vip.to.yes[0]: can never match: a secret is matched by the first 12 hex digits of its SHA-256`}},
	})
}

func TestBodyPaths(t *testing.T) {
	const plain = `attributes.a.body: must be keys and indexes joined by dots, as in "metadata.user_id"`
	const body = `{"user": "u", "metadata": {"user_id": "m"}, "messages": [{"role": "r"}], "a.b": {"@c": "e"}}`
	tests := []struct {
		path, value, problem string
	}{
		{"user", "u", ""},
		{"metadata.user_id", "m", ""},
		{"messages.0.role", "r", ""},
		{`a\.b.\@c`, "e", ""},
		{".user", "", plain + ": one is empty"},
		{"user.", "", plain + ": one is empty"},
		{"metadata..user_id", "", plain + ": one is empty"},
		{"..0.user", "", plain + ": one is empty"},
		{"@this", "", plain + `; for the character itself write \@`},
		{"metadata.@ugly", "", plain + `; for the character itself write \@`},
		{"user|@reverse", "", plain + `; for the character itself write \|`},
		{"{user,metadata}", "", plain + `; for the character itself write \{`},
		{"[user]", "", plain + `; for the character itself write \[`},
		{`!"constant"`, "", plain + `; for the character itself write \!`},
		{"messages.#.role", "", plain + `; for the character itself write \#`},
		{`messages.#(role=="r").role`, "", plain + `; for the character itself write \#`},
		{"us*", "", plain + `; for the character itself write \*`},
		{"use?", "", plain + `; for the character itself write \?`},
		{`user\`, "", plain + `; for the character itself write \\`},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			text := `{"attributes": {"a": {"body": ` + string(gjson.AppendJSONString(nil, test.path)) + `}}}`
			if test.problem != "" {
				if got := problemsOf(t, text); got != test.problem {
					t.Errorf("got %q, want %q", got, test.problem)
				}
			} else if got := gjson.Get(body, parsed(t, text).Attributes[builtins].Body).String(); got != test.value {
				t.Errorf("reads %q, want %q", got, test.value)
			}
		})
	}
}

func TestTheMostLiteralGroupWins(t *testing.T) {
	g := Groups{
		Names: []string{"any", "mini", "gpt"},
		Globs: [][]limits.Glob{
			{limits.NewGlob("*")},
			{limits.NewGlob("o1-mini"), limits.NewGlob("gpt-4o-mini*")},
			{limits.NewGlob("gpt-4o*")}},
	}
	for value, want := range map[string]string{
		"gpt-4o-mini-2024": "mini", "gpt-4o": "gpt", "o1-mini": "mini", "claude": "any",
	} {
		if got, ok := g.Of(value); got != want || !ok {
			t.Errorf("%s is in %q, want %q", value, got, want)
		}
	}
	g.Names, g.Globs = g.Names[1:], g.Globs[1:]
	if got, ok := g.Of("claude"); ok {
		t.Errorf("claude is in %q", got)
	}
}

func TestASecretIsGroupedByItsHash(t *testing.T) {
	c := parsed(t, `{"attributes": {"tier": {"map": "key", "to": {"pro": ["`+limits.HashSecret("sk-1")+`"]}}}}`)
	groups := c.Attributes[builtins].Groups
	if name, ok := groups.Of("sk-1"); !ok || name != "pro" {
		t.Errorf("%q, %v", name, ok)
	}
	if _, ok := groups.Of("sk-2"); ok {
		t.Error("another key is in the group")
	}
}

func TestWhatOnlyTheBodyTells(t *testing.T) {
	c := parsed(t, `{"attributes": {
		"user": {"body": "user"}, "class": {"map": "model", "to": {"a": ["*"]}},
		"kind": {"map": "operation", "to": {"a": ["chat"]}}, "who": {"map": "user", "to": {"a": ["*"]}},
		"where": {"map": "ip", "to": {"a": ["*"]}}, "key": {"body": "user"}}}`)
	var fromBody, unknownEarly []string
	for i, a := range c.Attributes {
		if c.FromBody(i) {
			fromBody = append(fromBody, a.Name)
		}
		if c.UnknownEarly(i) {
			unknownEarly = append(unknownEarly, a.Name)
		}
	}
	if got := strings.Join(fromBody, " "); got != "key model operation user class kind who" {
		t.Errorf("from the body: %s", got)
	}
	if got := strings.Join(unknownEarly, " "); got != "key model user class who" {
		t.Errorf("unknown in the header phase: %s", got)
	}
}
