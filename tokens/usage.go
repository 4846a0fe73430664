package tokens

import (
	"bytes"
	"math"

	"github.com/tidwall/gjson"
)

// Usage is what a provider reports about a finished request, in tokens. A
// number that was not reported, or not credibly, is 0.
type Usage struct {
	Input  int64 // all prompt tokens, those from and to the cache included
	Output int64 // all answered tokens, reasoning included
	Total  int64 // as reported, else Input + Output

	CachedInput int64 // of Input, read from the provider's cache
	CacheWrite  int64 // of Input, written to the provider's cache
	Reasoning   int64 // of Output, thought but not shown
}

// ReadUsage reads the usage that a complete JSON answer of an OpenAI-style API
// reports: chat and text completions, embeddings, and Responses. It returns
// false where there is none.
//
// A number that is null, negative, not whole or above [MaxCount] counts as not
// reported. Without a credible input or output there is no usage; without a
// total it is their sum.
func ReadUsage(body []byte) (Usage, bool) {
	var u Usage
	usage, ok := lastMember(body, `"usage"`)
	if !ok {
		if !gjson.ValidBytes(body) {
			return Usage{}, false
		}
		usage = gjson.GetBytes(body, "usage")
	}
	if !usage.IsObject() {
		return Usage{}, false
	}
	var reported bool
	usage.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "prompt_tokens", "input_tokens":
			reported = take(&u.Input, value) || reported
		case "completion_tokens", "output_tokens":
			reported = take(&u.Output, value) || reported
		case "total_tokens":
			take(&u.Total, value)
		case "prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens":
			take(&u.CachedInput, value)
		case "prompt_tokens_details", "input_tokens_details":
			value.ForEach(func(key, value gjson.Result) bool {
				switch key.Str {
				case "cached_tokens":
					take(&u.CachedInput, value)
				case "cache_write_tokens":
					take(&u.CacheWrite, value)
				}
				return true
			})
		case "completion_tokens_details", "output_tokens_details":
			value.ForEach(func(key, value gjson.Result) bool {
				if key.Str == "reasoning_tokens" {
					take(&u.Reasoning, value)
				}
				return true
			})
		}
		return true
	})
	if !reported {
		return Usage{}, false
	}
	if u.Total == 0 {
		u.Total = u.Input + u.Output
	}
	return u, true
}

// lastMember returns the value of an object's last member of that name (with
// its quotes), if that is easily found: it is where usage stands in the answers
// of most providers, and an answer may be long. A name in quotes stands in no
// JSON string, where quotes are escaped. Behind the value only the object's end
// may be open, or the member belongs to another object.
func lastMember(object []byte, name string) (gjson.Result, bool) {
	i := bytes.LastIndex(object, []byte(name))
	if i < 0 {
		return gjson.Result{}, false
	}
	rest := object[i+len(name):]
	for len(rest) > 0 && (rest[0] == ':' || rest[0] <= ' ') {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] != '{' {
		return gjson.Result{}, false
	}
	value := gjson.ParseBytes(rest)
	depth, quoted := 1, false
	for _, c := range rest[len(value.Raw):] {
		switch {
		case c == '\\':
			return gjson.Result{}, false // escapes: leave it to a whole parse
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		}
	}
	return value, depth == 0
}

// take sets *n to a credible count and tells whether it was one.
func take(n *int64, value gjson.Result) bool {
	if value.Type != gjson.Number || value.Num < 0 || value.Num > MaxCount || value.Num != math.Trunc(value.Num) {
		return false
	}
	*n = int64(value.Num)
	return true
}
