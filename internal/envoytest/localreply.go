package envoytest

import (
	"slices"
	"strconv"
)

// reply is an answer that does not come from the upstream.
type reply struct {
	status  uint32
	headers Headers
	body    string
	// details is the RESPONSE_CODE_DETAILS. They are empty for a reply of the
	// filter: the SDK does not send any (P38).
	details string
	// direct means that it goes to the client past the filter.
	direct bool
}

func (w *worker) sendLocalResponse(code uint32, details, body, headers string) status {
	s := w.stream()
	switch {
	case s == nil || s.logging:
		w.envoy.errorf("a local reply outside of a request or a response")
	case s.replied:
		// P9: the second one can wedge the stream.
		w.envoy.errorf("a second local reply in one stream (P9)")
	default:
		s.replied = true
		s.pending = &reply{status: code, headers: decodeHeaders(headers), body: body, details: details}
	}
	return statusOK
}

// answer sends a reply that arose in direction d.
func (s *Stream) answer(d *direction, r reply) {
	s.localReply = true
	s.request.closed, s.request.headersReachable, s.request.trailersReachable = true, false, false

	if s.response.passed.sent {
		// P11: the client has the headers of another response already.
		s.reset, s.response.closed = true, true
		s.properties["response.code_details"] = r.details
		return
	}
	headers := append(Headers{{":status", strconv.Itoa(int(r.status))}}, r.headers...)
	if r.body != "" {
		headers = headers.replaced("content-length", strconv.Itoa(len(r.body)))
		if !headers.Has("content-type") {
			headers = append(headers, [2]string{"content-type", "text/plain"})
		}
	}
	s.responseBegins(headers.Get(":status"), r.details)

	if r.direct || d == &s.response {
		// P11: a reply in place of a response goes straight out.
		s.response.closed, s.response.headersReachable = true, false
		s.response.headers = headers
		s.response.passed = passed{sent: true, headers: slices.Clone(headers), complete: true}
		if r.body != "" {
			s.response.passed.chunks = [][]byte{[]byte(r.body)}
		}
		return
	}
	// P10: it comes back through the filter's own response callbacks.
	s.response.body = nil
	s.headers(&s.response, headers, r.body == "")
	if r.body != "" {
		s.body(&s.response, []byte(r.body), true)
	}
}

// overflow is what Envoy does when the filter holds more than the buffer limit,
// after the callback has seen it all (P6).
func (s *Stream) overflow(d *direction) {
	if d == &s.request {
		s.answer(d, reply{status: 413, body: "Payload Too Large", details: "request_payload_too_large"})
		return
	}
	s.answer(d, reply{status: 500, body: "Internal Server Error", details: "response_payload_too_large"})
}

// responseBegins sets the attributes that Envoy derives from a response.
func (s *Stream) responseBegins(code, details string) {
	n, _ := strconv.Atoi(code)
	s.properties["response.code"] = Int(int64(n))
	s.properties["response.code_details"] = details
	if _, ok := s.properties["upstream.address"]; !ok && details == viaUpstream {
		s.properties["upstream.address"] = "192.0.2.1:443"
	}
}

// viaUpstream is the RESPONSE_CODE_DETAILS of an upstream's answer.
const viaUpstream = "via_upstream"
