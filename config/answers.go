package config

import (
	"time"

	"sluice/classify"
	"sluice/headers"
	"sluice/limits"
)

// Role is where in Envoy the filter sits, and so what it does.
type Role string

const (
	// Gateway is a downstream HTTP filter: it limits, and normalizes for the
	// client.
	Gateway Role = "gateway"
	// Upstream is an upstream HTTP filter, which sees every attempt: it
	// normalizes for Envoy's router, and limits nothing.
	Upstream Role = "upstream"
)

// ProviderRule says whose answers come from a cluster, or to an authority. At
// least one of the two is given; all given must match.
type ProviderRule struct {
	Cluster, Authority *limits.Glob
	Provider           string
}

// Matches says whether the rule is about a cluster and an authority, whose port
// does not matter where the rule names none.
func (p *ProviderRule) Matches(cluster, authority string) bool {
	if p.Cluster != nil && !p.Cluster.Match(cluster) {
		return false
	}
	return p.Authority == nil || p.Authority.Match(authority) || p.Authority.Match(classify.Host(authority))
}

// Headers is how the rate limit headers of a response are made.
type Headers struct {
	Format      headers.Format
	Source      headers.Source // whose limits are shown
	DropNative  bool           // the vendors' own families go
	KeepAccount bool           // headers that name the account behind the gateway stay
}

func (r *reader) role(c *Config) func(node) {
	return func(n node) {
		if i, _ := r.oneOf(n, string(Gateway), string(Upstream)); i == 1 {
			c.Role = Upstream
		}
	}
}

// providers reads the list that says who answers: the first that matches counts.
func (r *reader) providers(n node, c *Config) {
	r.list(n, func(n node) {
		rule, named := ProviderRule{}, false
		glob := func(to **limits.Glob) func(node) {
			return func(n node) {
				if s, ok := r.nonEmpty(n); ok {
					g := limits.NewGlob(s)
					*to = &g
				}
			}
		}
		before := len(r.problems)
		r.object(n, []field{
			{"cluster", glob(&rule.Cluster)},
			{"authority", glob(&rule.Authority)},
			{"provider", func(n node) { rule.Provider, named = r.provider(n), true }},
		})
		if len(r.problems) > before {
			return
		}
		if rule.Cluster == nil && rule.Authority == nil {
			r.problem(n, "must have a cluster or an authority to match")
		}
		if !named {
			r.problem(n.absent("provider"), "is missing")
		}
		c.Providers = append(c.Providers, rule)
	})
}

func (r *reader) provider(n node) string {
	s, ok := r.text(n)
	if !ok {
		return ""
	}
	name, known := classify.Canonical(s)
	if !known {
		r.problem(n, "must be "+orList(classify.Providers())+", is "+quote(s))
	}
	return name
}

func (r *reader) headers(n node, h *Headers) {
	r.object(n, []field{
		{"reset_format", func(n node) {
			i, _ := r.oneOf(n, "seconds", "duration", "unix")
			h.Format.Reset = headers.ResetFormat(i)
		}},
		{"upstream", func(n node) {
			i, _ := r.oneOf(n, "merge", "hide", "only")
			h.Source = headers.Source(i)
		}},
		{"native", func(n node) { h.DropNative = r.either(n, "keep", "drop") }},
		{"account", func(n node) { h.KeepAccount = r.either(n, "drop", "keep") }},
		{"ietf", func(n node) { h.Format.IETF, _ = r.boolean(n) }},
	})
}

func (r *reader) errors(n node, p *classify.Policy) {
	r.object(n, []field{
		{"dialect", func(n node) { p.OpenAIOnly = r.either(n, "auto", "openai") }},
		{"quota_status", func(n node) {
			if v, ok := r.whole(n, 0, 999); ok {
				if v != 429 && v != 402 {
					r.problem(n, "must be 429 or 402, is "+n.value.Raw)
					return
				}
				p.QuotaStatus = int(v)
			}
		}},
		{"max_client_wait", func(n node) { r.wait(n, &p.MaxClientWait) }},
		{"default_wait", func(n node) { r.wait(n, &p.DefaultWait) }},
		{"retry_jitter", func(n node) { r.wait(n, &p.RetryJitter) }},
	})
}

// wait reads a duration that may be 0.
func (r *reader) wait(n node, to *time.Duration) {
	if d, err := time.ParseDuration(n.value.Str); err == nil && d <= 0 {
		if *to = 0; d < 0 {
			r.problem(n, "must not be negative, is "+quote(n.value.Str))
		}
		return
	}
	if d, ok := r.duration(n, ""); ok {
		*to = d
	}
}

// either reads one of two words, and says whether it is the second.
func (r *reader) either(n node, first, second string) bool {
	i, _ := r.oneOf(n, first, second)
	return i == 1
}
