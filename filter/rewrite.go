package main

import (
	"strconv"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/classify"
	"sluice/config"
)

// classHeader is how an upstream filter tells the gateway's what a refusal means,
// where it cannot write it into the body. It does not reach the client.
const classHeader = classify.ClassHeader

// rewrite makes the typed error of an upstream's refusal, in place: a reply of
// Envoy's own would end the router's retries where the filter sees single
// attempts (P29).
func (s *stream) rewrite(can changeable) types.Action {
	r := &s.reply
	upstream := s.p.config.Role == config.Upstream
	if !upstream && (can == bodiless || can == whole && !r.failed()) {
		// Where there is no body, one can only be had as a reply of Envoy's own
		// (P11). Where it fails in what seemed to be a success, the rest may take
		// its time, and nobody waits for it.
		if s.reject(&r.told) {
			r.state = answered
			return types.ActionPause
		}
	}
	a := s.tell(&r.told)
	set := func(name, value string) { s.p.check(proxywasm.ReplaceHttpResponseHeader(name, value)) }
	// What the upstream says of a retry is said anew, or must not be said: SDKs
	// sleep through the retry-after of a quota.
	for i := range r.headers {
		switch name := r.headers[i][0]; name {
		case "retry-after", "retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after", "x-should-retry":
			s.p.check(proxywasm.RemoveHttpResponseHeader(name))
		case "grpc-status", "grpc-message":
			if !s.head.grpc() {
				s.p.check(proxywasm.RemoveHttpResponseHeader(name))
			}
		case "x-envoy-ratelimited": // only the filter says so (P31)
			if upstream {
				s.p.check(proxywasm.RemoveHttpResponseHeader(name))
			}
		case "x-amzn-errortype", "content-encoding", "etag", "content-md5", "digest":
			if can == whole {
				s.p.check(proxywasm.RemoveHttpResponseHeader(name))
			}
		}
	}
	for _, h := range a.Headers {
		if can != whole && (h[0] == "content-type" || h[0] == "x-amzn-errortype") {
			continue // they are the body's
		}
		set(h[0], h[1])
	}
	if s.head.grpc() && !upstream {
		set(":status", "200")
		set("content-type", "application/grpc")
		set("grpc-status", strconv.Itoa(a.GRPCStatus))
		set("grpc-message", a.GRPCMessage)
		a.Body = nil
	} else {
		set(":status", strconv.Itoa(a.Status))
	}
	if upstream {
		// For a gateway, which may not find the class in the body.
		set(classHeader, r.told.Class.String())
		if r.told.Class == classify.Quota {
			set("x-envoy-ratelimited", "true") // the router does not retry then (P31)
		}
	}
	if can == whole {
		// Envoy does not mend it (P12).
		set("content-length", strconv.Itoa(len(a.Body)))
		s.p.check(proxywasm.ReplaceHttpResponseBody(a.Body))
		r.state = replaced
	}
	return types.ActionContinue
}
