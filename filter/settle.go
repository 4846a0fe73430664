package main

import (
	"strings"

	"sluice/limits"
	"sluice/tokens"
)

// settle ends a request: its limits are corrected to what it really used, and
// what became of it is told in metrics and filter state.
func (s *stream) settle() {
	r := result{source: "none"}
	if s.admitted {
		r = s.result()
		s.settleTo(r.actual)
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
		return result{source: "none"}
	}
	r := result{actual: limits.Actual{Requests: 1}, source: "none"}
	if !s.demand.ModelCall {
		return r
	}
	if s.status >= 400 {
		return r // an error costs no tokens
	}
	r.usage, r.reason = s.answer.usage()
	if r.reason == "" {
		r.source = "reported"
		r.actual.Input, r.actual.Output = r.usage.Input, r.usage.Output
		return r
	}
	// An answer whose output was not seen keeps its reservation.
	r.source = "estimated"
	r.actual = limits.Actual{Requests: 1, Input: s.demand.Input, Output: s.demand.Output, Estimated: true}
	r.usage = tokens.Usage{Input: s.demand.Input, Output: s.demand.Output, Total: s.demand.Input + s.demand.Output}
	return r
}

// unreached says that no upstream has had the request: another filter refused
// it, there is no route, or no healthy host.
func (s *stream) unreached() bool {
	if s.answered && s.status < 400 {
		return false // the usual case; a look costs a call of the host
	}
	f := property([]string{"upstream", "address"})
	return f.Status != limits.Known || f.Value == ""
}

// settleTo corrects what the limits were charged. A failure is counted: the
// request itself is over.
func (s *stream) settleTo(a limits.Actual) {
	err := s.p.engine.Settle(s.p.now(), a, &s.reservation)
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
	}
	model := "other" // until prices name some: a client must not make metrics
	m.requests.add(1, label{"decision", decision}, label{"provider", s.provider}, label{"model", model})
	if s.admitted && s.demand.ModelCall {
		tokens := func(kind string, n int64) {
			m.tokens.add(n, label{"kind", kind}, label{"provider", s.provider}, label{"model", model})
		}
		reserved, actual := s.demand.Input+s.demand.Output, r.actual.Input+r.actual.Output
		tokens("estimated", s.demand.Input)
		tokens("reserved", reserved)
		tokens("refunded", max(0, reserved-actual))
		tokens("overrun", max(0, actual-reserved))
		if r.source == "reported" {
			tokens("input", r.usage.Input)
			tokens("output", r.usage.Output)
			tokens("cached", r.usage.CachedInput)
			tokens("reasoning", r.usage.Reasoning)
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
	number("sluice_settle_tokens", max(0, r.actual.Input+r.actual.Output-s.demand.Input))
	text("sluice_usage_source", r.source)
	number("sluice_input_tokens", r.usage.Input)
	number("sluice_output_tokens", r.usage.Output)
	number("sluice_cached_tokens", r.usage.CachedInput)
	number("sluice_total_tokens", r.usage.Total)
}

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
