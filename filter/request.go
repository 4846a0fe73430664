package main

import (
	"errors"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/config"
	"sluice/limits"
	"sluice/tokens"
)

// bodyKind is how much of a request's body there is to decide on.
type bodyKind uint8

const (
	noBody       bodyKind = iota
	unreadBody            // it is none to wait for
	wholeBody             // held by Envoy
	oversizeBody          // larger than body.max_bytes; its beginning is held, if anything
)

// decide reads the request as far as it goes, holds it against the limits, and
// lets it go or refuses it.
func (s *stream) decide(kind bodyKind) types.Action {
	if kind == oversizeBody && s.p.config.Body.Oversize == config.Deny {
		if !s.p.config.Observe {
			return s.refuse(oversize(s.p.config.Body.MaxBytes))
		}
		s.observed = true
	}
	data, err := s.heldBody()
	if err != nil {
		return s.fail("request_body", err)
	}
	modelCall := s.read(kind, data)
	if modelCall && kind == wholeBody && s.request.Status != tokens.Readable &&
		s.p.config.Body.Unreadable == config.Deny {
		if !s.p.config.Observe {
			return s.refuse(unreadable(s.request.Status))
		}
		s.observed = true
	}
	s.demand.InputGuessed = kind == oversizeBody
	s.want(modelCall, int64(len(data)))
	waits := s.phase == held
	action := s.reserve()
	if waits && modelCall && kind == wholeBody && s.phase == passing {
		s.askForUsage(data)
	}
	return action
}

// want sets the demand to what the request asks for, given how much of its body
// there is.
func (s *stream) want(modelCall bool, size int64) {
	s.demand.Model, s.demand.ModelCall = s.model, modelCall
	s.demand.ModelUnread = s.model == "" && s.request.Status != tokens.Readable && s.request.Status != tokens.Empty
	if modelCall {
		s.estimate = s.prompt(size)
		s.demand.Input = s.estimate
		if learned := s.learned(); learned != nil {
			s.demand.Input = learned.Input(s.estimate)
		}
		s.demand.Output, s.demand.Guessed = s.outputReserve()
	}
}

// heldBody is what Envoy holds of the body: nothing, where it holds none.
func (s *stream) heldBody() ([]byte, error) {
	if s.phase == reading {
		return s.requestBody.bytes, nil
	}
	if s.phase != held {
		return nil, nil
	}
	data, err := proxywasm.GetHttpRequestBody(0, s.p.config.Body.MaxBytes)
	if errors.Is(err, types.ErrorStatusNotFound) { // nothing came
		err = nil
	}
	return data, err
}

// read takes from the body what it tells, and says whether it calls a model.
func (s *stream) read(kind bodyKind, data []byte) (modelCall bool) {
	s.request = tokens.Request{Operation: tokens.Other}
	switch {
	case kind == unreadBody:
		return false
	case kind == noBody:
		s.request.Status = tokens.Empty
		s.resolveBody(nil, limits.Absent)
		return false
	case kind == wholeBody:
		s.request = s.reader().ReadRequest(data)
		s.resolveBody(data, limits.Unreadable)
		return s.callsModel()
	case len(data) > 0:
		s.request = s.reader().ReadRequest(data)
		// What the rest may tell counts as what a body tells too late.
		s.resolveBody(data, limits.Unseen)
	}
	s.request.Input = s.oversizeInput(int64(len(data)))
	return s.callsModel()
}

// reader reads the body with what is known beforehand.
func (s *stream) reader() tokens.Reader {
	return tokens.Reader{Provider: s.head.provider, Model: s.head.pathModel, Seed: s.p.seed}
}

// bytesPerToken is the estimate for a body of which only the length is known.
// English text in JSON has about four bytes a token.
const bytesPerToken = 4

// oversizeInput is the estimate for a body of which only the beginning is read,
// if anything. A form carries a file, whose bytes are no text.
func (s *stream) oversizeInput(seen int64) int64 {
	if s.request.Status == tokens.Multipart || s.request.Status == tokens.Unread && s.head.form() {
		return tokens.AudioTokens
	}
	return max(s.request.Input, s.head.contentLength/bytesPerToken, seen/bytesPerToken)
}

// callsModel says whether the request is a model call: a POST whose JSON body
// says so, or of whose body that can't be ruled out.
func (s *stream) callsModel() bool {
	if s.head.method != "POST" {
		return false
	}
	switch s.request.Status {
	case tokens.Readable:
		return s.request.ModelCall || s.head.operation != tokens.Other
	case tokens.Empty:
		return false
	case tokens.Unread: // there is one, too long to be held
		return s.head.contentLength > 0 && (s.head.operation != tokens.Other || !s.head.form())
	}
	return s.request.ModelCall || s.head.operation != tokens.Other || s.head.encoded() ||
		strings.Contains(s.head.contentType, "json")
}

// prompt is the estimate of the input, given the size of the body. Where only
// the path says that a model is called, the text is where nobody looked for it.
func (s *stream) prompt(size int64) int64 {
	if s.request.Status == tokens.Readable && !s.request.ModelCall {
		return max(s.request.Input, size/bytesPerToken)
	}
	return s.request.Input
}

// maxChoices is more answers to one request than any provider gives.
const maxChoices = 1024

// outputReserve is how many tokens to reserve for the answer, and whether that
// is only a guess.
func (s *stream) outputReserve() (output int64, guessed bool) {
	if s.request.MaxOutput > 0 {
		return s.request.MaxOutput, false
	}
	switch s.operation() {
	case tokens.Embeddings, tokens.Moderations, tokens.Rerank:
		return 0, false // they answer without tokens
	}
	output = s.p.config.Reserve.DefaultOutputTokens
	if learned := s.learned(); learned != nil {
		output = learned.Output(output)
	}
	return output * max(1, min(s.request.Choices, maxChoices)), true
}

// learned is what the model's answers have taught, nil if nothing.
func (s *stream) learned() *tokens.Learned {
	if s.p.lessons == nil || s.model == "" {
		return nil
	}
	return s.p.lessons.of(s.model, s.operation())
}

// operation is what the request asks to be done: as its path says, else its body.
func (s *stream) operation() tokens.Operation {
	if s.head.operation == tokens.Other {
		return s.request.Operation
	}
	return s.head.operation
}

// reserve asks the limits.
func (s *stream) reserve() types.Action {
	var err error
	now := s.p.now()
	s.decision, err = s.p.engine.Reserve(now, s.facts, s.demand, &s.reservation)
	s.p.countEngine()
	if err != nil {
		return s.fail("store", err)
	}
	for i := range s.reservation.Len() {
		s.p.metrics.limitState(s.reservation.State(i), s.p.config.Observe)
	}
	s.p.metrics.observed(&s.decision)
	if s.decision.Refused() {
		return s.refuse(s.limitRefusal(now))
	}
	s.admitted = true
	s.holdSlot()
	s.phase = passing
	s.setReserved()
	return types.ActionContinue
}

// decideEarly decides in the header phase: what the body would tell counts as
// absent, tokens are charged as they become known.
func (s *stream) decideEarly() types.Action {
	s.demand = limits.Demand{ModelCall: s.head.method == "POST", Model: s.model}
	action := s.reserve()
	if s.phase == passing {
		s.phase = reading
	}
	return action
}

// bodyEnd ends the reading of a body that was not held.
func (s *stream) bodyEnd() {
	if s.phase != reading {
		return
	}
	if s.undecided {
		kind := wholeBody
		if !s.requestBody.complete() {
			kind = oversizeBody
		}
		s.decide(kind)
	} else {
		s.learn()
	}
	s.requestBody = body{}
}

// learn ends the reading of a body that was not held, and charges what it says.
func (s *stream) learn() {
	s.phase = passing
	s.request = s.reader().ReadRequest(s.requestBody.bytes)
	if !s.requestBody.complete() {
		s.request.Input = s.oversizeInput(s.requestBody.size)
	}
	if s.model == "" {
		s.model = string(s.request.Model)
	}
	s.want(s.callsModel(), s.requestBody.size)
	s.settled(s.p.engine.Charge(s.p.now(), s.demand, &s.reservation))
	s.setReserved()
}
