package main

import (
	"encoding/binary"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/config"
	"sluice/tokens"
)

// attempt begins one attempt at an upstream, of which a filter in Envoy's
// upstream chain sees each (P29). It passes; only its answer is looked at. The
// first are held until a piece of their body comes, to find out whether the
// headers of answers can be.
func (s *stream) attempt(end bool) types.Action {
	s.phase = passing
	s.demand.ModelCall = s.head.method == "POST" && s.head.operation != tokens.Other
	if end || s.head.opaque() || !s.p.edits() || s.p.config.Admission == config.AdmitHeaders || s.p.holding.answer != holdUnknown {
		return types.ActionContinue
	}
	s.phase = held
	s.p.watch(s)
	return types.ActionPause
}

// retriesHeld says whether Envoy's router can retry a response whose headers an
// upstream filter has held. Before 1.37 it crashes then (P29). A version that
// Envoy does not tell is taken for a newer one.
func retriesHeld() bool {
	const firstThatCan = 37
	minor := property([]string{"xds", "node", "user_agent_build_version", "version", "minor_number"}).Value
	return len(minor) != 8 || binary.LittleEndian.Uint64([]byte(minor)) >= firstThatCan
}
