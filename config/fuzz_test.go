package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// seeds are configurations, right and wrong, for the fuzzer to start from.
var seeds = []string{
	`{}`,
	`{"admission": "body", "on_error": "deny", "body": {"max_bytes": 4096, "oversize": "deny", "unreadable": "estimate"},
	  "reserve": {"default_output_tokens": 256}, "state": {"namespace": "blue", "max_subjects": 1e3}}`,
	`{"attributes": {
	    "org": {"property": ["filter_state", "wasm.tenant"]}, "tier": {"headers": ["x-tier"], "default": "free", "verified": true},
	    "user": {"body": "metadata.user_id", "secret": true}, "key": {"headers": ["x-gateway-key"]},
	    "class": {"map": "model", "to": {"sonnet": ["claude-*sonnet*"], "gpt": ["gpt-4o*"]}, "default": "other"},
	    "ip": {"trusted_hops": 1, "v6_prefix": 48}},
	  "limits": [
	    {"name": "rpm", "scope": ["key", "class"], "dimension": "requests", "limit": 6e2, "window": "1m",
	     "match": {"path": ["/v1/*"], "provider": ["openai"], "attribute": {"class": ["gpt"]}},
	     "overrides": [{"attribute": {"tier": ["pro", "max-*"]}, "limit": 6000}, {"attribute": {"key": ["0123456789ab"]}, "limit": "5000000000"}]},
	    {"name": "tpm", "scope": [], "dimension": "tokens", "limit": 100000, "window": "day", "algorithm": "fixed", "on_missing": "skip"}]}`,
	`{"limits": [{"name": "a", "window": 60, "limit": 1.5, "dimension": "request"}, {}, null, {"name": "a", "scope": ["x"]}]}`,
	`{"attributes": {"key": {"map": "x", "to": {"a": ["b"]}}, "a": {"map": "a", "to": {}}}, "limits": [{"scope": ["key", "a"]}]}`,
	`{"limits": [], "limits": {}}`,
	`[1e400, "\ud800", {"a": null}]`,
}

// FuzzParse holds that nothing makes Parse panic, that it returns either a
// configuration or problems, and that a Struct means what its JSON means.
func FuzzParse(f *testing.F) {
	for _, text := range seeds {
		f.Add([]byte(text))
		if fields := object([]byte(text)); fields != nil {
			f.Add(asStruct(f, fields))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		problems, _ := err.(Problems)
		if (c == nil) != (len(problems) > 0) {
			t.Fatalf("%v, %v", c, err)
		}

		fields := object(data)
		if fields == nil {
			return
		}
		sorted, err := json.Marshal(fields) // as asStruct sorts
		if err != nil {
			t.Fatal(err)
		}
		encoded := asStruct(t, fields)
		if len(encoded) == 0 || len(encoded) > 1<<16 {
			return
		}
		fromJSON, errJSON := Parse(sorted)
		fromStruct, errStruct := Parse(encoded)
		if errStruct != nil && errStruct.Error() == "is neither JSON nor a protobuf Struct" {
			return // nested deeper than any configuration
		}
		if !reflect.DeepEqual(fromJSON, fromStruct) || message(errJSON) != message(errStruct) {
			t.Fatalf("%s\nJSON:   %+v, %v\nStruct: %+v, %v", sorted, fromJSON, errJSON, fromStruct, errStruct)
		}
	})
}

// message is an error's, with numbers as encoding/json writes them.
func message(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "e-0", "e-")
}
