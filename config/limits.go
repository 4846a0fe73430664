package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"sluice/classify"
	"sluice/limits"
	"sluice/tokens"
)

// maxLimit is the largest ceiling: JSON numbers are exact up to here.
const maxLimit = 1 << 53

func (r *reader) limits(n node, c *Config) {
	r.list(n, func(n node) {
		l, ok := r.limit(n, c)
		if !ok {
			return
		}
		for i := range c.Limits {
			if c.Limits[i].Name == l.Name {
				r.problem(n.path+".name", quote(l.Name)+" is the name of another limit")
			}
		}
		c.Limits = append(c.Limits, l)
	})
}

// limit reads one limit; not ok: it has no name to go by.
func (r *reader) limit(n node, c *Config) (l limits.Limit, ok bool) {
	given := map[string]bool{}
	f := func(name string, read func(node)) field {
		return field{name, func(n node) { given[name] = true; read(n) }}
	}
	dimensions := limits.DimensionNames()
	r.object(n, []field{
		f("name", func(n node) {
			if l.Name, ok = r.text(n); ok && !isName(l.Name) {
				r.problem(n.path, "must be 1 to 64 of a-z, 0-9, _ and -")
				ok = false
			}
		}),
		f("scope", func(n node) { l.Scope = r.scope(n, c) }),
		f("match", func(n node) { l.Match = r.match(n, c) }),
		f("overrides", func(n node) { l.Overrides = r.overrides(n, c) }),
		f("dimension", func(n node) {
			if i, ok := r.oneOf(n, dimensions...); ok {
				l.Dimension = limits.Dimension(i)
			}
		}),
		f("limit", func(n node) { l.Max, _ = r.whole(n, 1, maxLimit) }),
		f("window", func(n node) { l.Window = r.window(n) }),
		f("algorithm", func(n node) { r.oneOf(n, "fixed") }),
		f("on_missing", func(n node) {
			if i, ok := r.oneOf(n, "shared", "skip", "deny"); ok {
				l.OnMissing = limits.OnMissing(i)
			}
		}),
	})
	if n.value.IsObject() {
		for _, name := range []string{"name", "dimension", "limit", "window"} {
			if !given[name] {
				r.problem(n.path+"."+name, "is missing")
			}
		}
	}
	return l, ok
}

func (r *reader) scope(n node, c *Config) []int {
	var out []int
	r.list(n, func(n node) {
		name, ok := r.text(n)
		if !ok {
			return
		}
		i := r.named(n, name, c)
		if i < 0 {
			return
		}
		for _, other := range out {
			if other == i {
				r.problem(n.path, quote(name)+" is there twice")
				return
			}
		}
		out = append(out, i)
	})
	return out
}

// named finds the attribute that a limit uses.
func (r *reader) named(n node, name string, c *Config) int {
	i := c.attribute(name)
	if i < 0 {
		r.problem(n.path, "there is no attribute "+quote(name)+"; there are "+c.attributeNames())
		return i
	}
	c.use(i)
	return i
}

// match reads the matchers of a limit: all must hold.
func (r *reader) match(n node, c *Config) []limits.Matcher {
	var out []limits.Matcher
	builtin := func(name string, index int, possible []string) field {
		return field{name, func(n node) {
			c.use(index)
			globs := r.globs(n)
			out = append(out, limits.Matcher{Attribute: index, Globs: globs})
			r.possible(n, globs, possible)
		}}
	}
	before := len(r.problems)
	r.object(n, []field{
		builtin("path", Path, nil),
		builtin("method", Method, nil),
		builtin("model", Model, nil),
		builtin("operation", Operation, operations()),
		builtin("provider", Provider, classify.Providers()),
		{"attribute", func(n node) { out = append(out, r.attributeMatch(n, c)...) }},
	})
	if len(r.problems) == before && len(out) == 0 {
		r.problem(n.path, "must match something; without match a limit applies to all")
	}
	return out
}

// attributeMatch reads {"attribute": ["glob", …], …}.
func (r *reader) attributeMatch(n node, c *Config) []limits.Matcher {
	var out []limits.Matcher
	r.entries(n, func(name string, n node) {
		i := r.named(n, name, c)
		globs := r.globs(n)
		if i < 0 {
			return
		}
		out = append(out, limits.Matcher{Attribute: i, Globs: globs})
		if g := c.Attributes[i].Groups; g != nil {
			values := g.Names
			if d := c.Attributes[i].Default; d != nil {
				values = append(values[:len(values):len(values)], *d)
			}
			r.possible(n, globs, values)
		}
	})
	return out
}

// possible says where a glob matches nothing that can be: a typing error would
// make a limit that is never in force.
func (r *reader) possible(n node, globs []limits.Glob, values []string) {
	if values == nil {
		return
	}
	for i, g := range globs {
		matches := false
		for _, v := range values {
			matches = matches || g.Match(v)
		}
		if !matches {
			r.problem(n.path+"["+strconv.Itoa(i)+"]",
				quote(g.String())+" can never match; there are "+strings.Join(values, ", "))
		}
	}
}

func (r *reader) overrides(n node, c *Config) []limits.Override {
	var out []limits.Override
	r.list(n, func(n node) {
		var o limits.Override
		attribute, limit := false, false
		r.object(n, []field{
			{"attribute", func(n node) { attribute = true; o.Match = r.attributeMatch(n, c) }},
			{"limit", func(n node) { limit = true; o.Max, _ = r.whole(n, 1, maxLimit) }},
		})
		if !n.value.IsObject() {
			return
		}
		if !attribute {
			r.problem(n.path+".attribute", "is missing")
		}
		if !limit {
			r.problem(n.path+".limit", "is missing")
		}
		out = append(out, o)
	})
	return out
}

// windows are the named ones. From the first request a month is 30 days, a year
// 365.
var windows = []struct {
	name   string
	length time.Duration
}{
	{"second", time.Second},
	{"minute", time.Minute},
	{"hour", time.Hour},
	{"day", 24 * time.Hour},
	{"week", 7 * 24 * time.Hour},
	{"month", 30 * 24 * time.Hour},
	{"year", 365 * 24 * time.Hour},
}

func (r *reader) window(n node) time.Duration {
	if n.value.Type == gjson.Number {
		r.problem(n.path, `must have a unit, as in "60s"`)
		return 0
	}
	s, ok := r.text(n)
	if !ok {
		return 0
	}
	for _, w := range windows {
		if s == w.name {
			return w.length
		}
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		r.problem(n.path, `must be a duration such as "90s", "1m" or "24h", or one of second, minute, hour, day, week, month, year, is `+quote(s))
	case d < time.Millisecond || d%time.Millisecond != 0:
		r.problem(n.path, "must be whole milliseconds, at least one, is "+quote(s))
	default:
		return d
	}
	return 0
}

// warn adds what is allowed but seldom meant.
func (c *Config) warn() {
	for i := range c.Attributes {
		a := &c.Attributes[i]
		if a.Headers != nil && a.Used && !a.Verified && !a.Secret {
			c.Warnings = append(c.Warnings, Problem{"attributes." + a.Name,
				`a client can send any header: if a filter in front checks it, say "verified": true`})
		}
	}
	for i, l := range c.Limits {
		if l.Window >= 24*time.Hour {
			c.Warnings = append(c.Warnings, Problem{"limits[" + strconv.Itoa(i) + "].window",
				"the count lives in one Envoy process and dies with it"})
		}
	}
}

func quote(s string) string { return strconv.Quote(s) }

// operations are those that a request can be.
func operations() []string {
	return []string{
		string(tokens.Chat), string(tokens.Completions), string(tokens.Embeddings), string(tokens.Images),
		string(tokens.Audio), string(tokens.Moderations), string(tokens.Rerank), string(tokens.Other),
	}
}
