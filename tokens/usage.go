package tokens

import (
	"math"

	"github.com/tidwall/gjson"
)

// Usage is what a provider reports about a finished request, in tokens. A
// number that was not reported, or not credibly, is 0.
type Usage struct {
	// Model is the model that answered, empty where the answer does not say.
	Model string

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
	var usage gjson.Result
	root := gjson.ParseBytes(body)
	if !root.IsObject() {
		return Usage{}, false
	}
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "model":
			if value.Type == gjson.String {
				u.Model = value.Str
			}
		case "usage":
			if value.IsObject() {
				usage = value
			}
		}
		return true
	})
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

// take sets *n to a credible count and tells whether it was one.
func take(n *int64, value gjson.Result) bool {
	if value.Type != gjson.Number || value.Num < 0 || value.Num > MaxCount || value.Num != math.Trunc(value.Num) {
		return false
	}
	*n = int64(value.Num)
	return true
}
