package config

import (
	"strings"

	"sluice/limits"
)

// attributes reads the configured attributes. Groups name others, which may
// stand behind them, so they are resolved last.
func (r *reader) attributes(n node, c *Config) {
	type grouped struct {
		index int
		from  node
	}
	var groups []grouped
	r.entries(n, func(name string, n node) {
		if !isName(name) {
			r.problem(n.path, "an attribute's name must be 1 to 64 of a-z, 0-9, _ and -")
			return
		}
		i := c.attribute(name)
		if i >= 0 && i != Key && i != IP {
			r.problem(n.path, "is built in and cannot be set")
			return
		}
		if i < 0 {
			i = len(c.Attributes)
			c.Attributes = append(c.Attributes, Attribute{Name: name})
		}
		if from, ok := r.attribute(n, i, &c.Attributes[i]); ok {
			groups = append(groups, grouped{i, from})
		}
	})
	for _, g := range groups {
		from, ok := r.text(g.from)
		if !ok {
			continue
		}
		i := c.attribute(from)
		switch {
		case i < 0:
			r.problem(g.from.path, "there is no attribute "+quote(from)+"; there are "+c.attributeNames())
		case c.Attributes[i].Groups != nil:
			r.problem(g.from.path, quote(from)+" is itself made by map")
		default:
			c.Attributes[g.index].Groups.From = i
		}
	}
}

// attribute reads one attribute. If it is made of another, it returns where
// that one is named.
func (r *reader) attribute(n node, index int, a *Attribute) (from node, grouped bool) {
	var sources []string
	source := func(name string, read func(node)) field {
		return field{name, func(n node) {
			sources = append(sources, name)
			read(n)
		}}
	}
	hops, verified, to := false, false, false
	fields := []field{
		source("headers", func(n node) { a.Headers = r.headerNames(n) }),
		source("property", func(n node) { a.Property = r.texts(n) }),
		source("body", func(n node) { a.Body, _ = r.nonEmpty(n) }),
		source("map", func(n node) { from, grouped = n, true }),
		{"to", func(n node) { to = true; a.Groups = r.groups(n) }},
		{"default", func(n node) {
			if s, ok := r.text(n); ok {
				a.Default = &s
			}
		}},
		{"secret", func(n node) {
			if v, ok := r.boolean(n); ok {
				a.Secret = v
			}
		}},
		{"verified", func(n node) { verified, _ = r.boolean(n) }},
	}
	if index == IP {
		fields = append(fields,
			field{"trusted_hops", func(n node) {
				if v, ok := r.whole(n, 0, 100); ok {
					a.TrustedHops, hops = int(v), true
				}
			}},
			field{"v6_prefix", func(n node) {
				if v, ok := r.whole(n, 1, 128); ok {
					a.V6Prefix, hops = int(v), true
				}
			}})
	}
	before := len(r.problems)
	r.object(n, fields)
	if len(r.problems) > before {
		return node{}, false
	}
	switch {
	case len(sources) > 1:
		r.problem(n.path, "must have one source, has "+strings.Join(sources, " and "))
	case len(sources) == 0 && index != IP:
		r.problem(n.path, "must have a source: headers, property, body or map")
	case len(sources) > 0 && hops:
		r.problem(n.path, "trusted_hops and v6_prefix go with the built-in address, not with "+sources[0])
	case grouped != to:
		r.problem(n.path, "map and to go together")
	}
	a.Verified = verified
	return from, grouped && to
}

// groups reads {"name": ["glob", …], …}.
func (r *reader) groups(n node) *Groups {
	g := &Groups{}
	r.entries(n, func(name string, n node) {
		g.Names = append(g.Names, name)
		g.Globs = append(g.Globs, r.globs(n))
	})
	return g
}

// headerNames reads the names of request headers.
func (r *reader) headerNames(n node) []string {
	var out []string
	count := r.list(n, func(n node) {
		name, ok := r.nonEmpty(n)
		if !ok {
			return
		}
		// Envoy takes any name, pseudo headers too (P13).
		for i := 0; i < len(name); i++ {
			if !isTokenByte(name[i]) {
				r.problem(n.path, "is not the name of a header")
				return
			}
		}
		out = append(out, strings.ToLower(name)) // as Envoy gives them
	})
	if count == 0 {
		r.problem(n.path, "must not be empty")
	}
	return out
}

// isTokenByte says whether a header's name may hold c (RFC 9110, token).
func isTokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// texts reads a list of strings, none empty, at least one.
func (r *reader) texts(n node) []string {
	var out []string
	count := r.list(n, func(n node) {
		if s, ok := r.nonEmpty(n); ok {
			out = append(out, s)
		}
	})
	if count == 0 {
		r.problem(n.path, "must not be empty")
	}
	return out
}

func (r *reader) globs(n node) []limits.Glob {
	var out []limits.Glob
	for _, s := range r.texts(n) {
		out = append(out, limits.NewGlob(s))
	}
	return out
}

// attribute returns the index of a name, or -1.
func (c *Config) attribute(name string) int {
	for i := range c.Attributes {
		if c.Attributes[i].Name == name {
			return i
		}
	}
	return -1
}

func (c *Config) attributeNames() string {
	names := make([]string, len(c.Attributes))
	for i := range c.Attributes {
		names[i] = c.Attributes[i].Name
	}
	return strings.Join(names, ", ")
}

// use marks an attribute, and what it is made of, as used.
func (c *Config) use(i int) {
	c.Attributes[i].Used = true
	if g := c.Attributes[i].Groups; g != nil {
		c.use(g.From)
	}
}
