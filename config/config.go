// Package config reads the filter's configuration: all defaults and all
// validation are here. What Parse returns can be used as it is.
package config

import (
	"sluice/classify"
	"sluice/limits"
)

// Config is a whole configuration, every default filled in.
type Config struct {
	Role       Role
	Observe    bool // count and decide, but change and refuse nothing
	Admission  Admission
	Attributes []Attribute // the built-in ones first, by their constants
	Providers  []ProviderRule
	Limits     []limits.Limit // those that are enforced, or a shadow
	Prices     []limits.Price
	priced     bool // prices are given
	Reserve    Reserve
	Headers    Headers
	Errors     classify.Policy
	Body       Body
	// AskForUsage says that streams are asked for their usage where the client
	// did not ask, and the answer to that hidden from it.
	AskForUsage bool
	OnError     Policy
	State       State

	// Warnings are what is allowed, but seldom meant.
	Warnings Problems
}

// Admission is when a request is decided.
type Admission string

const (
	// AdmitAuto is AdmitBody wherever Envoy holds headers.
	AdmitAuto Admission = "auto"
	// AdmitBody decides when the body is in; nothing reaches the upstream before.
	AdmitBody Admission = "body"
	// AdmitHeaders decides in the header phase on what is known there.
	AdmitHeaders Admission = "headers"
)

// Policy is what becomes of a request that cannot be handled as it should.
type Policy string

const (
	Allow    Policy = "allow"
	Deny     Policy = "deny"
	Estimate Policy = "estimate"
)

// Body is how request bodies are read.
type Body struct {
	MaxBytes   int    // up to which a body is held and read
	Oversize   Policy // Estimate or Deny: a body beyond MaxBytes
	Unreadable Policy // Estimate or Deny: a model call's body that cannot be read
}

// Reserve is how much of a limit an answer is reserved.
type Reserve struct {
	// DefaultOutputTokens is for a request that states no maximum.
	DefaultOutputTokens int64
	// Learn says that what models lately answered is reserved instead, and that
	// estimates are corrected by what they turned out to be.
	Learn bool
}

// State is where the counters live.
type State struct {
	Namespace   string
	MaxSubjects int
}

// The built-in attributes, as indexes into Config.Attributes.
const (
	Key = iota
	IP
	Model
	Provider
	Route
	Cluster
	Path
	Method
	Operation
	builtins
)

// An Attribute is a named fact about a request. Exactly one of its sources is
// set, or none for a built-in one.
type Attribute struct {
	Name   string
	Secret bool // shown as a hash only
	// Verified says that a filter in front checks the client's header.
	Verified bool
	// Used says that a limit, or an attribute that is used, depends on it.
	Used bool
	// Default is the value where the source has none; nil: absent.
	Default *string

	Headers  []string // the request headers that carry it, in lower case
	Property []string // the path of an Envoy attribute
	Body     string   // a plain gjson path into the request body
	Groups   *Groups  // made of another attribute

	// Of IP: how many proxies in front are trusted to append to
	// X-Forwarded-For, and how many bits of an IPv6 address tell clients apart.
	TrustedHops, V6Prefix int
}

// BuiltIn says that the attribute has no configured source.
func (a *Attribute) BuiltIn() bool {
	return a.Headers == nil && a.Property == nil && a.Body == "" && a.Groups == nil
}

// Groups puts the values of an attribute into named groups.
type Groups struct {
	From int // the attribute
	// Hashed says that the attribute is a secret: as everywhere, the globs are
	// of its hash.
	Hashed bool
	Names  []string
	Globs  [][]limits.Glob // of each name
}

// Of returns the group of a value: the one with the most literal characters of
// several that match.
func (g *Groups) Of(value string) (name string, ok bool) {
	if g.Hashed {
		value = limits.HashSecret(value)
	}
	best := -1
	for i := range g.Names {
		for _, glob := range g.Globs[i] {
			if n := glob.Literals(); n > best && glob.Match(value) {
				name, ok, best = g.Names[i], true, n
			}
		}
	}
	return name, ok
}

// FromBody says whether only the request's body tells an attribute.
func (c *Config) FromBody(attribute int) bool {
	a := &c.Attributes[attribute]
	if a.Groups != nil {
		return c.FromBody(a.Groups.From)
	}
	return a.Body != "" || a.BuiltIn() && (attribute == Model || attribute == Operation)
}

// UnknownEarly says whether an attribute is never known to a decision that
// falls in the header phase. Many operations are: their path tells them.
func (c *Config) UnknownEarly(attribute int) bool {
	if g := c.Attributes[attribute].Groups; g != nil {
		return c.UnknownEarly(g.From)
	}
	return attribute != Operation && c.FromBody(attribute)
}

// LimitAttributes is the attributes as package limits wants them.
func (c *Config) LimitAttributes() []limits.Attribute {
	out := make([]limits.Attribute, len(c.Attributes))
	for i, a := range c.Attributes {
		out[i] = limits.Attribute{Name: a.Name, Secret: a.Secret}
	}
	return out
}

func defaults() *Config {
	c := &Config{
		Role:        Gateway,
		Admission:   AdmitAuto,
		Reserve:     Reserve{DefaultOutputTokens: 1024, Learn: true},
		AskForUsage: true,
		Errors:      classify.DefaultPolicy(),
		Body:        Body{MaxBytes: 1 << 20, Oversize: Estimate, Unreadable: Estimate},
		OnError:     Allow,
		State:       State{Namespace: "default", MaxSubjects: 1 << 16},
	}
	for _, name := range []string{"key", "ip", "model", "provider", "route", "cluster", "path", "method", "operation"} {
		c.Attributes = append(c.Attributes, Attribute{Name: name})
	}
	c.Attributes[Key].Secret = true
	c.Attributes[IP].V6Prefix = 64
	return c
}
