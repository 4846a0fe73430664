package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/classify"
	"sluice/config"
	"sluice/tokens"
)

// reply is an upstream's response on its way to the client. Where it may be a
// refusal, its headers wait for the body that says so, and what turns out to be
// one becomes the typed error of its class.
type reply struct {
	state    replyState
	status   int
	headers  [][2]string
	encoding string
	grpc     bool      // it says how a gRPC call ended
	served   bool      // by an upstream, for sure
	since    time.Time // it waits for its body

	body  body // of an error that passes by
	class classify.Class
	told  classify.Error // what the client gets in its stead, if it is a refusal
}

type replyState uint8

const (
	unseen        replyState = iota
	passingBy                // there is nothing to look for
	watched                  // looked at as it passes
	awaitingBody             // the headers wait for the whole body
	awaitingFirst            // the headers wait for the first bytes of the body
	replaced                 // an error stands in its place, the rest is dropped
	answered                 // Envoy has answered in its place
)

// maxErrorBody bounds an error that is read. Those of providers have a few
// hundred bytes, a page of HTML some thousand. It is no more than the smallest
// buffer that people give Envoy: what is held beyond that becomes a 500 (P6).
const maxErrorBody = 32 << 10

// edits says that responses are changed at all.
func (p *plugin) edits() bool { return !p.config.Observe }

// holdsReplies says that a response's headers may wait for its body, which is so
// where those of requests were seen to: else it would hang (P1).
func (p *plugin) holdsReplies() bool {
	return p.edits() && p.config.Admission != config.AdmitHeaders && p.holding.answer == holdYes
}

// newReply reads the headers of a response.
func newReply(pairs [][2]string) reply {
	r := reply{state: passingBy, headers: pairs}
	for i := range pairs {
		switch pairs[i][0] {
		case ":status":
			r.status, _ = strconv.Atoi(pairs[i][1])
		case "content-encoding":
			r.encoding = pairs[i][1]
		case "grpc-status":
			r.grpc = true
		case "x-envoy-upstream-service-time":
			r.served = true // the router writes it, of an upstream's answer only
		}
	}
	return r
}

// failed says that the response is an error of some kind.
func (r *reply) failed() bool { return r.status >= 400 || r.grpc && r.header("grpc-status") != "0" }

func (r *reply) header(name string) string {
	for i := range r.headers {
		if r.headers[i][0] == name {
			return r.headers[i][1]
		}
	}
	return ""
}

// receive decides how the response is looked at, when its headers are here.
func (s *stream) receive(end bool) types.Action {
	r := &s.reply
	switch {
	case r.failed():
		if !r.served && property([]string{"response", "code_details"}).Value != "via_upstream" {
			return types.ActionContinue // Envoy's own, or another filter's (P10)
		}
		r.served = true
		switch {
		case end:
			return s.judge(nil, bodiless)
		case s.p.holdsReplies():
			r.state = awaitingBody
			s.p.replies.wait(s, s.p.now())
			return types.ActionPause
		case s.p.edits():
			// The headers cannot wait: they are judged by themselves, and the
			// body passes as it came.
			return s.judge(nil, headersOnly)
		}
		r.state = watched
	case s.demand.ModelCall && !end:
		r.state = watched
		s.answer.begin(r, s.head.provider, s.request.Stream || strings.Contains(s.head.path, "stream")) // as Gemini's
		if s.p.holdsReplies() && !s.answer.started() {
			r.state = awaitingFirst
			return types.ActionPause
		}
	}
	return types.ActionContinue
}

// receiveBody takes a piece of the body. While the headers wait, size is that
// of all that is there (P5).
func (s *stream) receiveBody(size int, end bool) types.Action {
	r := &s.reply
	switch r.state {
	case awaitingBody:
		switch {
		case size > maxErrorBody:
			return s.judge(nil, headersOnly)
		case end:
			return s.judgeHeld()
		}
		return types.ActionPause
	case awaitingFirst:
		piece := s.answer.readHeld(size, end)
		if f := s.answer.failure(); f != nil && !f.AfterContent {
			return s.judgeFailure(f, whole)
		}
		if !end && !s.answer.started() {
			s.p.replies.wait(s, s.p.now())
			return types.ActionPause
		}
		r.state = watched
		s.p.replies.gone(s)
		s.hideUsage(piece, end)
		s.keepAnswer()
	case watched:
		if r.failed() {
			r.body.append(proxywasm.GetHttpResponseBody, size, maxErrorBody)
		} else {
			s.hideUsage(s.answer.read(size, end), end)
			s.keepAnswer()
		}
	case replaced:
		s.p.check(proxywasm.ReplaceHttpResponseBody(nil))
	}
	return types.ActionContinue
}

// keepAnswer lets go of an answer when all of them together are too large.
func (s *stream) keepAnswer() {
	if kept := s.keeps(); kept != s.kept && s.keep(kept) {
		s.answer.body.Shed()
		s.keep(s.keeps())
	}
}

// receiveTrailers ends a body that has trailers behind it (P7).
func (s *stream) receiveTrailers() types.Action {
	s.normalizeTrailers()
	switch s.reply.state {
	case awaitingBody:
		return s.judgeHeld()
	case awaitingFirst, watched:
		if s.reply.state = watched; s.answer.reads {
			s.answer.end()
		}
	}
	return types.ActionContinue
}

// received judges what was only looked at, when it is over.
func (s *stream) received() {
	r := &s.reply
	switch r.state {
	case awaitingBody: // it broke off
		s.judge(nil, nothing)
		return
	case awaitingFirst, watched:
	default:
		return
	}
	r.state = passingBy
	if r.failed() {
		s.judge(r.body.bytes, nothing)
	} else if f := s.answer.failure(); f != nil {
		s.judgeFailure(f, nothing)
	}
}

// changeable is how much of a response can still be changed.
type changeable uint8

const (
	nothing     changeable = iota
	headersOnly            // the body is another's
	bodiless               // headers; there is no body
	whole                  // headers and body
)

// judgeHeld judges an error whose headers have waited for all of its body.
func (s *stream) judgeHeld() types.Action {
	body, err := proxywasm.GetHttpResponseBody(0, maxErrorBody)
	if err != nil {
		body = nil // nothing came
	}
	return s.judge(body, whole)
}

// judge decides what an error means, from its headers and as much of its body as
// there is.
func (s *stream) judge(body []byte, can changeable) types.Action {
	r := &s.reply
	r.state = passingBy
	s.p.replies.gone(s)
	plain, ok := tokens.Inflate(body, r.encoding, maxErrorBody)
	if !ok {
		plain, can = nil, min(can, headersOnly) // what cannot be read passes as it came
	}
	return s.classified(classify.Response{
		Provider: s.head.answering(), Status: r.status, Headers: r.headers, Body: plain, Now: s.p.now(),
	}, can)
}

// judgeFailure decides what a failure means that stands in a response which says
// 200.
func (s *stream) judgeFailure(f *tokens.Failure, can changeable) types.Action {
	r := &s.reply
	headers := r.headers
	if strings.HasPrefix(r.header("content-type"), "application/vnd.amazon.eventstream") {
		headers = append([][2]string{{":exception-type", f.Name}}, headers...)
	}
	return s.classified(classify.Response{
		Provider: s.head.answering(), Status: max(f.Status, 200), Headers: headers, Body: f.Body, Now: s.p.now(),
	}, can)
}

// classified counts a refusal, and lets the client have the typed error of its
// class, as far as the response can be changed.
func (s *stream) classified(response classify.Response, can changeable) types.Action {
	now := response.Now
	refusal := classify.Classify(&response)
	if refusal.Class == classify.NotRateLimit {
		return types.ActionContinue
	}
	r := &s.reply
	r.class = refusal.Class
	r.told = s.p.config.Errors.FromUpstream(&refusal, r.status, now)
	if refusal.Rule != classify.OwnRule { // an instance at the upstream has counted it
		s.p.metrics.upstreamRefused.add(1, refusal.Provider, refusal.Class.String())
	}
	if can == nothing {
		return types.ActionContinue
	}
	return s.rewrite(can)
}
