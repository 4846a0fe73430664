package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"sluice/limits"
)

// oneLimit is a configuration with one limit, some of its fields set to other
// JSON; an empty one is left out.
func oneLimit(fields map[string]string) string {
	all := map[string]string{"name": `"a"`, "dimension": `"requests"`, "limit": `600`, "window": `"1m"`}
	for name, value := range fields {
		all[name] = value
	}
	var members []string
	for _, name := range []string{"name", "scope", "match", "overrides", "dimension", "limit", "window", "algorithm", "on_missing", "shadwo"} {
		if all[name] != "" {
			members = append(members, fmt.Sprintf("%q: %s", name, all[name]))
		}
	}
	return `{"limits": [{` + strings.Join(members, ", ") + `}]}`
}

func TestALimitIsReadWhole(t *testing.T) {
	c := parsed(t, `{
		"attributes": {"tier": {"property": ["filter_state", "wasm.tier"]}},
		"limits": [
			{"name": "key-rpm", "scope": ["key", "model"], "dimension": "requests", "limit": 600, "window": "1m"},
			{"name": "tpm", "scope": [], "dimension": "tokens", "limit": 9, "window": "90s", "algorithm": "fixed", "on_missing": "deny",
			 "match": {"path": ["/v1/*"], "attribute": {"tier": ["free"]}},
			 "overrides": [{"attribute": {"tier": ["pro", "max-*"]}, "limit": 6000}]}]}`)
	tier := c.attribute("tier")
	want := []limits.Limit{
		{Name: "key-rpm", Scope: []int{Key, Model}, Dimension: limits.Requests, Max: 600, Window: time.Minute},
		{Name: "tpm", Dimension: limits.Tokens, Accounting: limits.Total(), Max: 9, Window: 90 * time.Second, OnMissing: limits.DenyMissing,
			Match: []limits.Matcher{
				{Attribute: Path, Globs: []limits.Glob{limits.NewGlob("/v1/*"), limits.NewGlob("/v1")}},
				{Attribute: tier, Globs: []limits.Glob{limits.NewGlob("free")}}},
			Overrides: []limits.Override{{Max: 6000,
				Match: []limits.Matcher{{Attribute: tier, Globs: []limits.Glob{limits.NewGlob("pro"), limits.NewGlob("max-*")}}}}}},
	}
	if !reflect.DeepEqual(c.Limits, want) {
		t.Errorf("got  %+v\nwant %+v", c.Limits, want)
	}
	for i, a := range c.Attributes {
		if want := i == Key || i == Model || i == Path || i == tier; a.Used != want {
			t.Errorf("%s: used %v", a.Name, a.Used)
		}
	}
}

func TestALimitThatCannotBe(t *testing.T) {
	const fields = "there are name, scope, match, overrides, dimension, limit, window, algorithm, burst, align, lease, accounting, unpriced, on_missing, shadow, enforced"
	tryEach(t, []problemTest{
		{"no object", `{"limits": ["a", null]}`, []string{
			`limits[0]: must be an object, is a string`, `limits[1]: must be an object, is null`}},
		{"everything missing", `{"limits": [{}]}`, []string{
			`limits[0].name: is missing`, `limits[0].dimension: is missing`,
			`limits[0].limit: is missing`, `limits[0].window: is missing`}},
		{"unknown field", oneLimit(map[string]string{"shadwo": "true"}), []string{`limits[0].shadwo: unknown field; ` + fields}},
		{"wrong types", oneLimit(map[string]string{"name": "1", "scope": `"key"`, "match": "[]", "overrides": "{}", "dimension": "[]",
			"limit": "true", "window": "null", "algorithm": "false", "on_missing": "1"}), []string{
			`limits[0].name: must be a string, is a number`,
			`limits[0].scope: must be a list, is a string`,
			`limits[0].match: must be an object, is a list`,
			`limits[0].overrides: must be a list, is an object`,
			`limits[0].dimension: must be a string, is a list`,
			`limits[0].limit: must be a number, is a boolean`,
			`limits[0].window: must be a string, is null`,
			`limits[0].algorithm: must be a string, is a boolean`,
			`limits[0].on_missing: must be a string, is a number`}},
		{"wrong words", oneLimit(map[string]string{"name": `"Key RPM"`, "dimension": `"request"`, "algorithm": `"gcra"`, "on_missing": `"allow"`}), []string{
			`limits[0].name: must be 1 to 64 of a-z, 0-9, _ and -`,
			`limits[0].dimension: must be "requests", "tokens", "input_tokens", "output_tokens", "cost_usd" or "concurrency", is "request"`,
			`limits[0].algorithm: must be "fixed", "sliding" or "token_bucket", is "gcra"`,
			`limits[0].on_missing: must be "shared", "skip" or "deny", is "allow"`}},
		{"a name of 65", oneLimit(map[string]string{"name": `"` + strings.Repeat("a", 65) + `"`}), []string{
			`limits[0].name: must be 1 to 64 of a-z, 0-9, _ and -`}},
		{"scope", oneLimit(map[string]string{"scope": `["key", "team", 1, "key"]`}), []string{
			`limits[0].scope[1]: there is no attribute "team"; there are key, ip, model, provider, route, cluster, path, method, operation`,
			`limits[0].scope[2]: must be a string, is a number`,
			`limits[0].scope[3]: "key" is there twice`}},
		{"two of one name", `{"limits": [
			{"name": "a", "dimension": "requests", "limit": 1, "window": "1m"},
			{"name": "b", "dimension": "requests", "limit": 1, "window": "1m"},
			{"limit": 1, "window": "1s", "dimension": "tokens", "name": "a"}]}`, []string{
			`limits[2].name: "a" is the name of another limit`}},
		{"duplicate field", `{"limits": [{"name": "a", "name": "b", "dimension": "requests", "limit": 1, "window": "1m"}]}`, []string{
			`limits[0].name: is there twice`}},
	})
}

func TestWholeNumbers(t *testing.T) {
	const most = 1<<53 - 1
	tests := []struct {
		text    string
		want    int64
		problem string
	}{
		{"1", 1, ""},
		{"60000", 60000, ""},
		{"6e4", 60000, ""},
		{"60000.0", 60000, ""},
		{"6.0e+4", 60000, ""},
		{"9007199254740991", most, ""},
		{"1.5", 0, "must be a whole number, is 1.5"},
		{"0.99999999999999999", 1, ""}, // no other number to a computer
		{"0", 0, "must be from 1 to 9007199254740991, is 0"},
		{"-0", 0, "must be from 1 to 9007199254740991, is -0"},
		{"-1", 0, "must be from 1 to 9007199254740991, is -1"},
		{"-1.5", 0, "must be from 1 to 9007199254740991, is -1.5"},
		{"9007199254740992", 0, "must be from 1 to 9007199254740991, is 9007199254740992"},
		{"9007199254740993", 0, "must be from 1 to 9007199254740991, is 9007199254740993"},
		{"1e300", 0, "must be from 1 to 9007199254740991, is 1e300"},
		{"1e400", 0, "must be from 1 to 9007199254740991, is 1e400"},
		{"-1e400", 0, "must be from 1 to 9007199254740991, is -1e400"},
		{"1e-400", 0, "must be from 1 to 9007199254740991, is 1e-400"},

		// What Envoy makes strings of when YAML becomes a Struct.
		{`"5000000000"`, 5000000000, ""},
		{`"2147483648"`, 2147483648, ""},
		{`"6e4"`, 60000, ""},
		{`"60000.0"`, 60000, ""},
		{`"1.5"`, 0, "must be a whole number, is 1.5"},
		{`"-2147483649"`, 0, "must be from 1 to 9007199254740991, is -2147483649"},
		{`"18446744073709551616"`, 0, "must be from 1 to 9007199254740991, is 18446744073709551616"},

		// What was a string before.
		{`"2147483647"`, 0, "must be a number, is a string"},
		{`"600"`, 0, "must be a number, is a string"},
		{`"-1"`, 0, "must be a number, is a string"},
		{`""`, 0, "must be a number, is a string"},
		{`" 5000000000"`, 0, "must be a number, is a string"},
		{`"5_000_000_000"`, 0, "must be a number, is a string"},
		{`"0x1p40"`, 0, "must be a number, is a string"},
		{`"NaN"`, 0, "must be a number, is a string"},
		{`".inf"`, 0, "must be a number, is a string"},
		{`"Infinity"`, 0, "must be a number, is a string"},
		{`"true"`, 0, "must be a number, is a string"},
		{`"[1]"`, 0, "must be a number, is a string"},

		{"null", 0, "must be a number, is null"},
		{"true", 0, "must be a number, is a boolean"},
		{"[1]", 0, "must be a number, is a list"},
		{`{"a": 1}`, 0, "must be a number, is an object"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			text := oneLimit(map[string]string{"limit": test.text})
			if test.problem != "" {
				if got, want := problemsOf(t, text), "limits[0].limit: "+test.problem; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			} else if got := parsed(t, text).Limits[0].Max; got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestNumbersThatJSONHasNot(t *testing.T) {
	for _, text := range []string{"NaN", "Infinity", "0x10", "1_000", "+1", ".5", "01", "1."} {
		if got := problemsOf(t, oneLimit(map[string]string{"limit": text})); !strings.HasPrefix(got, "is not valid JSON") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestWindows(t *testing.T) {
	const duration = `must be a duration such as "90s", "1m" or "24h", or one of second, minute, hour, day, week, month, year, never, is `
	const day = 24 * time.Hour
	tests := []struct {
		text    string
		want    time.Duration
		problem string
	}{
		{`"90s"`, 90 * time.Second, ""},
		{`"1m"`, time.Minute, ""},
		{`"24h"`, day, ""},
		{`"1h30m"`, 90 * time.Minute, ""},
		{`"1.5s"`, 1500 * time.Millisecond, ""},
		{`"1ms"`, time.Millisecond, ""},
		{`"second"`, time.Second, ""},
		{`"minute"`, time.Minute, ""},
		{`"hour"`, time.Hour, ""},
		{`"day"`, day, ""},
		{`"week"`, 7 * day, ""},
		{`"month"`, 30 * day, ""},
		{`"year"`, 365 * day, ""},
		{`60`, 0, `must have a unit, as in "60s"`},
		{`"60"`, 0, duration + `"60"`},
		{`"1d"`, 0, duration + `"1d"`},
		{`"Minute"`, 0, duration + `"Minute"`},
		{`"minutes"`, 0, duration + `"minutes"`},
		{`""`, 0, duration + `""`},
		{`"9999999h"`, 0, duration + `"9999999h"`},
		{`"0"`, 0, `must be whole milliseconds, at least one, is "0"`},
		{`"0s"`, 0, `must be whole milliseconds, at least one, is "0s"`},
		{`"-1m"`, 0, `must be whole milliseconds, at least one, is "-1m"`},
		{`"999us"`, 0, `must be whole milliseconds, at least one, is "999us"`},
		{`"1.0005s"`, 0, `must be whole milliseconds, at least one, is "1.0005s"`},
		{`["1m"]`, 0, `must be a string, is a list`},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			text := oneLimit(map[string]string{"window": test.text})
			if test.problem != "" {
				if got, want := problemsOf(t, text), "limits[0].window: "+test.problem; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			} else if got := parsed(t, text).Limits[0].Window; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	const limit = `"dimension": "requests", "limit": 1, `
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing to warn of", oneLimit(map[string]string{"scope": `["key"]`}), nil},
		{"a client's header", `{"attributes": {"tier": {"headers": ["x-tier"]}}, "limits": [{"name": "a", "scope": ["tier"], "window": "1m", ` + limit[:len(limit)-2] + `}]}`,
			[]string{`attributes.tier: a client can send any header: if a filter in front checks it, say "verified": true`}},
		{"behind a group", `{"attributes": {"tier": {"headers": ["x-tier"]}, "class": {"map": "tier", "to": {"big": ["pro"]}}},
			"limits": [{"name": "a", "match": {"attribute": {"class": ["big"]}}, "window": "1m", ` + limit[:len(limit)-2] + `}]}`,
			[]string{`attributes.tier: a client can send any header: if a filter in front checks it, say "verified": true`}},
		{"one that is checked", `{"attributes": {"tier": {"headers": ["x-tier"], "verified": true}}, "limits": [{"name": "a", "scope": ["tier"], "window": "1m", ` + limit[:len(limit)-2] + `}]}`, nil},
		{"a credential", `{"attributes": {"key": {"headers": ["x-key"]}}, "limits": [{"name": "a", "scope": ["key"], "window": "1m", ` + limit[:len(limit)-2] + `}]}`, nil},
		{"one that no limit uses", `{"attributes": {"tier": {"headers": ["x-tier"]}}}`, nil},
		{"long windows", `{"limits": [{"name": "a", ` + limit + `"window": "23h59m"}, {"name": "b", ` + limit + `"window": "day"}, {"name": "c", ` + limit + `"window": "48h"}]}`,
			[]string{`limits[1].window: the count lives in one Envoy process and dies with it`,
				`limits[2].window: the count lives in one Envoy process and dies with it`}},
		{"a scope that is told too late", `{"limits": [{"name": "a", "scope": ["key", "model"], ` + limit + `"window": "1m"}], "admission": "headers"}`,
			[]string{`limits[0].scope[1]: with "admission": "headers" a request is decided before its body tells this: it is always missing`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, want := lines(parsed(t, test.text).Warnings), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
