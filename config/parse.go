package config

import (
	"github.com/tidwall/gjson"
)

// Parse reads a configuration: JSON text, or the protobuf bytes of a
// google.protobuf.Struct, which is how Envoy hands over one that is written as
// YAML. No bytes mean no limits. An error is a Problems and names all that is
// wrong.
func Parse(data []byte) (*Config, error) {
	c := defaults()
	if len(data) == 0 {
		return c, nil
	}
	text := data
	if !gjson.ValidBytes(data) {
		decoded, err := structJSON(data)
		if err != nil {
			if looksLikeJSON(data) {
				return nil, Problems{{"", "is not valid JSON; sluice check names the place"}}
			}
			return nil, Problems{{"", "is neither JSON nor a protobuf Struct"}}
		}
		text = decoded
	}
	r := &reader{}
	root := node{"", gjson.ParseBytes(text)}

	// Limits name attributes, and hang on how requests are admitted and on the
	// prices: they are read last, wherever they stand.
	var list node
	r.object(root, []field{
		{"role", r.role(c)},
		{"mode", func(n node) {
			i, _ := r.oneOf(n, "enforce", "observe")
			c.Observe = i == 1
		}},
		{"admission", r.admission(c)},
		{"attributes", func(n node) { r.attributes(n, c) }},
		{"providers", func(n node) { r.providers(n, c) }},
		{"limits", func(n node) { list = n }},
		{"prices", func(n node) { c.priced = true; r.prices(n, c) }},
		{"reserve", func(n node) { r.reserve(n, &c.Reserve) }},
		{"stream_usage", func(n node) { c.AskForUsage = !r.either(n, "auto", "never") }},
		{"headers", func(n node) { r.headers(n, &c.Headers) }},
		{"errors", func(n node) { r.errors(n, &c.Errors) }},
		{"body", func(n node) { r.body(n, &c.Body) }},
		{"on_error", r.policy(&c.OnError, Allow, Deny)},
		{"state", func(n node) { r.state(n, &c.State) }},
	})
	if list.value.Exists() {
		r.limits(list, c)
		if c.Role == Upstream && len(c.Limits) > 0 {
			r.problem(list, `must be empty with "role": "upstream": it sees every attempt, and would count each`)
		}
	}
	if len(r.problems) > 0 {
		return nil, r.inOrder()
	}
	c.warn()
	return c, nil
}

func (r *reader) admission(c *Config) func(node) {
	return func(n node) {
		all := []string{string(AdmitAuto), string(AdmitBody), string(AdmitHeaders)}
		if i, ok := r.oneOf(n, all...); ok {
			c.Admission = Admission(all[i])
		}
	}
}

func (r *reader) policy(to *Policy, allowed ...Policy) func(node) {
	return func(n node) {
		names := make([]string, len(allowed))
		for i, p := range allowed {
			names[i] = string(p)
		}
		if i, ok := r.oneOf(n, names...); ok {
			*to = allowed[i]
		}
	}
}

func (r *reader) body(n node, b *Body) {
	r.object(n, []field{
		{"max_bytes", func(n node) {
			if v, ok := r.whole(n, 1, 1<<30); ok {
				b.MaxBytes = int(v)
			}
		}},
		{"oversize", r.policy(&b.Oversize, Estimate, Deny)},
		{"unreadable", r.policy(&b.Unreadable, Estimate, Deny)},
	})
}

func (r *reader) reserve(n node, to *Reserve) {
	r.object(n, []field{
		{"default_output_tokens", func(n node) {
			if v, ok := r.whole(n, 0, 1e9); ok {
				to.DefaultOutputTokens = v
			}
		}},
		{"learn", func(n node) {
			if v, ok := r.boolean(n); ok {
				to.Learn = v
			}
		}},
	})
}

func (r *reader) state(n node, s *State) {
	r.object(n, []field{
		{"namespace", func(n node) {
			if v := r.name(n); v != "" {
				s.Namespace = v
			}
		}},
		{"max_subjects", func(n node) {
			if v, ok := r.whole(n, 1, 1<<24); ok {
				s.MaxSubjects = int(v)
			}
		}},
	})
}

// name reads a string that isName; empty: it is none.
func (r *reader) name(n node) string {
	s, ok := r.text(n)
	if ok && !isName(s) {
		r.problem(n, "must be 1 to 64 of a-z, 0-9, _ and -")
		return ""
	}
	return s
}

// isName says whether s is [a-z0-9_-]{1,64}.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64
}
