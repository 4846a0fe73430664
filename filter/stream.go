package main

import (
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/classify"
	"sluice/config"
	"sluice/limits"
	"sluice/tokens"
)

// stream is one request and its response: a state machine over Envoy's
// callbacks. A request goes
//
//	arriving → held → admitted or refused        (decided when the body is in)
//	arriving → admitted or refused → reading        (decided in the header phase)
//	arriving → reading → admitted                   (only observed)
//
// and, whatever became of it, ends in OnHttpStreamDone, where it is settled.
type stream struct {
	types.DefaultHttpContext
	p      *plugin
	id     uint32
	phase  phase
	heldAt time.Time // since when its headers wait for a body
	letGo  time.Time // when it went on without
	kept   int       // bytes, see keep

	head    head          // what the request headers said
	facts   []limits.Fact // by attribute
	request tokens.Request
	model   string

	estimate    int64 // of the prompt's tokens, before what was learned corrects it
	demand      limits.Demand
	reservation limits.Reservation
	decision    limits.Decision
	admitted    bool           // by the limits, and so to be settled
	refusal     classify.Error // of this filter

	requestBody body // while it passes by
	undecided   bool // until the body has passed
	observed    bool // it would have been refused without a look at the limits

	asking    asking
	reply     reply
	answer    answer
	requestID string
	done      bool
	inFlight  bool // it holds a slot
}

type phase uint8

const (
	arriving phase = iota // nothing seen yet
	held                  // headers and body wait in Envoy
	reading               // admitted in the header phase, the body passes by
	passing               // admitted, nothing more to read of the request
	refused               // answered by this filter
	failed                // an internal failure: it passes, unlimited
)

// OnHttpRequestHeaders begins the request. Headers can be read in this callback
// only, unless they are held (P2).
func (s *stream) OnHttpRequestHeaders(_ int, end bool) (action types.Action) {
	defer s.recover(&action)
	if s.phase != arriving {
		return types.ActionContinue
	}
	if err := s.readHead(); err != nil {
		return s.fail("request_headers", err)
	}
	if s.p.config.Role == config.Upstream {
		return s.attempt(end)
	}
	s.resolve()
	switch {
	case end:
		// Nothing follows: to hold would be to hang (P3).
		return s.decide(noBody)
	case s.head.opaque():
		return s.decide(unreadBody)
	case s.p.admitsEarly():
		return s.decideEarly()
	case s.p.config.Admission == config.AdmitBody && s.p.holding.answer == holdNo:
		return s.failed("hold", unheldBody)
	case s.p.config.Observe:
		// To hold a request would change it. It is decided when it has passed.
		s.phase, s.undecided = reading, true
		return types.ActionContinue
	case s.head.contentLength > int64(s.p.config.Body.MaxBytes):
		return s.decide(oversizeBody)
	}
	s.phase = held
	s.p.watch(s)
	return types.ActionPause
}

// unheld decides a request by its headers, because Envoy has stopped it instead
// of holding it.
func (s *stream) unheld() (action types.Action) {
	defer s.recover(&action)
	switch {
	case s.phase != held:
		return types.ActionPause
	case s.p.config.Role == config.Upstream:
		s.phase = passing
		return types.ActionContinue
	case s.p.config.Admission == config.AdmitBody:
		return s.failed("hold", unheldBody)
	}
	s.phase = arriving
	return s.decideEarly()
}

// unheldBody is why a body cannot be waited for.
const unheldBody = "allow_on_headers_stop_iteration is not set: no body is to be had before the headers have gone"

// OnHttpRequestBody is called for each piece that comes in. While the request
// is held, size is that of all of it so far, else that of the piece (P5).
func (s *stream) OnHttpRequestBody(size int, end bool) (action types.Action) {
	defer s.recover(&action)
	s.cameAfter()
	switch s.phase {
	case held:
		s.p.holding.seen()
		if s.p.config.Role == config.Upstream {
			s.phase = passing
			return types.ActionContinue
		}
		if size > s.p.config.Body.MaxBytes {
			return s.decide(oversizeBody)
		}
		if !end {
			return types.ActionPause
		}
		return s.decide(wholeBody)
	case reading:
		s.renew()
		s.requestBody.append(proxywasm.GetHttpRequestBody, size, s.p.config.Body.MaxBytes)
		if s.keep(s.keeps()) {
			s.requestBody.drop()
			s.keep(s.keeps())
		}
		if end {
			s.bodyEnd()
		}
	case passing:
		s.renew()
	case refused:
		return types.ActionPause
	}
	return types.ActionContinue
}

// OnHttpRequestTrailers ends a body that has trailers behind it: end was never
// true for it (P7).
func (s *stream) OnHttpRequestTrailers(int) (action types.Action) {
	defer s.recover(&action)
	switch s.phase {
	case held:
		s.p.holding.seen()
		if s.p.config.Role == config.Upstream {
			s.phase = passing
			return types.ActionContinue
		}
		return s.decide(wholeBody)
	case reading:
		s.bodyEnd()
	case refused:
		return types.ActionPause
	}
	return types.ActionContinue
}

// OnHttpResponseHeaders is the only place to edit response headers (P11). The
// filter's own refusals come by here too, and are left as they are (P10). Of a
// request that failed, what the upstream says of its limits is still taken out.
func (s *stream) OnHttpResponseHeaders(_ int, end bool) (action types.Action) {
	defer s.recover(&action)
	if s.phase == refused || s.phase == arriving {
		return types.ActionContinue
	}
	return s.respond(end)
}

// OnHttpResponseBody reads the answer as it passes, or, while the headers wait,
// as it comes.
func (s *stream) OnHttpResponseBody(size int, end bool) (action types.Action) {
	defer s.recover(&action)
	s.renew()
	return s.receiveBody(size, end)
}

// OnHttpResponseTrailers ends an answer that has trailers behind it (P7).
func (s *stream) OnHttpResponseTrailers(int) (action types.Action) {
	defer s.recover(&action)
	return s.receiveTrailers()
}

// OnHttpStreamDone is the one place to settle: it runs once, whatever ended the
// stream (P26), even for a request that Envoy refused before this filter saw it
// (P27).
func (s *stream) OnHttpStreamDone() {
	var action types.Action
	defer s.recover(&action)
	if s.done {
		return
	}
	s.done = true
	defer s.keep(0)
	s.p.holding.gone(s)
	s.p.replies.gone(s)
	defer s.freeSlot()
	if s.phase == arriving {
		return
	}
	s.bodyEnd() // the answer, or the client's leave, came before it
	s.received()
	if s.p.config.Role == config.Gateway {
		s.settle()
	}
}
