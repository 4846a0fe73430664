package config

import (
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"sluice/limits"
)

// maxLimit is the largest ceiling: all whole JSON numbers up to here are exact.
const maxLimit = 1<<53 - 1

func (r *reader) limits(n node, c *Config) {
	r.list(n, func(n node) {
		l, name := r.limit(n, c)
		if l.Name == "" {
			return
		}
		for i := range c.Limits {
			if c.Limits[i].Name == l.Name {
				r.problem(name, quote(l.Name)+" is the name of another limit")
			}
		}
		c.Limits = append(c.Limits, l)
	})
}

// limit reads one limit, and returns where it is named; without a valid name
// that stays empty.
func (r *reader) limit(n node, c *Config) (l limits.Limit, name node) {
	given := map[string]bool{}
	f := func(name string, read func(node)) field {
		return field{name, func(n node) { given[name] = true; read(n) }}
	}
	dimensions := limits.DimensionNames()
	r.object(n, []field{
		f("name", func(n node) {
			if l.Name = r.name(n); l.Name != "" {
				name = n
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
				r.problem(n.absent(name), "is missing")
			}
		}
	}
	return l, name
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
				r.problem(n, quote(name)+" is there twice")
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
		r.problem(n, "there is no attribute "+quote(name)+"; there are "+c.attributeNames())
		return i
	}
	c.use(i)
	return i
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
		r.problem(n, `must have a unit, as in "60s"`)
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
		r.problem(n, `must be a duration such as "90s", "1m" or "24h", or one of second, minute, hour, day, week, month, year, is `+quote(s))
	case d < time.Millisecond || d%time.Millisecond != 0:
		r.problem(n, "must be whole milliseconds, at least one, is "+quote(s))
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
		path := "limits[" + strconv.Itoa(i) + "]"
		for k, a := range l.Scope {
			if c.Admission == AdmitHeaders && c.UnknownEarly(a) {
				c.Warnings = append(c.Warnings, Problem{path + ".scope[" + strconv.Itoa(k) + "]",
					`with "admission": "headers" a request is decided before its body tells this: it is always missing`})
			}
		}
		if l.Window >= 24*time.Hour {
			c.Warnings = append(c.Warnings, Problem{path + ".window",
				"the count lives in one Envoy process and dies with it"})
		}
	}
}
