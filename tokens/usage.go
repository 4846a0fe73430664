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
// Null says nothing. A report in which a number is negative, not whole or
// beyond all models, or a part is larger than the whole, counts as none. Without
// a total it is the sum of input and output.
func ReadUsage(body []byte) (Usage, bool) {
	var u Usage
	usage, ok := lastMember(body, `"usage"`)
	if !ok {
		// The parser recurses, and what a stack cannot hold ends the VM.
		if deeper(body, MaxDepth) || !gjson.ValidBytes(body) {
			return Usage{}, false
		}
		usage = gjson.GetBytes(body, "usage")
	}
	if !usage.IsObject() {
		return Usage{}, false
	}
	var r report
	usage.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "prompt_tokens", "input_tokens":
			r.take(&u.Input, value)
		case "completion_tokens", "output_tokens":
			r.take(&u.Output, value)
		case "total_tokens":
			r.take(&u.Total, value)
		case "prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens":
			r.take(&u.CachedInput, value)
		case "prompt_tokens_details", "input_tokens_details":
			value.ForEach(func(key, value gjson.Result) bool {
				switch key.Str {
				case "cached_tokens":
					r.take(&u.CachedInput, value)
				case "cache_write_tokens":
					r.take(&u.CacheWrite, value)
				}
				return true
			})
		case "completion_tokens_details", "output_tokens_details":
			value.ForEach(func(key, value gjson.Result) bool {
				if key.Str == "reasoning_tokens" {
					r.take(&u.Reasoning, value)
				}
				return true
			})
		}
		return true
	})
	// xAI leaves reasoning out of the answer's tokens; its total tells.
	if u.Reasoning > 0 && u.Total == u.Input+u.Output+u.Reasoning {
		u.Output += u.Reasoning
	}
	if r.absurd || !r.any || u.CachedInput+u.CacheWrite > u.Input || u.Reasoning > u.Output {
		return Usage{}, false
	}
	if u.Total == 0 {
		u.Total = u.Input + u.Output
	}
	return u, true
}

// report is how the numbers of a usage were.
type report struct {
	any    bool // there is one
	absurd bool // one cannot be
}

// maxReported is more than any model takes or gives in one answer.
const maxReported = 100_000_000

// take reads a count; what is no number says nothing.
func (r *report) take(n *int64, value gjson.Result) {
	switch {
	case value.Type != gjson.Number:
	case value.Num < 0 || value.Num > maxReported || value.Num != math.Trunc(value.Num):
		r.absurd = true
	default:
		*n, r.any = int64(value.Num), true
	}
}

// deeper says whether objects and arrays may nest deeper than depth.
func deeper(body []byte, depth int) bool {
	open, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			if open++; open > depth {
				return true
			}
		case c == '}', c == ']':
			open--
		}
	}
	return false
}

// lastMember returns the value of an object's last member of that name (with
// its quotes), if that is easily found: it is where usage stands in the answers
// of most providers, and an answer may be long. A name in quotes stands in no
// JSON string, where quotes are escaped.
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
	// Behind the value the object itself must end, and nothing around it.
	end, depth, quoted := 0, 0, false
	for i, c := range rest {
		switch {
		case c == '\\':
			return gjson.Result{}, false // escapes: leave it to a whole parse
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 && end == 0 {
				end = i + 1
			}
		}
	}
	if end == 0 || depth != -1 {
		return gjson.Result{}, false
	}
	return gjson.ParseBytes(rest[:end]), true
}
