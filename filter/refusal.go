package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/classify"
	"sluice/config"
	"sluice/headers"
	"sluice/internal/abi"
	"sluice/limits"
	"sluice/tokens"
)

// refuse answers the request in the provider's stead. Envoy sends the reply when
// the callback has returned (P9), and it comes by the response callbacks.
func (s *stream) refuse(e classify.Error) types.Action {
	s.phase = refused
	s.refusal = e
	if !s.reject(&e) {
		s.p.note("local_reply", "Envoy did not take it")
		if s.p.config.OnError == config.Allow {
			return types.ActionContinue // to pause without a reply would be to hang
		}
	}
	return types.ActionPause
}

// reject sends an error as a reply of Envoy's own, and says whether it took it.
func (s *stream) reject(e *classify.Error) bool {
	a := s.tell(e)
	s.quotas(nil, headers.Merge, s.p.now(), func(name, value string) {
		a.Headers = append(a.Headers, [2]string{name, value})
	})
	grpc := abi.NoGRPC
	if s.head.grpc() {
		grpc = a.GRPCStatus
	}
	return abi.SendLocalResponse(a.Status, "sluice_"+e.ErrorCode(), grpc, a.Headers, a.Body)
}

// tell shapes an error as the client reads it.
func (s *stream) tell(e *classify.Error) classify.Answer {
	dialect := s.head.dialect
	switch {
	case s.p.config.Role == config.Upstream:
		dialect = classify.OpenAI // a gateway shapes it for its client
	case s.head.grpc():
		dialect = classify.GRPC
	}
	policy, random := &s.p.config.Errors, uint64(0)
	if policy.RetryJitter > 0 {
		random = rand.Uint64()
	}
	a := policy.Answer(e, dialect, random, s.p.scratch[:0])
	s.p.scratch = a.Body
	return a
}

// limitRefusal says what the limits decided.
func (s *stream) limitRefusal(now time.Time) classify.Error {
	d := s.decision
	switch d.Outcome {
	case limits.Unpriced:
		if s.model == "" {
			return badRequest("model_not_priced", "The request names no model, whose price limit "+d.Limit.Name+" needs.")
		}
		return badRequest("model_not_priced",
			"Model "+strconv.Quote(printable(s.model))+" has no price, which limit "+d.Limit.Name+" needs.")
	case limits.Missing:
		return badRequest("missing_identity",
			"The request does not say its "+d.Attribute+", which limit "+d.Limit.Name+" requires.")
	case limits.Identity:
		return badRequest("ambiguous_identity",
			"The request names its "+d.Attribute+" more than once; name one, once.")
	}
	r := classify.Error{}
	switch {
	case d.Outcome == limits.TooLarge:
		r.Class = classify.TooLarge
	case d.Limit != nil && (d.Limit.Never || d.Limit.Dimension == limits.Cost):
		r.Class = classify.Quota
	default:
		r.Class = classify.Throttle
	}
	if d.Outcome != limits.TooLarge && d.Wait != limits.Forever {
		// The limits count in milliseconds: what is left of one now is none of
		// the wait's.
		r.WaitFrom(now.Truncate(time.Millisecond), max(d.Wait, time.Millisecond))
	}
	if d.Limit == nil {
		r.Message = "The counters are busy."
		return r
	}
	r.Limit, r.Dimension = d.Limit.Name, d.Limit.Dimension.String()
	r.ScopeKind, r.ScopeTarget = s.p.engine.ScopeKind(d.Limit), cut(s.p.engine.ScopeTarget(d.Limit, s.facts))
	unit := d.Limit.Dimension
	r.Max, r.Remaining, r.Requested = unit.Format(d.Max), unit.Format(d.Remaining), unit.Format(d.Requested)
	r.Message = overLimit(&r, d.Limit)
	return r
}

// overLimit is the message of a limit's refusal. It uses no word by which a client
// takes it for another class.
func overLimit(r *classify.Error, l *limits.Limit) string {
	ceiling := "limit " + r.Limit + " of " + inWords(l, r.Max) + window(l)
	if r.Class == classify.TooLarge {
		return "This request asks for " + inWords(l, r.Requested) + " and can never fit " + ceiling + "."
	}
	return "Over " + ceiling + ": " + r.Remaining + " left, " + r.Requested + " asked for."
}

// inWords is an amount with its unit.
func inWords(l *limits.Limit, amount string) string {
	switch l.Dimension {
	case limits.Cost:
		return "US$ " + amount
	case limits.Concurrency:
		return amount + " requests at once"
	}
	return amount + " " + strings.ReplaceAll(l.Dimension.String(), "_", " ")
}

// window is a limit's window, as in " in 1m".
func window(l *limits.Limit) string {
	switch {
	case l.Never || l.Dimension == limits.Concurrency:
		return ""
	case l.Calendar != limits.NoPeriod:
		return " a " + l.Calendar.String()
	}
	text := l.Window.String() // as in "1h0m0s"
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return " in " + text
}

func badRequest(code, message string) classify.Error {
	return classify.Error{Status: 400, Type: "invalid_request_error", Code: code, Message: message}
}

func unreadable(s tokens.Status) classify.Error {
	return badRequest("unreadable_body", "The request's body cannot be read ("+s.String()+"), and what it would use cannot be told.")
}

func oversize(maxBytes int) classify.Error {
	return classify.Error{Class: classify.TooLarge, Message: "The request's body is larger than " + strconv.Itoa(maxBytes) + " bytes."}
}

func internalError() classify.Error {
	return classify.Error{Status: 500, Type: "api_error", Code: "internal_error", Message: "The gateway could not handle the request."}
}

// cut keeps a client's word short.
func cut(s string) string {
	const longest = 256
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}
