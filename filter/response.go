package main

import (
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/headers"
	"sluice/limits"
)

// respond puts the limits into the response's headers, and goes on to find out
// what the response means.
func (s *stream) respond(end bool) types.Action {
	pairs, err := proxywasm.GetHttpResponseHeaders()
	if err != nil {
		return s.fail("response_headers", err)
	}
	s.reply = newReply(pairs)
	for i := range pairs {
		switch pairs[i][0] {
		case "x-request-id", "request-id", "x-amzn-requestid", "apim-request-id":
			s.requestID = pairs[i][1]
		}
	}
	if s.p.edits() {
		s.normalize(pairs)
	}
	s.mayHide()
	return s.receive(end)
}

// normalize takes out of the headers what an upstream says of its limits and of
// the account, and puts in what binds of both its and the gateway's.
func (s *stream) normalize(pairs [][2]string) {
	c := &s.p.config.Headers
	for i := range pairs {
		// A name that is there twice is gone after the first time.
		if name := pairs[i][0]; name == classHeader || headers.Normalized(name) || c.DropNative && headers.Native(name) ||
			!c.KeepAccount && headers.Account(name) {
			s.p.check(proxywasm.RemoveHttpResponseHeader(name))
		}
	}
	var upstream []headers.Quota
	now := s.p.now()
	if c.Source != headers.Hide {
		upstream = headers.Read(pairs, s.head.provider, now).Quotas
	}
	// There are none of these names any more: to add is cheaper than to replace,
	// which looks for them.
	s.quotas(upstream, c.Source, now, func(name, value string) {
		s.p.check(proxywasm.AddHttpResponseHeader(name, value))
	})
}

// normalizeTrailers takes out of trailers what must not pass as a header.
func (s *stream) normalizeTrailers() {
	if s.phase == refused || !s.p.edits() {
		return
	}
	pairs, err := proxywasm.GetHttpResponseTrailers()
	if err != nil {
		return // there are none
	}
	c := &s.p.config.Headers
	for i := range pairs {
		if name := pairs[i][0]; headers.Normalized(name) || !c.KeepAccount && headers.Account(name) {
			s.p.check(proxywasm.RemoveHttpResponseTrailer(name))
		}
	}
}

// check counts a failed call of the host, which nothing can be done about.
func (p *plugin) check(err error) {
	if err != nil {
		p.metrics.internalErrors.add(1, "hostcall")
	}
}

// quotas passes the headers of the most restrictive limit of each dimension, or
// of the one that refused.
func (s *stream) quotas(upstream []headers.Quota, source headers.Source, now time.Time, set func(name, value string)) {
	s.p.own = s.ownQuotas(s.p.own[:0], now)
	s.p.shown = headers.Choose(s.p.shown[:0], s.p.own, upstream, source)
	s.p.config.Headers.Format.Render(s.p.shown, now, set)
}

// ownQuotas appends what the limits told of themselves when they were asked.
func (s *stream) ownQuotas(quotas []headers.Quota, now time.Time) []headers.Quota {
	switch s.decision.Outcome {
	case limits.Missing, limits.Identity:
		return quotas // the counters were not looked at
	}
	for i := range s.reservation.Len() {
		state := s.reservation.State(i)
		l := state.Limit
		if refusing := s.decision.Limit; l.Shadow ||
			refusing != nil && s.decision.Refused() && l != refusing && l.Dimension == refusing.Dimension {
			continue
		}
		d := l.Dimension
		q := headers.Quota{
			Dimension: d.String(),
			Limit:     headers.Amount{Value: state.Max, Text: d.Format(state.Max)},
			Remaining: headers.Amount{Value: state.Remaining, Text: d.Format(state.Remaining)},
			Window:    l.Window,
		}
		if l.Never {
			q.Reset = headers.Never
		} else if !state.Reset.IsZero() {
			q.Reset = max(0, state.Reset.Sub(now))
		}
		quotas = append(quotas, q)
	}
	return quotas
}
