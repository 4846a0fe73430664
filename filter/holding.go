package main

import (
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/config"
)

// holding finds out whether Envoy lets a filter hold headers until it has seen
// the body (P1). It is a setting of the plug-in's that the plug-in cannot read,
// and without it a pause in the headers shows the filter nothing more. So the
// first streams are held and watched: where a body comes while its headers wait,
// Envoy holds them. A stream that sees nothing for a second is let go; if its
// body comes at once then, Envoy had it all along, and held it back; and when a
// few of these were seen, none is held any more.
type holding struct {
	answer  holdAnswer
	waiting map[uint32]*stream // without a sign yet, by their contexts
	signs   int                // that Envoy does not hold headers
}

type holdAnswer uint8

const (
	holdUnknown holdAnswer = iota
	holdYes
	holdNo
)

// enoughSigns is how many streams have to show that Envoy does not hold headers:
// a client's body may also come by chance just when its stream was let go.
const enoughSigns = 3

// atOnce is how soon Envoy passes on what it has held back.
const atOnce = 20 * time.Millisecond

// patience is how long a stream waits for a sign, at least. Timers tick once a
// second.
const patience = time.Second

// watch begins to wait for a sign of a stream whose headers wait.
func (p *plugin) watch(s *stream) {
	h := &p.holding
	if h.answer != holdUnknown {
		return
	}
	s.heldAt = p.now()
	if h.waiting == nil {
		h.waiting = make(map[uint32]*stream)
	}
	h.waiting[s.id] = s
}

// seen ends the wait: a body, or its end, came while the headers waited.
func (h *holding) seen() {
	if h.answer == holdUnknown {
		h.answer, h.waiting = holdYes, nil
	}
}

// gone ends the wait of a stream that has ended.
func (h *holding) gone(s *stream) {
	if h.waiting != nil {
		delete(h.waiting, s.id)
	}
}

// lost returns the streams that have seen nothing for too long.
func (h *holding) lost(now time.Time) []*stream {
	var lost []*stream
	for id, s := range h.waiting {
		if waited := now.Sub(s.heldAt); waited >= patience || waited < 0 {
			delete(h.waiting, id)
			lost = append(lost, s)
		}
	}
	return lost
}

// admitsEarly says that requests are decided in the header phase.
func (p *plugin) admitsEarly() bool {
	return p.config.Admission == config.AdmitHeaders ||
		p.config.Admission == config.AdmitAuto && p.holding.answer == holdNo
}

// letGo goes on with the streams that Envoy does not show the filter any more.
func (p *plugin) letGo() {
	for _, s := range p.holding.lost(p.now()) {
		if proxywasm.SetEffectiveContext(s.id) != nil {
			continue // it has ended
		}
		s.letGo = p.now()
		if s.unheld() == types.ActionContinue {
			p.check(proxywasm.ResumeHttpRequest())
		}
	}
}

// cameAfter takes the first piece of a body for a sign, if its stream was let go
// just now.
func (s *stream) cameAfter() {
	if s.letGo.IsZero() {
		return
	}
	waited := s.p.now().Sub(s.letGo)
	s.letGo = time.Time{}
	h := &s.p.holding
	if waited < 0 || waited > atOnce || h.answer != holdUnknown {
		return
	}
	if h.signs++; h.signs < enoughSigns {
		return
	}
	h.answer = holdNo
	proxywasm.LogWarn("sluice: Envoy does not hold headers for this filter: set allow_on_headers_stop_iteration. " +
		"Until then requests are decided by their headers, and tokens are charged afterwards.")
}
