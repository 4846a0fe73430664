package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"sluice/classify"
	"sluice/headers"
)

const fieldNames = "role, mode, admission, attributes, providers, limits, prices, reserve, stream_usage, headers, errors, body, on_error, state"

// problemsOf returns what Parse refuses a configuration for, one a line.
func problemsOf(t *testing.T, text string) string {
	t.Helper()
	c, err := Parse([]byte(text))
	if err == nil {
		return ""
	}
	var problems Problems
	if c != nil || !errors.As(err, &problems) {
		t.Fatalf("Parse returned %v and a %T", c, err)
	}
	return lines(problems)
}

func lines(problems Problems) string {
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.String()
	}
	return strings.Join(texts, "\n")
}

// parsed returns a configuration that must be accepted.
func parsed(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s\nis refused: %v", text, err)
	}
	return c
}

// tryEach runs a table of configurations and the problems that each must have,
// all of them, in order.
func tryEach(t *testing.T, tests []problemTest) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, want := problemsOf(t, test.text), strings.Join(test.want, "\n"); got != want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", test.text, got, want)
			}
		})
	}
}

type problemTest struct {
	name, text string
	want       []string
}

func TestNoConfigurationMeansDefaults(t *testing.T) {
	for _, text := range []string{"", "{}", " {} \n"} {
		c := parsed(t, text)
		if c.Admission != AdmitAuto || c.OnError != Allow || c.Limits != nil || c.Warnings != nil {
			t.Errorf("%q: %+v", text, c)
		}
		if c.Body != (Body{MaxBytes: 1048576, Oversize: Estimate, Unreadable: Estimate}) {
			t.Errorf("%q: body %+v", text, c.Body)
		}
		if c.Role != Gateway || c.Observe || !c.AskForUsage || c.Providers != nil {
			t.Errorf("%q: %+v", text, c)
		}
		if c.Headers != (Headers{}) {
			t.Errorf("%q: headers %+v", text, c.Headers)
		}
		if c.Errors != (classify.Policy{QuotaStatus: 429, MaxClientWait: time.Minute, DefaultWait: 2 * time.Second}) {
			t.Errorf("%q: errors %+v", text, c.Errors)
		}
		if c.Reserve != (Reserve{DefaultOutputTokens: 1024, Learn: true}) {
			t.Errorf("%q: reserve %+v", text, c.Reserve)
		}
		if c.State != (State{Namespace: "default", MaxSubjects: 65536}) {
			t.Errorf("%q: state %+v", text, c.State)
		}
		var names []string
		for i, a := range c.Attributes {
			names = append(names, a.Name)
			if !a.BuiltIn() || a.Used || a.Secret != (i == Key) {
				t.Errorf("%q: attribute %+v", text, a)
			}
		}
		if got, want := strings.Join(names, " "), "key ip model provider route cluster path method operation"; got != want {
			t.Errorf("%q: attributes %q, want %q", text, got, want)
		}
		if ip := c.Attributes[IP]; ip.TrustedHops != 0 || ip.V6Prefix != 64 {
			t.Errorf("%q: ip %+v", text, ip)
		}
	}
}

func TestTheConstantsNameTheBuiltInAttributes(t *testing.T) {
	c := defaults()
	for name, index := range map[string]int{
		"key": Key, "ip": IP, "model": Model, "provider": Provider, "route": Route,
		"cluster": Cluster, "path": Path, "method": Method, "operation": Operation,
	} {
		if c.Attributes[index].Name != name {
			t.Errorf("%s is %s", name, c.Attributes[index].Name)
		}
	}
	if len(c.Attributes) != builtins {
		t.Errorf("%d attributes, want %d", len(c.Attributes), builtins)
	}
}

func TestGivenValuesReplaceDefaults(t *testing.T) {
	c := parsed(t, `{
		"admission": "headers", "on_error": "deny",
		"body": {"max_bytes": 4096, "oversize": "deny", "unreadable": "deny"},
		"reserve": {"default_output_tokens": 0, "learn": false},
		"stream_usage": "never",
		"headers": {"reset_format": "unix", "upstream": "only", "native": "drop", "account": "keep", "ietf": true},
		"errors": {"dialect": "openai", "quota_status": 402, "max_client_wait": "20s", "default_wait": "0s", "retry_jitter": "1.5s"},
		"state": {"namespace": "blue-2", "max_subjects": 10},
		"attributes": {"ip": {"trusted_hops": 2, "v6_prefix": 48}}}`)
	if c.Admission != AdmitHeaders || c.OnError != Deny {
		t.Errorf("%q, %q", c.Admission, c.OnError)
	}
	if c.Body != (Body{4096, Deny, Deny}) || c.Reserve != (Reserve{}) || c.State != (State{"blue-2", 10}) {
		t.Errorf("%+v %+v %+v", c.Body, c.Reserve, c.State)
	}
	if c.AskForUsage || c.Headers != (Headers{headers.Format{Reset: headers.AtUnix, IETF: true}, headers.Only, true, true}) ||
		c.Errors != (classify.Policy{OpenAIOnly: true, QuotaStatus: 402, MaxClientWait: 20 * time.Second, RetryJitter: 1500 * time.Millisecond}) {
		t.Errorf("%t %+v %+v", c.AskForUsage, c.Headers, c.Errors)
	}
	if ip := c.Attributes[IP]; ip.TrustedHops != 2 || ip.V6Prefix != 48 {
		t.Errorf("%+v", ip)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	tryEach(t, []problemTest{
		{"no object", `[]`, []string{`must be an object, is a list`}},
		{"a string", `"limits"`, []string{`must be an object, is a string`}},
		{"null", `null`, []string{`must be an object, is null`}},
		{"broken JSON", `{"limits": [}`, []string{`is not valid JSON; sluice check names the place`}},
		{"comments", "// limits\n{}", []string{`is not valid JSON; sluice check names the place`}},
		{"neither form", "limits: []", []string{`is neither JSON nor a protobuf Struct`}},
		{"unknown field", `{"limit": []}`, []string{
			`limit: unknown field; there are ` + fieldNames}},
		{"a key that is no word", `{"a.b\n": 1, "": 2}`, []string{
			`["a.b\n"]: unknown field; there are ` + fieldNames,
			`[""]: unknown field; there are ` + fieldNames}},
		{"duplicate field", `{"limits": [], "on_error": "deny", "limits": []}`, []string{`limits: is there twice`}},
		{"duplicate, escaped", `{"on_error": "deny", "on_\u0065rror": "deny"}`, []string{`on_error: is there twice`}},
		{"wrong words", `{"admission": "Body", "on_error": "estimate", "body": {"oversize": "allow"}}`, []string{
			`admission: must be "auto", "body" or "headers", is "Body"`,
			`on_error: must be "allow" or "deny", is "estimate"`,
			`body.oversize: must be "estimate" or "deny", is "allow"`}},
		{"wrong types", `{"admission": true, "attributes": [], "limits": {}, "body": 1, "reserve": "", "on_error": null, "state": false}`, []string{
			`admission: must be a string, is a boolean`,
			`attributes: must be an object, is a list`,
			`limits: must be a list, is an object`,
			`body: must be an object, is a number`,
			`reserve: must be an object, is a string`,
			`on_error: must be a string, is null`,
			`state: must be an object, is a boolean`}},
		{"wrong types, one level down", `{
			"body": {"max_bytes": [], "oversize": 1, "unreadable": {}, "size": 1},
			"reserve": {"default_output_tokens": null},
			"state": {"namespace": 7, "max_subjects": true}}`, []string{
			`body.max_bytes: must be a number, is a list`,
			`body.oversize: must be a string, is a number`,
			`body.unreadable: must be a string, is an object`,
			`body.size: unknown field; there are max_bytes, oversize, unreadable`,
			`reserve.default_output_tokens: must be a number, is null`,
			`state.namespace: must be a string, is a number`,
			`state.max_subjects: must be a number, is a boolean`}},
		{"out of range", `{
			"body": {"max_bytes": 0},
			"reserve": {"default_output_tokens": -1},
			"state": {"namespace": "Blue", "max_subjects": 16777217}}`, []string{
			`body.max_bytes: must be from 1 to 1073741824, is 0`,
			`reserve.default_output_tokens: must be from 0 to 1000000000, is -1`,
			`state.namespace: must be 1 to 64 of a-z, 0-9, _ and -`,
			`state.max_subjects: must be from 1 to 16777216, is 16777217`}},
		{"in the order of the text", `{
			"limits": [{"name": "a", "scope": ["team"], "dimension": "request", "limit": 1, "window": "1m"}],
			"state": {"namespace": ""},
			"attributes": {"org": {"map": "tier", "to": {"x": []}}, "x": {}}}`, []string{
			`limits[0].scope[0]: there is no attribute "team"; there are key, ip, model, provider, route, cluster, path, method, operation, org, x`,
			`limits[0].dimension: must be "requests", "tokens", "input_tokens", "output_tokens", "cost_usd" or "concurrency", is "request"`,
			`state.namespace: must be 1 to 64 of a-z, 0-9, _ and -`,
			`attributes.org.map: there is no attribute "tier"; there are key, ip, model, provider, route, cluster, path, method, operation, org, x`,
			`attributes.org.to.x: must not be empty`,
			`attributes.x: must have a source: headers, property, body or map`}},
	})
}

func TestAnErrorIsAllProblemsInOneLine(t *testing.T) {
	_, err := Parse([]byte(`{"on_error": "x", "limits": 1}`))
	want := Problems{
		{"on_error", `must be "allow" or "deny", is "x"`},
		{"limits", "must be a list, is a number"},
	}
	if !reflect.DeepEqual(err, error(want)) {
		t.Errorf("%#v", err)
	}
	if got := err.Error(); got != `on_error: must be "allow" or "deny", is "x"; limits: must be a list, is a number` {
		t.Error(got)
	}
}
