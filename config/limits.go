package config

import (
	"math"
	"strconv"
	"time"

	"sluice/limits"
)

// maxLimit is the largest ceiling: all whole JSON numbers up to here are exact.
const maxLimit = 1<<53 - 1

func (r *reader) limits(n node, c *Config) {
	var names []string
	r.list(n, func(n node) {
		l, name, enforced := r.limit(n, c)
		if l.Name == "" {
			return
		}
		for _, other := range names {
			if other == l.Name {
				r.problem(name, quote(l.Name)+" is the name of another limit")
			}
		}
		names = append(names, l.Name)
		if enforced {
			c.Limits = append(c.Limits, l)
		}
	})
}

// limit reads one limit, and returns where it is named; without a valid name
// that stays empty.
func (r *reader) limit(n node, c *Config) (l limits.Limit, name node, enforced bool) {
	given := map[string]node{}
	f := func(name string, read func(node)) field {
		return field{name, func(n node) { given[name] = n; read(n) }}
	}
	enforced = true
	accounting := limits.Total()
	dimensions := limits.DimensionNames()
	l.Dimension = dimensionOf(n)
	r.object(n, []field{
		f("name", func(n node) {
			if l.Name = r.name(n); l.Name != "" {
				name = n
			}
		}),
		f("scope", func(n node) { l.Scope = r.scope(n, c) }),
		f("match", func(n node) { l.Match = r.match(n, c) }),
		f("overrides", func(n node) { l.Overrides = r.overrides(n, l.Dimension, c) }),
		f("dimension", func(n node) { r.oneOf(n, dimensions...) }),
		f("limit", func(n node) { l.Max = r.ceiling(n, l.Dimension) }),
		f("window", func(n node) { r.window(n, &l) }),
		f("algorithm", func(n node) {
			if i, ok := r.oneOf(n, "fixed", "sliding", "token_bucket"); ok {
				l.Algorithm = limits.Algorithm(i)
			}
		}),
		f("burst", func(n node) { l.Burst = r.ceiling(n, l.Dimension) }),
		f("align", func(n node) {
			if i, ok := r.oneOf(n, "first_request", "calendar"); ok && i == 0 {
				delete(given, "align")
			}
		}),
		f("lease", func(n node) { l.Window, _ = r.duration(n, "") }),
		f("accounting", func(n node) { accounting = r.accounting(n, c) }),
		f("unpriced", func(n node) {
			i, _ := r.oneOf(n, "deny", "free")
			l.FreeUnpriced = i == 1
		}),
		f("on_missing", func(n node) {
			if i, ok := r.oneOf(n, "shared", "skip", "deny"); ok {
				l.OnMissing = limits.OnMissing(i)
			}
		}),
		f("shadow", func(n node) { l.Shadow, _ = r.boolean(n) }),
		f("enforced", func(n node) {
			if v, ok := r.boolean(n); ok {
				enforced = v
			}
		}),
	})
	if n.value.IsObject() {
		r.together(n, &l, given, c)
	}
	if l.Dimension == limits.Concurrency && l.Window == 0 {
		l.Window = defaultLease
	}
	if l.Dimension != limits.Requests && l.Dimension != limits.Concurrency && l.Dimension != limits.Cost {
		l.Accounting = accounting
	}
	return l, name, enforced
}

// defaultLease is how long a slot is held for a stream that passes no byte.
const defaultLease = 10 * time.Minute

// dimensionOf reads a limit's dimension before all else, for the other fields
// hang on it.
func dimensionOf(n node) limits.Dimension {
	name := n.value.Get("dimension").Str
	for i, d := range limits.DimensionNames() {
		if d == name {
			return limits.Dimension(i)
		}
	}
	return limits.Requests
}

// together checks what the fields of a limit demand of each other.
func (r *reader) together(n node, l *limits.Limit, given map[string]node, c *Config) {
	required := []string{"name", "dimension", "limit"}
	if l.Dimension != limits.Concurrency {
		required = append(required, "window")
	}
	for _, name := range required {
		if _, ok := given[name]; !ok {
			r.problem(n.absent(name), "is missing")
		}
	}
	only := func(name string, holds bool, message string) {
		if at, ok := given[name]; ok && !holds {
			r.problem(at, message)
		}
	}
	concurrency := l.Dimension == limits.Concurrency
	countsTokens := l.Dimension == limits.Tokens || l.Dimension == limits.InputTokens || l.Dimension == limits.OutputTokens
	only("window", !concurrency, "is not for concurrency; see lease")
	only("algorithm", !concurrency, "is not for concurrency")
	only("lease", concurrency, "is for concurrency only")
	only("burst", l.Algorithm == limits.TokenBucket, "is for the algorithm token_bucket only")
	only("accounting", countsTokens, "is for limits on tokens only")
	only("unpriced", l.Dimension == limits.Cost, "is for cost_usd only")
	if _, ok := given["align"]; ok {
		only("align", l.Algorithm == limits.FixedWindow && !concurrency, "calendar is for fixed windows only")
		if w, ok := given["window"]; ok && l.Algorithm == limits.FixedWindow && !concurrency {
			if l.Calendar = periodOf(w); l.Calendar == limits.NoPeriod {
				r.problem(given["align"], "calendar needs a window of second, minute, hour, day, week, month or year")
			}
		}
	}
	only("algorithm", !l.Never || l.Algorithm == limits.FixedWindow, "must be fixed where the window is never over")
	if l.Dimension == limits.Cost && !c.priced && !l.FreeUnpriced {
		r.problem(n, "counts by prices, and there are none: every model call would be refused")
	}
}

// ceiling reads a number above 0: whole, but for US$, which are kept in
// billionths.
func (r *reader) ceiling(n node, d limits.Dimension) int64 {
	if d != limits.Cost {
		v, _ := r.whole(n, 1, maxLimit)
		return v
	}
	v, ok := r.decimal(n, 1e-9, 9e9)
	if !ok {
		return 0
	}
	return int64(math.Round(v * limits.NanoDollars))
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
		if l.Never || l.Dimension != limits.Concurrency && l.Window >= 24*time.Hour {
			c.Warnings = append(c.Warnings, Problem{path + ".window",
				"the count lives in one Envoy process and dies with it"})
		}
	}
}
