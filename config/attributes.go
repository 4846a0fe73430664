package config

import "strings"

// attributes reads the configured attributes. Groups name others, which may
// stand behind them, so they are resolved last.
func (r *reader) attributes(n node, c *Config) {
	var groups []grouping
	r.entries(n, func(name string, n node) {
		if !isName(name) {
			r.problem(n, "an attribute's name must be 1 to 64 of a-z, 0-9, _ and -")
			return
		}
		i := c.attribute(name)
		if i >= 0 && i != Key && i != IP {
			r.problem(n, "is built in and cannot be set")
			return
		}
		if i < 0 {
			i = len(c.Attributes)
			c.Attributes = append(c.Attributes, Attribute{Name: name})
		}
		if g, ok := r.attribute(n, i, &c.Attributes[i]); ok {
			groups = append(groups, g)
		}
	})
	made := make([]*Groups, len(groups))
	for i, g := range groups {
		made[i] = r.groups(g, groups, c)
	}
	for i, g := range groups {
		c.Attributes[g.index].Groups = made[i]
	}
}

// grouping is an attribute that is made of another: what its fields map and to
// hold.
type grouping struct {
	index    int
	from, to node
}

// attribute reads one attribute; ok: it is to be made of another.
func (r *reader) attribute(n node, index int, a *Attribute) (g grouping, ok bool) {
	var sources []string
	source := func(name string, read func(node)) field {
		return field{name, func(n node) {
			sources = append(sources, name)
			read(n)
		}}
	}
	hops, grouped, to := false, false, false
	fields := []field{
		source("headers", func(n node) { a.Headers = r.headerNames(n) }),
		source("property", func(n node) {
			r.texts(n, func(_ node, s string) { a.Property = append(a.Property, s) })
		}),
		source("body", func(n node) { a.Body = r.bodyPath(n) }),
		source("map", func(n node) { g.from, grouped = n, true }),
		{"to", func(n node) { g.to, to = n, true }},
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
		{"verified", func(n node) { a.Verified, _ = r.boolean(n) }},
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
		return g, false
	}
	switch {
	case len(sources) > 1:
		r.problem(n, "must have one source, has "+strings.Join(sources, " and "))
	case len(sources) == 0 && index != IP:
		r.problem(n, "must have a source: headers, property, body or map")
	case len(sources) > 0 && hops:
		r.problem(n, "trusted_hops and v6_prefix go with the built-in address, not with "+sources[0])
	case grouped != to:
		r.problem(n, "map and to go together")
	}
	g.index = index
	return g, grouped && to
}

// groups reads {"name": ["glob", …], …}; nil: the attribute to make them of is
// none that can be.
func (r *reader) groups(g grouping, all []grouping, c *Config) *Groups {
	from := -1
	if name, ok := r.text(g.from); ok {
		from = c.attribute(name)
		if from < 0 {
			r.problem(g.from, "there is no attribute "+quote(name)+"; there are "+c.attributeNames())
		}
	}
	for _, other := range all {
		if other.index == from {
			r.problem(g.from, quote(c.Attributes[from].Name)+" is itself made by map")
			from = -1
		}
	}
	out := &Groups{From: from}
	if from >= 0 {
		out.Hashed = c.Attributes[from].Secret
	}
	count := r.entries(g.to, func(name string, n node) {
		out.Names = append(out.Names, name)
		out.Globs = append(out.Globs, r.globs(n, from, c))
	})
	if count == 0 {
		r.problem(g.to, "must not be empty")
	}
	if from < 0 {
		return nil
	}
	return out
}

// bodyPath reads a gjson path that names one value: keys and indexes. Of the
// rest of that language some searches all of a body, and modifiers rewrite it:
// nothing to run on whatever a client sends.
func (r *reader) bodyPath(n node) string {
	path, ok := r.nonEmpty(n)
	if !ok {
		return ""
	}
	start := 0 // of the key
	for i := 0; i <= len(path); i++ {
		switch {
		case i == len(path) || path[i] == '.':
			if i == start {
				r.problem(n, "must be keys and indexes joined by dots, as in \"metadata.user_id\": one is empty")
				return ""
			}
			start = i + 1
		case path[i] == '\\' && i+1 < len(path):
			i++
		case strings.IndexByte(`\|#@*?!{}[]()`, path[i]) >= 0:
			r.problem(n, "must be keys and indexes joined by dots, as in \"metadata.user_id\"; for the character itself write \\"+path[i:i+1])
			return ""
		}
	}
	return path
}

// headerNames reads the names of request headers.
func (r *reader) headerNames(n node) []string {
	var out []string
	r.texts(n, func(n node, name string) {
		// Envoy takes any name, pseudo headers too (P13).
		for i := 0; i < len(name); i++ {
			if !isTokenByte(name[i]) {
				r.problem(n, "is not the name of a header")
				return
			}
		}
		out = append(out, strings.ToLower(name)) // as Envoy gives them
	})
	return out
}

// isTokenByte says whether a header's name may hold c (RFC 9110, token).
func isTokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// texts reads a list of strings, none empty, at least one.
func (r *reader) texts(n node, read func(n node, s string)) {
	count := r.list(n, func(n node) {
		if s, ok := r.nonEmpty(n); ok {
			read(n, s)
		}
	})
	if count == 0 {
		r.problem(n, "must not be empty")
	}
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
