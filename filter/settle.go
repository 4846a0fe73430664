package main

import (
	"encoding/binary"
	"strings"

	"sluice/classify"
	"sluice/config"
	"sluice/limits"
	"sluice/tokens"
)

// settle ends a request: its limits are corrected to what it really used, and
// what became of it is told in metrics and filter state.
func (s *stream) settle() {
	r := result{source: "none"}
	if s.admitted {
		r = s.result()
		s.settled(s.p.engine.Settle(s.p.now(), r.actual, &s.reservation))
	}
	s.report(&r)
}

// result is what became of an admitted request.
type result struct {
	actual limits.Actual
	usage  tokens.Usage
	source string // of usage: reported, estimated or none
	reason string // why none was reported
}

func (s *stream) result() result {
	if s.unreached() {
		// Nobody did anything for it: it is as if it had never come.
		return result{actual: limits.Actual{Void: true, VoidExcept: -1}, source: "none"}
	}
	r := result{actual: limits.Actual{Model: s.model}, source: "none"}
	if status := s.reply.status; status == 401 || status == 403 {
		// The provider did nothing, but the address may be guessing keys.
		r.actual.Void, r.actual.VoidExcept = true, config.IP
	}
	if !s.demand.ModelCall || s.reply.failed() || s.reply.state >= replaced {
		return r // an error costs no tokens
	}
	if answered := s.answer.model(); s.p.engine.PricedAs(answered) != "" {
		r.actual.Model = answered // which may cost something else than what was asked for
	}
	r.usage, r.reason = s.answer.usage()
	if r.reason == "" && r.usage.Input+r.usage.Output == 0 {
		r.reason = string(tokens.NotReported) // an answer of nothing to nothing is none
	}
	if r.reason == "" {
		r.source = "reported"
		r.actual.Usage = limits.Usage{
			Input: r.usage.Input, CachedInput: r.usage.CachedInput, CacheWrite: r.usage.CacheWrite,
			Output: r.usage.Output, Reasoning: r.usage.Reasoning,
		}
		s.teach(&r.usage)
		return r
	}
	r.source = "estimated"
	input, output := s.demand.Input, s.answer.seen(s.weights())
	if learned := s.learned(); learned != nil {
		output = int64(float64(output) * learned.Hidden()) // what the model thinks is not shown
	}
	if output > 0 {
		r.actual.Usage = limits.Usage{Input: input, Output: output}
	} else {
		r.actual.Estimated = true // what was not seen keeps its reservation
		output = s.demand.Output
	}
	r.usage = tokens.Usage{Input: input, Output: output, Total: input + output}
	return r
}

// teach learns from an answer that reported what it took.
func (s *stream) teach(u *tokens.Usage) {
	if s.p.lessons == nil || s.model == "" || s.request.Status != tokens.Readable {
		return
	}
	s.p.lessons.observe(s.model, s.operation(), s.estimate, u.Input, u.Output, s.answer.seen(s.weights()))
}

// weights are those of the tokenizer that the request's model has.
func (s *stream) weights() tokens.Weights { return tokens.WeightsFor(s.head.provider, []byte(s.model)) }

// unreached says that no upstream has had the request: another filter refused
// it, there is no route, or no healthy host, or none that can be reached.
func (s *stream) unreached() bool {
	if s.reply.served {
		return false // the usual case; a look costs a call of the host
	}
	f := property([]string{"upstream", "address"})
	if f.Status != limits.Known || f.Value == "" {
		return true
	}
	// A host was chosen, but whoever could not be connected to has got nothing.
	flags := property([]string{"response", "flags"}).Value
	return len(flags) == 8 && binary.LittleEndian.Uint64([]byte(flags))&connectionFailure != 0
}

// connectionFailure is the response flag UF (P37).
const connectionFailure = 0x20

// settled ends a change of what the limits were charged. A failure is counted:
// the request itself goes on, or is over.
func (s *stream) settled(err error) {
	s.p.countEngine()
	if err != nil {
		s.p.note("settle", err.Error())
	}
}

// report tells what became of the request.
func (s *stream) report(r *result) {
	if s.phase == held {
		return // nothing was decided: the client left, or Envoy answered
	}
	t, d := s.p.trafficOf(s.head.provider, s.model), s.outcome()
	t.requests[d].pending++
	if limit := s.decision.Limit; d == denied && limit != nil {
		s.p.metrics.denied.add(1, limit.Name, limit.Dimension.String())
	}
	if s.admitted && s.demand.ModelCall {
		reserve, actual := s.demand.Input+s.demand.Output, r.usage.Input+r.usage.Output
		t.tokens[estimated].pending += s.demand.Input
		t.tokens[reserved].pending += reserve
		t.tokens[refunded].pending += max(0, reserve-actual)
		t.tokens[overrun].pending += max(0, actual-reserve)
		if r.source == "reported" {
			t.tokens[input].pending += r.usage.Input
			t.tokens[output].pending += r.usage.Output
			t.tokens[cached].pending += r.usage.CachedInput
			t.tokens[reasoning].pending += r.usage.Reasoning
			if s.estimate > 0 && !s.demand.InputGuessed {
				s.p.metrics.estimateRatio.record(uint64(min(100*r.usage.Input/s.estimate, maxRatio)))
			}
			t.spend(s.p.engine.Cost(r.actual.Model, r.actual.Usage))
		} else if r.reason != "" {
			s.p.metrics.usageUnavailable.add(1, r.reason)
		}
	}
	s.tellState(d, r)
}

// outcome is what was decided.
func (s *stream) outcome() decision {
	switch {
	case s.phase == failed, s.phase == refused && s.refusal.Status == 500:
		return errored
	case s.phase == refused:
		return denied
	case s.decision.Observed, s.observed:
		return shadowDenied
	}
	return allowed
}

// tellState sets the filter state that access logs and other filters read.
func (s *stream) tellState(d decision, r *result) {
	text, number := s.setText, s.setNumber
	text("sluice_decision", d.String())
	text("sluice_provider", s.head.provider)
	text("sluice_model", printable(s.model))
	text("sluice_upstream_request_id", printable(s.requestID))
	text("sluice_operation", string(s.operation()))
	for i := range s.facts {
		s.tellAttribute(i)
	}
	refusal := s.refusal
	if s.reply.class != classify.NotRateLimit {
		refusal = s.reply.told
	}
	if d == shadowDenied && s.decision.Observed {
		refusal = s.limitRefusal(s.p.now()) // what it would have been
	}
	if refusal.Class != classify.NotRateLimit {
		text("sluice_class", refusal.Class.String())
	}
	if limit := s.decision.Limit; limit != nil {
		text("sluice_limit", limit.Name)
	}
	if wait := refusal.RetryAfter(); wait > 0 {
		number("sluice_retry_after", wait)
	}
	if s.phase == refused {
		return
	}
	if !s.admitted || !s.demand.ModelCall {
		return
	}
	number("sluice_settle_tokens", max(0, r.usage.Input+r.usage.Output-s.demand.Input))
	text("sluice_usage_source", r.source)
	number("sluice_input_tokens", r.usage.Input)
	number("sluice_output_tokens", r.usage.Output)
	number("sluice_cached_tokens", r.usage.CachedInput)
	number("sluice_total_tokens", r.usage.Total)
}

// maxRatio is the largest ratio of what a prompt had to its estimate that is told
// apart, in percent.
const maxRatio = 10_000

// printable leaves out of a client's word what could break a log line.
func printable(s string) string {
	s = s[:min(len(s), 128)]
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return strings.Map(func(r rune) rune {
				if r < ' ' || r > '~' {
					return -1
				}
				return r
			}, s)
		}
	}
	return s
}

// renew keeps the slots of a stream that lives from running out.
func (s *stream) renew() {
	if s.reservation.HoldsSlots() {
		s.settled(s.p.engine.Renew(s.p.now(), &s.reservation))
	}
}
