package tokens

import (
	"strings"
	"testing"
)

func TestReadUsage(t *testing.T) {
	tests := []struct {
		name, body string
		want       Usage
		ok         bool
	}{
		{"chat", `{"model":"gpt-4o","usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`,
			Usage{Input: 10, Output: 5, Total: 15}, true},
		{"chat details", `{"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":7},"completion_tokens_details":{"reasoning_tokens":40}}}`,
			Usage{Input: 100, Output: 50, Total: 150, CachedInput: 64, CacheWrite: 7, Reasoning: 40}, true},
		{"embeddings", `{"usage":{"prompt_tokens":8,"total_tokens":8}}`, Usage{Input: 8, Total: 8}, true},
		{"Responses", `{"usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":3},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":18}}`,
			Usage{Input: 11, Output: 7, Total: 18, CachedInput: 3, Reasoning: 2}, true},
		{"DeepSeek", `{"usage":{"prompt_tokens":563,"completion_tokens":116,"prompt_cache_hit_tokens":512,"prompt_cache_miss_tokens":51}}`,
			Usage{Input: 563, Output: 116, Total: 679, CachedInput: 512}, true},
		{"no total", `{"usage":{"prompt_tokens":1,"completion_tokens":2}}`, Usage{Input: 1, Output: 2, Total: 3}, true},
		{"whole in other forms", `{"usage":{"prompt_tokens":1e2,"completion_tokens":3.0}}`, Usage{Input: 100, Output: 3, Total: 103}, true},
		{"null", `{"usage":null}`, Usage{}, false},
		{"null counts", `{"usage":{"prompt_tokens":null,"completion_tokens":null,"total_tokens":null}}`, Usage{}, false},
		{"negative", `{"usage":{"prompt_tokens":-1,"completion_tokens":5,"total_tokens":-4}}`, Usage{}, false},
		{"one absurd", `{"usage":{"prompt_tokens":10,"completion_tokens":1e12}}`, Usage{}, false},
		{"more cached than there is", `{"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":900000}}}`, Usage{}, false},
		{"more thought than answered", `{"usage":{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":900000}}}`, Usage{}, false},
		{"reasoning beside the answer (xAI)", `{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":7}}}`,
			Usage{Input: 10, Output: 12, Total: 22, Reasoning: 7}, true},
		{"too deep", strings.Repeat("[", 20000), Usage{}, false},
		{"too deep beside it", `{"usage":{"prompt_tokens":1},"x":` + strings.Repeat("[", 20000) + `"\\"` + strings.Repeat("]", 20000) + `}`, Usage{}, false},
		{"absurd", `{"usage":{"prompt_tokens":1000000001,"completion_tokens":1e300}}`, Usage{}, false},
		{"a fraction", `{"usage":{"prompt_tokens":1.5}}`, Usage{}, false},
		{"strings", `{"usage":{"prompt_tokens":"10"}}`, Usage{}, false},
		{"a list", `{"usage":[{"prompt_tokens":10}]}`, Usage{}, false},
		{"none", `{"choices":[]}`, Usage{}, false},
		{"elsewhere", `{"choices":[{"message":{"content":"\"usage\":{\"prompt_tokens\":10}"},"x":{"usage":{"prompt_tokens":10}}}]}`, Usage{}, false},
		{"null after a report", `{"usage":{"prompt_tokens":3},"usage":null}`, Usage{Input: 3, Total: 3}, true},
		{"details are null", `{"usage":{"prompt_tokens":3,"prompt_tokens_details":null}}`, Usage{Input: 3, Total: 3}, true},
		{"not an object", `[]`, Usage{}, false},
		{"empty", ``, Usage{}, false},
		{"not JSON", `oops`, Usage{}, false},
	}
	for _, tt := range tests {
		got, ok := ReadUsage([]byte(tt.body))
		if tt.ok && got != tt.want || ok != tt.ok {
			t.Errorf("%s: %+v %v", tt.name, got, ok)
		}
	}
}

func FuzzReadUsage(f *testing.F) {
	f.Add([]byte(`{"model":"m","usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1}}}`))
	f.Add([]byte(`{"usage":{"prompt_tokens":-1e999,"input_tokens":nu`))
	f.Fuzz(func(t *testing.T, body []byte) {
		u, ok := ReadUsage(body)
		for _, n := range []int64{u.Input, u.Output, u.CachedInput, u.CacheWrite, u.Reasoning} {
			if n < 0 || n > MaxCount {
				t.Fatalf("%+v", u)
			}
		}
		if !ok && u != (Usage{}) {
			t.Fatalf("%+v", u)
		}
	})
}

// The quick way finds what a whole parse finds.
func TestUsageIsFoundWhereverItStands(t *testing.T) {
	const report = `{"prompt_tokens":10,"completion_tokens":5}`
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"at the end":                    {`{"model":"m","usage":` + report + `}`, true},
		"with space around":             {"{\"usage\" : " + report + "\n}\n", true},
		"in the middle":                 {`{"usage":` + report + `,"choices":[{"text":"} ] \" {"}]}`, true},
		"before a text that quotes it":  {`{"usage":` + report + `,"text":"\"usage\":{\"prompt_tokens\":99}"}`, true},
		"before another's":              {`{"usage":` + report + `,"choices":[{"usage":{"prompt_tokens":99}}]}`, true},
		"behind another's":              {`{"choices":[{"usage":{"prompt_tokens":99}}],"usage":` + report + `}`, true},
		"only another's":                {`{"choices":[{"usage":` + report + `}]}`, false},
		"another's, and more behind it": {`{"choices":[{"usage":` + report + `}],"x":{"y":[1]}}`, false},
		"as a value":                    {`{"object":"usage","x":` + report + `}`, false},
		"broken off":                    {`{"usage":` + report, false},
		"broken off further on":         {`{"usage":` + report + `,"x":[1`, false},
		"of an array":                   {`[{"usage":` + report + `}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			u, ok := ReadUsage([]byte(c.body))
			if ok != c.want || ok && (u.Input != 10 || u.Output != 5) {
				t.Errorf("%+v, %v", u, ok)
			}
		})
	}
}

// An answer as most providers send it takes the quick way: the slow one would
// find the same, so only this shows it.
func TestUsageAtTheEndIsFoundQuickly(t *testing.T) {
	body := []byte(`{"id":"x","choices":[{"message":{"content":"a \"quoted\" word"}}],"usage":{"prompt_tokens":10,"details":{"a":[1]}}}`)
	if usage, ok := lastMember(body, `"usage"`); !ok || usage.Raw != `{"prompt_tokens":10,"details":{"a":[1]}}` {
		t.Errorf("%q, %v", usage.Raw, ok)
	}
}
