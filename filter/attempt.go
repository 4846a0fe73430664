package main

import (
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
	s.phase, s.heldAt = held, s.p.now()
	s.p.holding.watch(s)
	return types.ActionPause
}
