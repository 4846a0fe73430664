package main

import (
	"strconv"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/headers"
	"sluice/limits"
)

// respond puts the limits into the response's headers, and finds out how its
// usage can be read.
func (s *stream) respond(end bool) types.Action {
	pairs, err := proxywasm.GetHttpResponseHeaders()
	if err != nil {
		return s.fail("response_headers", err)
	}
	observe := s.p.config.Observe
	contentType, encoding := "", ""
	for i := range pairs {
		name, value := pairs[i][0], pairs[i][1]
		switch name {
		case ":status":
			s.status, _ = strconv.Atoi(value)
		case "content-type":
			contentType = value
		case "content-encoding":
			encoding = value
		case "x-envoy-upstream-service-time":
			s.served = true // the router writes it, of an upstream's answer only
		case "x-request-id", "request-id", "x-amzn-requestid", "apim-request-id":
			s.requestID = value
		default:
			// The upstream's own never pass beside or instead of these: each
			// provider writes them in a form of its own.
			if !observe && strings.HasPrefix(name, headers.Prefix) {
				s.check(proxywasm.RemoveHttpResponseHeader(name))
			}
		}
	}
	if !observe {
		// There are none of these names any more: to add is cheaper than to
		// replace, which looks for them.
		s.quotas(func(name, value string) { s.check(proxywasm.AddHttpResponseHeader(name, value)) })
	}
	if !end && s.demand.ModelCall {
		s.answer.begin(s.status, s.head.provider, contentType, encoding)
		if s.head.provider == "bedrock" {
			for i := range pairs {
				s.answer.body.Header(pairs[i][0], pairs[i][1])
			}
		}
	}
	return types.ActionContinue
}

// check counts a failed call of the host, which nothing can be done about.
func (s *stream) check(err error) {
	if err != nil {
		s.p.metrics.internalErrors.add(1, "hostcall")
	}
}

// quotas passes the headers of the most restrictive limit of each dimension,
// or of the one that refused.
func (s *stream) quotas(set func(name, value string)) {
	switch s.decision.Outcome {
	case limits.Missing, limits.Identity:
		return // the counters were not looked at
	}
	if s.reservation.Len() == 0 {
		return
	}
	now := s.p.now()
	var shown [limits.NumDimensions]headers.Quota
	var refusing [limits.NumDimensions]bool
	for i := range s.reservation.Len() {
		state := s.reservation.State(i)
		d := state.Limit.Dimension
		if state.Limit.Shadow {
			continue
		}
		q := headers.Quota{
			Dimension: d.String(),
			Limit:     headers.Amount{Value: state.Max, Text: d.Format(state.Max)},
			Remaining: headers.Amount{Value: state.Remaining, Text: d.Format(state.Remaining)},
		}
		if state.Limit.Never {
			q.Reset = headers.Never
		} else if !state.Reset.IsZero() {
			q.Reset = max(0, state.Reset.Sub(now))
		}
		refuses := state.Limit == s.decision.Limit
		if shown[d].Dimension == "" || refuses || !refusing[d] && q.Binding(shown[d]) {
			shown[d], refusing[d] = q, refuses
		}
	}
	for i := range shown {
		if shown[i].Dimension != "" {
			shown[i].Render(set)
		}
	}
}
