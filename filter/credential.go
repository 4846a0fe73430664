package main

import (
	"strings"

	"sluice/limits"
)

// credential is the built-in attribute key: what the request's provider takes
// as its credential. A header that only another provider reads changes nothing:
// else a client could get a fresh counter by adding one.
func (h *head) credential() limits.Fact {
	var id identity
	switch h.provider {
	case "anthropic":
		id.header(h, "x-api-key")
	case "azure_openai":
		id.header(h, "api-key")
	case "gemini", "vertex_ai":
		id.header(h, "x-goog-api-key")
		for part := range strings.SplitSeq(h.query, "&") {
			if name, value, _ := strings.Cut(part, "="); unescape(name) == "key" {
				id.add(unescape(value))
			}
		}
	}
	id.header(h, "authorization")
	return id.fact
}

// identity is an attribute that some headers carry. Two that differ, or one
// that comes twice, name nobody: whichever is counted, the provider or a filter
// behind may go by the other.
func (h *head) identity(headers []string) limits.Fact {
	var id identity
	for _, name := range headers {
		id.header(h, name)
	}
	return id.fact
}

type identity struct{ fact limits.Fact }

func (id *identity) header(h *head, name string) {
	seen := false
	for i := range h.pairs {
		if h.pairs[i][0] != name {
			continue
		}
		if seen {
			id.fact = limits.Fact{Status: limits.Ambiguous}
			return
		}
		seen = true
		value := h.pairs[i][1]
		if name == "authorization" {
			var ok bool
			if value, ok = bareCredential(value); !ok {
				id.fact = limits.Fact{Status: limits.Ambiguous}
				return
			}
		}
		id.add(value)
	}
}

func (id *identity) add(value string) {
	value = strings.TrimSpace(value)
	switch {
	case value == "" || id.fact.Status == limits.Ambiguous:
	case id.fact.Status == limits.Absent:
		id.fact = known(value)
	case id.fact.Value != value:
		id.fact = limits.Fact{Status: limits.Ambiguous}
	}
}

// bareCredential takes the scheme off an authorization, and of an AWS signature
// the access key's id. Not ok: there are two, which Envoy has joined by a comma.
func bareCredential(value string) (credential string, ok bool) {
	scheme, rest := "", strings.TrimSpace(value)
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		scheme, rest = rest[:i], strings.TrimSpace(rest[i:])
	}
	if strings.HasPrefix(scheme, "AWS4-") {
		return accessKey(rest)
	}
	return rest, strings.IndexByte(rest, ',') < 0
}

// accessKey finds the access key's id in the parts of an AWS signature. Not ok:
// there is something else behind a comma.
func accessKey(parts string) (id string, ok bool) {
	for part := range strings.SplitSeq(parts, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case name == "Credential" && id == "":
			id, _, _ = strings.Cut(value, "/")
		case name != "SignedHeaders" && name != "Signature":
			return "", false
		}
	}
	return id, true
}
