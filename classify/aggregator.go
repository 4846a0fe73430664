package classify

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// readMetadata reads what an error says beside its texts. OpenRouter's has what
// the provider said, raw, and the headers of its own limits:
// https://openrouter.ai/docs/api-reference/errors
func (x *reading) readMetadata(m gjson.Result, depth int) {
	x.shape.openRouter = m.Get("provider_name").Exists()
	if limit := m.Get("quota_limit").String(); limit != "" { // of a google.rpc.ErrorInfo
		x.addGoogleQuota(limit+" "+m.Get("quota_metric").String(), m.Get("quota_limit_value").String())
	}
	m.ForEach(func(key, v gjson.Result) bool {
		name := strings.ToLower(key.Str)
		switch name {
		case "provider_name":
			x.nestedName = clip(v.Str, maxWord)
		case "raw":
			if v.Type == gjson.String {
				x.nestedText = clip(v.Str, maxText)
				x.say(v.Str)
			} else {
				x.nestedText = clip(v.Raw, maxBody)
			}
		case "provider_error_code", "limit_source":
			x.word(v.String())
		case "headers":
			x.readMetadataHeaders(v)
		case "reason", "error_type":
			x.readKind(name, v, false)
		default:
			x.readWaitMember(name, v)
			x.own.read(name, v)
		}
		return true
	})
}

// readMetadataHeaders reads the reset of the limit, a moment in milliseconds.
func (x *reading) readMetadataHeaders(headers gjson.Result) {
	headers.ForEach(func(key, v gjson.Result) bool {
		switch strings.ToLower(key.Str) {
		case "retry-after":
			if d, ok := leadingDuration(v.String()); ok {
				x.hintAt(d)
			}
		case "x-ratelimit-reset":
			if d, ok := x.until(time.UnixMilli(v.Int())); ok {
				x.hintAt(d)
			}
		}
		return true
	})
}

// readNested reads the error of another provider inside this one: as JSON, or as
// Python prints it, in a text of litellm.
func (x *reading) readNested() *reading {
	i := strings.IndexByte(x.nestedText, '{')
	if i < 0 {
		return nil
	}
	provider := providerNamed(x.nestedName)
	if provider == "" {
		provider = providerOfException(x.text)
	}
	response := *x.response
	response.Body = []byte(pythonToJSON(x.nestedText[i:]))
	response.Headers = nil
	inner := &reading{response: &response, provider: provider, status: x.status}
	inner.readBody(response.Body)
	// Any text can have a brace in it.
	if !inner.failed && provider == "" {
		return nil
	}
	inner.resolveStatus()
	if inner.bodyStatus != 0 && inner.status != 402 {
		inner.status = inner.bodyStatus
	}
	inner.finish()
	if provider == "" {
		inner.provider = inner.detected()
	}
	if x.stated && !inner.stated {
		inner.wait, inner.stated = x.wait, true
	}
	return inner
}

// providerOfException is the provider that litellm names in a text, as in
// "AzureException"; "" where it names none.
func providerOfException(text string) string {
	const suffix = "exception"
	for from := 0; ; {
		i := strings.Index(text[from:], suffix)
		if i < 0 {
			return ""
		}
		end := from + i
		start := end
		for start > from && (alphanumeric(text[start-1]) || text[start-1] == '_') {
			start--
		}
		if p := providerNamed(text[start:end]); p != "" {
			return p
		}
		from = end + len(suffix)
	}
}

// providerNamed is the provider that people call so, "" where none is known.
func providerNamed(name string) string {
	name = strings.ToLower(name)
	if first, _, ok := strings.Cut(name, " "); ok {
		name = first
	}
	switch name {
	case "google", "googleai", "google_ai_studio":
		return "gemini"
	case "vertexai", "vertex_ai_beta":
		return "vertex_ai"
	case "amazon", "aws":
		return "bedrock"
	case "alibaba", "qwen":
		return "dashscope"
	case "together_ai", "togetherai":
		return "together"
	case "fireworks_ai", "fireworksai":
		return "fireworks"
	}
	if p, ok := Canonical(name); ok && p != OpenAICompatible {
		return p
	}
	return ""
}

// pythonToJSON rewrites a Python dict, as str() prints it, into JSON; JSON comes
// out as it is. What is neither comes out as something that is no JSON.
func pythonToJSON(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\'' || c == '"':
			i = appendPythonString(&b, s, i)
		case strings.HasPrefix(s[i:], "None"):
			b.WriteString("null")
			i += len("None")
		case strings.HasPrefix(s[i:], "True"):
			b.WriteString("true")
			i += len("True")
		case strings.HasPrefix(s[i:], "False"):
			b.WriteString("false")
			i += len("False")
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// appendPythonString writes the string that begins at i as one of JSON, and
// returns where it ends.
func appendPythonString(b *strings.Builder, s string, i int) int {
	quote := s[i]
	b.WriteByte('"')
	for i++; i < len(s) && s[i] != quote; i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] != '\'' {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		case s[i] == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(s[i])
		}
	}
	b.WriteByte('"')
	return i + 1
}
