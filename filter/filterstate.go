package main

import (
	"strconv"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/classify"
	"sluice/config"
	"sluice/limits"
)

// A property that a filter sets becomes filter state of the name wasm.NAME,
// which access logs print by %FILTER_STATE(wasm.NAME:PLAIN)%. The path must be
// of one element and the value not empty (P33).

func (s *stream) setText(name, value string) {
	if value != "" {
		s.check(proxywasm.SetProperty([]string{"sluice_" + name}, []byte(value)))
	}
}

func (s *stream) setNumber(name string, value int64) {
	var digits [20]byte
	s.check(proxywasm.SetProperty([]string{"sluice_" + name}, strconv.AppendInt(digits[:0], value, 10)))
}

// setReserved tells Envoy's own rate limit filter, which runs behind this one,
// what the request is expected to use.
func (s *stream) setReserved() { s.setNumber("reserve_tokens", s.demand.Input) }

// tellAttribute sets one attribute: the key and every configured one, of a
// secret one the hash.
func (s *stream) tellAttribute(i int) {
	a, f := &s.p.config.Attributes[i], &s.facts[i]
	if f.Status != limits.Known || i != config.Key && a.BuiltIn() {
		return
	}
	name, value := "attr_"+a.Name, printable(f.Value)
	if a.Secret {
		value = limits.HashSecret(f.Value)
	}
	if i == config.Key {
		name = "key"
	}
	s.setText(name, value)
}

func (s *stream) refusalClass() string {
	if s.refusal.Class == classify.NotRateLimit {
		return ""
	}
	return s.refusal.Class.String()
}
