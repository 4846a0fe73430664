package config

import (
	"net/netip"
	"strings"

	"sluice/classify"
	"sluice/limits"
	"sluice/tokens"
)

// match reads the matchers of a limit: all must hold.
func (r *reader) match(n node, c *Config) []limits.Matcher {
	var out []limits.Matcher
	builtin := func(name string, index int) field {
		return field{name, func(n node) { out = append(out, r.matcher(n, index, c)) }}
	}
	before := len(r.problems)
	r.object(n, []field{
		builtin("path", Path),
		builtin("method", Method),
		builtin("model", Model),
		builtin("operation", Operation),
		builtin("provider", Provider),
		{"attribute", func(n node) { out = append(out, r.attributeMatch(n, c)...) }},
	})
	if len(r.problems) == before && len(out) == 0 {
		r.problem(n, "must match something; without match a limit applies to all")
	}
	return out
}

// attributeMatch reads {"attribute": ["glob", …], …}.
func (r *reader) attributeMatch(n node, c *Config) []limits.Matcher {
	var out []limits.Matcher
	count := r.entries(n, func(name string, n node) {
		if i := r.named(n, name, c); i >= 0 {
			out = append(out, r.matcher(n, i, c))
		} else {
			r.globs(n, i, c)
		}
	})
	if count == 0 {
		r.problem(n, "must not be empty")
	}
	return out
}

func (r *reader) matcher(n node, attribute int, c *Config) limits.Matcher {
	c.use(attribute)
	if c.Admission == AdmitHeaders && c.UnknownEarly(attribute) {
		r.problem(n, `can never match: with "admission": "headers" a request is decided before its body tells this`)
	}
	return limits.Matcher{Attribute: attribute, Globs: r.globs(n, attribute, c)}
}

// globs reads a list of globs for an attribute, or for none, -1.
func (r *reader) globs(n node, attribute int, c *Config) []limits.Glob {
	var out []limits.Glob
	r.texts(n, func(n node, s string) {
		if name, known := classify.Canonical(s); known && attribute == Provider {
			s = name // which may have been called "azure"
		}
		g := limits.NewGlob(s)
		if attribute >= 0 {
			if why := c.never(attribute, g); why != "" {
				r.problem(n, why)
			}
		}
		if attribute == Path {
			out = append(out, pathGlobs(s)...)
			return
		}
		out = append(out, g)
	})
	return out
}

// pathGlobs are what a pattern means for paths that have no slash at the end, as
// they are compared: /public/* is also meant for /public/ itself.
func pathGlobs(pattern string) []limits.Glob {
	out := []limits.Glob{limits.NewGlob(pattern)}
	if whole, ok := strings.CutSuffix(strings.TrimSuffix(pattern, "*"), "/"); ok && whole != "" {
		out = append(out, limits.NewGlob(whole))
	}
	return out
}

// never says why a glob matches nothing that the attribute can be, if so: a
// typing error would make a limit that is never in force.
func (c *Config) never(attribute int, g limits.Glob) string {
	a := &c.Attributes[attribute]
	pattern := g.String()
	switch {
	case a.Secret:
		if !matchesHashes(pattern) { // which may be the secret
			return "can never match: a secret is matched by the first 12 hex digits of its SHA-256"
		}
	case a.Default != nil && g.Match(*a.Default):
	case a.Groups != nil:
		return noneOf(a.Groups.Names, g)
	case !a.BuiltIn():
	case attribute == Provider:
		return noneOf(classify.Providers(), g)
	case attribute == Operation:
		return noneOf(operations(), g)
	case attribute == Path:
		if pattern[0] != '/' && pattern[0] != '*' {
			return quote(pattern) + " can never match: a path begins with /"
		}
		if strings.Contains(pattern, ";") {
			return quote(pattern) + " can never match: paths are compared without parameters"
		}
	case attribute == Method:
		if pattern != strings.ToUpper(pattern) {
			return quote(pattern) + " can never match: methods are in upper case"
		}
	case attribute == IP:
		if network, err := netip.ParsePrefix(pattern); err == nil &&
			(network.Addr().Is4() || network.Bits() != a.V6Prefix || network != network.Masked()) {
			return quote(pattern) + " can never match: it is compared as text, as in \"10.1.*\""
		}
	}
	return ""
}

// noneOf says that a glob matches no value, if so.
func noneOf(values []string, g limits.Glob) string {
	for _, v := range values {
		if g.Match(v) {
			return ""
		}
	}
	return quote(g.String()) + " can never match; there are " + strings.Join(values, ", ")
}

// matchesHashes says whether a glob matches anything that HashSecret returns.
func matchesHashes(pattern string) bool {
	digits := strings.ReplaceAll(pattern, "*", "")
	for i := 0; i < len(digits); i++ {
		if c := digits[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(digits) == 12 || len(digits) < 12 && len(digits) < len(pattern)
}

// overrides reads the other ceilings of a limit; the first that matches counts.
func (r *reader) overrides(n node, d limits.Dimension, c *Config) []limits.Override {
	var out []limits.Override
	r.list(n, func(n node) {
		var o limits.Override
		attribute, limit := false, false
		before := len(r.problems)
		r.object(n, []field{
			{"attribute", func(n node) { attribute = true; o.Match = r.attributeMatch(n, c) }},
			{"limit", func(n node) { limit = true; o.Max = r.ceiling(n, d) }},
		})
		if !n.value.IsObject() {
			return
		}
		if !attribute {
			r.problem(n.absent("attribute"), "is missing")
		}
		if !limit {
			r.problem(n.absent("limit"), "is missing")
		}
		if len(r.problems) > before {
			return
		}
		for _, earlier := range out {
			if covers(earlier.Match, o.Match) {
				r.problem(n, "can never count: an earlier one matches all that it does")
				return
			}
		}
		out = append(out, o)
	})
	return out
}

// covers says whether some matchers hold wherever others do.
func covers(wide, narrow []limits.Matcher) bool {
	for _, w := range wide {
		found := false
		for _, n := range narrow {
			found = found || n.Attribute == w.Attribute && coverGlobs(w.Globs, n.Globs)
		}
		if !found {
			return false
		}
	}
	return true
}

// coverGlobs says whether each narrow glob is covered by a wide one. A glob
// that matches another's text, stars and all, matches all that that one does.
func coverGlobs(wide, narrow []limits.Glob) bool {
	for _, n := range narrow {
		found := false
		for _, w := range wide {
			found = found || w.Match(n.String())
		}
		if !found {
			return false
		}
	}
	return true
}

// operations are those that a request can be.
func operations() []string {
	return []string{
		string(tokens.Chat), string(tokens.Completions), string(tokens.Embeddings), string(tokens.Images),
		string(tokens.Audio), string(tokens.Moderations), string(tokens.Rerank), string(tokens.Other),
	}
}
