package main

import (
	"strings"

	"sluice/classify"
	"sluice/config"
	"sluice/tokens"
)

// targets finds out whom requests are for. Those that follow each other are
// often for the same: it is found out once for them.
type targets struct {
	rules []config.ProviderRule
	last  target
}

func (t *targets) of(cluster, authority, rawPath string) target {
	if last := &t.last; last.cluster != cluster || last.authority != authority || last.rawPath != rawPath || last.provider == "" {
		*last = newTarget(cluster, authority, rawPath, t.rules)
	}
	return t.last
}

// target is whom a request is for, as its route, authority and path say.
type target struct {
	cluster, authority, rawPath string

	path      string           // normalized
	operation tokens.Operation // Other, where the path does not say
	provider  string
	unsure    bool // nothing says who the provider is
	dialect   classify.Dialect
	pathModel string // the model that the path names; "": the body does
}

func newTarget(cluster, authority, rawPath string, rules []config.ProviderRule) target {
	// The last target outlives its request's headers.
	t := target{cluster: cluster, authority: strings.Clone(authority), rawPath: strings.Clone(rawPath)}
	t.path = normalizePath(t.rawPath)
	t.operation = tokens.OperationOf(t.path)
	t.provider = t.providerBy(rules)
	if t.provider == "" {
		t.provider, t.unsure = classify.OpenAICompatible, true
	}
	t.dialect = classify.DialectOf(t.provider, t.path, false)
	t.pathModel = classify.ModelOfPath(t.path)
	return t
}

// providerBy tells who answers: as configured, else as the cluster is called,
// which is the operator's word, and only then as authority and path say, which
// are the client's; "": none of them does.
func (t *target) providerBy(rules []config.ProviderRule) string {
	for i := range rules {
		if rules[i].Matches(t.cluster, t.authority) {
			return rules[i].Provider
		}
	}
	if provider := classify.ProviderOfCluster(t.cluster); provider != "" {
		return provider
	}
	if provider := classify.DetectProvider(t.authority, t.path); provider != classify.OpenAICompatible {
		return provider
	}
	return ""
}

// answering is the provider whose answer is read; "": the answer tells.
func (t *target) answering() string {
	if t.unsure {
		return ""
	}
	return t.provider
}
