package config

import (
	"time"

	"sluice/classify"
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
	Reset       ResetFormat
	Upstream    UpstreamHeaders
	DropNative  bool // the vendors' own families go
	KeepAccount bool // headers that name the account behind the gateway stay
	IETF        bool // RateLimit and RateLimit-Policy too
}

// ResetFormat is how a reset is written.
type ResetFormat string

const (
	ResetSeconds  ResetFormat = "seconds"  // 360
	ResetDuration ResetFormat = "duration" // 6m0s
	ResetUnix     ResetFormat = "unix"     // 1796040000
)

// UpstreamHeaders is what becomes of the limits that an upstream's headers tell.
type UpstreamHeaders string

const (
	MergeUpstream UpstreamHeaders = "merge" // one more candidate
	HideUpstream  UpstreamHeaders = "hide"
	OnlyUpstream  UpstreamHeaders = "only" // the filter's own are not shown
)

// Errors is how refusals are told.
type Errors struct {
	OpenAIOnly    bool // whatever API the request is of
	QuotaStatus   int  // 429 or 402
	MaxClientWait time.Duration
	DefaultWait   time.Duration
	RetryJitter   time.Duration
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
			all := []ResetFormat{ResetSeconds, ResetDuration, ResetUnix}
			h.Reset = choice(r, n, h.Reset, all)
		}},
		{"upstream", func(n node) {
			h.Upstream = choice(r, n, h.Upstream, []UpstreamHeaders{MergeUpstream, HideUpstream, OnlyUpstream})
		}},
		{"native", func(n node) { h.DropNative = r.either(n, "keep", "drop") }},
		{"account", func(n node) { h.KeepAccount = r.either(n, "drop", "keep") }},
		{"ietf", func(n node) { h.IETF, _ = r.boolean(n) }},
	})
}

func (r *reader) errors(n node, e *Errors) {
	r.object(n, []field{
		{"dialect", func(n node) { e.OpenAIOnly = r.either(n, "auto", "openai") }},
		{"quota_status", func(n node) {
			if v, ok := r.whole(n, 0, 999); ok {
				if v != 429 && v != 402 {
					r.problem(n, "must be 429 or 402, is "+n.value.Raw)
					return
				}
				e.QuotaStatus = int(v)
			}
		}},
		{"max_client_wait", func(n node) { r.wait(n, &e.MaxClientWait) }},
		{"default_wait", func(n node) { r.wait(n, &e.DefaultWait) }},
		{"retry_jitter", func(n node) { r.wait(n, &e.RetryJitter) }},
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

// choice reads one of some words.
func choice[T ~string](r *reader, n node, fallback T, all []T) T {
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = string(t)
	}
	if i, ok := r.oneOf(n, names...); ok {
		return all[i]
	}
	return fallback
}

// either reads one of two words, and says whether it is the second.
func (r *reader) either(n node, first, second string) bool {
	i, _ := r.oneOf(n, first, second)
	return i == 1
}
