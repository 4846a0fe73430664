package main

import (
	"strings"

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
	if s.status == 401 || s.status == 403 {
		// The provider did nothing, but the address may be guessing keys.
		r.actual.Void, r.actual.VoidExcept = true, config.IP
	}
	if !s.demand.ModelCall || s.status >= 400 {
		return r // an error costs no tokens
	}
	r.usage, r.reason = s.answer.usage()
	if r.reason == "" {
		r.source = "reported"
		r.actual.Usage = limits.Usage{
			Input: r.usage.Input, CachedInput: r.usage.CachedInput, CacheWrite: r.usage.CacheWrite,
			Output: r.usage.Output, Reasoning: r.usage.Reasoning,
		}
		return r
	}
	// An answer whose output was not seen keeps its reservation.
	r.source = "estimated"
	r.actual.Estimated = true
	r.usage = tokens.Usage{Input: s.demand.Input, Output: s.demand.Output, Total: s.demand.Input + s.demand.Output}
	return r
}

// unreached says that no upstream has had the request: another filter refused
// it, there is no route, or no healthy host.
func (s *stream) unreached() bool {
	if s.served {
		return false // the usual case; a look costs a call of the host
	}
	f := property([]string{"upstream", "address"})
	return f.Status != limits.Known || f.Value == ""
}

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
	m := &s.p.metrics
	decision := "allowed"
	switch s.phase {
	case holding:
		return // nothing was decided: the client left, or Envoy answered
	case refused:
		decision = "denied"
		if s.refusal.status == 500 {
			decision = "error"
		} else if s.decision.Limit != nil {
			m.denied.add(1, label{"limit", s.decision.Limit.Name}, label{"dimension", s.decision.Limit.Dimension.String()})
		}
	case failed:
		decision = "error"
	default:
		if s.decision.Observed {
			decision = "shadow_denied"
		}
	}
	model := s.p.modelLabel(s.model)
	m.requests.add(1, label{"decision", decision}, label{"provider", s.provider}, label{"model", model})
	if s.admitted && s.demand.ModelCall {
		tokens := func(kind string, n int64) {
			m.tokens.add(n, label{"kind", kind}, label{"provider", s.provider}, label{"model", model})
		}
		reserved, actual := s.demand.Input+s.demand.Output, r.usage.Input+r.usage.Output
		tokens("estimated", s.demand.Input)
		tokens("reserved", reserved)
		tokens("refunded", max(0, reserved-actual))
		tokens("overrun", max(0, actual-reserved))
		if r.source == "reported" {
			tokens("input", r.usage.Input)
			tokens("output", r.usage.Output)
			tokens("cached", r.usage.CachedInput)
			tokens("reasoning", r.usage.Reasoning)
			m.cost.add(s.p.engine.Cost(r.actual.Model, r.actual.Usage)/nanosPerMicro, label{"provider", s.provider}, label{"model", model})
		} else if r.reason != "" {
			m.usageUnavailable.add(1, label{"reason", r.reason})
		}
	}
	s.tell(decision, r)
}

// tell sets the filter state that access logs and other filters read.
func (s *stream) tell(decision string, r *result) {
	text, number := s.setText, s.setNumber
	text("sluice_decision", decision)
	text("sluice_provider", s.provider)
	text("sluice_model", printable(s.model))
	text("sluice_upstream_request_id", printable(s.requestID))
	operation := s.head.operation
	if operation == tokens.Other {
		operation = s.request.Operation
	}
	text("sluice_operation", string(operation))
	for i := range s.facts {
		s.tellAttribute(i)
	}
	if s.phase == refused {
		text("sluice_class", s.refusalClass())
		text("sluice_limit", s.refusal.Limit)
		number("sluice_retry_after", s.refusal.RetryAfter)
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

// nanosPerMicro is how many billionths of a US$ are a millionth.
const nanosPerMicro = 1000

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
