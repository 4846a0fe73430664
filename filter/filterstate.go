package main

import (
	"strconv"

	"sluice/config"
	"sluice/internal/abi"
	"sluice/limits"
)

// A property that a filter sets becomes filter state of the name wasm.NAME,
// which access logs print by %FILTER_STATE(wasm.NAME:PLAIN)%. The path must be
// of one element and the value not empty (P33).

func (s *stream) setText(name, value string) {
	if value == "" {
		return
	}
	s.p.scratch = append(s.p.scratch[:0], value...)
	s.set(name)
}

func (s *stream) setNumber(name string, value int64) {
	s.p.scratch = strconv.AppendInt(s.p.scratch[:0], value, 10)
	s.set(name)
}

func (s *stream) set(name string) {
	if !abi.SetProperty(name, s.p.scratch) {
		s.p.metrics.internalErrors.add(1, "hostcall")
	}
}

// setReserved tells Envoy's own rate limit filter, which runs behind this one,
// what the request is expected to use.
func (s *stream) setReserved() { s.setNumber("sluice_reserve_tokens", s.demand.Input) }

// tellAttribute sets one attribute: the key and every configured one, of a
// secret one the hash.
func (s *stream) tellAttribute(i int) {
	a, f := &s.p.config.Attributes[i], &s.facts[i]
	if f.Status != limits.Known || i != config.Key && a.BuiltIn() {
		return
	}
	value := f.Value
	if a.Secret {
		value = limits.HashSecret(value)
	}
	s.setText(s.p.attributeStates[i], printable(value))
}
