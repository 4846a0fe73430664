package envoytest

import (
	"maps"
	"slices"
	"strconv"
)

// Request is what a client sends, or what the upstream receives.
type Request struct {
	// Headers need no pseudo headers: a GET or, with a body, a POST of / is
	// assumed.
	Headers Headers
	// Body is sent in one piece, with a content-length.
	Body []byte
	// Chunks are sent one by one, instead of Body and without a content-length.
	Chunks   [][]byte
	Trailers Headers

	// EndWithChunk makes the last chunk end the stream. Mostly an empty one does,
	// after it (P5).
	EndWithChunk bool

	// Worker and Properties are as in StreamOptions.
	Worker     int
	Properties map[string]string
}

// Response is what an upstream sends. Its fields are as those of Request.
type Response struct {
	Status       int // 200 if it is 0
	Headers      Headers
	Body         []byte
	Chunks       [][]byte
	Trailers     Headers
	EndWithChunk bool

	// CodeDetails, if set, make it the local reply of Envoy or of a filter behind
	// this one, such as "request_rate_limited" (P10). Then the stream has no
	// upstream.address unless the request's Properties give it one.
	CodeDetails string

	// Disconnect means that the client leaves before the end of the body (P26).
	Disconnect bool
}

// Upstream answers a request.
type Upstream func(Request) Response

// Result is what has become of a request.
type Result struct {
	// Status, Headers, Body and Trailers are what the client got. Status is 0 if
	// it got no headers.
	Status   int
	Headers  Headers
	Body     []byte
	Chunks   [][]byte // Body as it was passed on, piece by piece
	Trailers Headers
	Reset    bool // the client saw the stream break off

	// Upstream is what the upstream saw, nil if it saw nothing. If it is aborted,
	// the filter or Envoy replied when some of the request had left already (P4).
	Upstream        *Request
	UpstreamAborted bool

	// LocalReply means that the filter or Envoy replied and not the upstream.
	LocalReply bool

	FilterState map[string]string
	Properties  map[string]string
}

// Do plays a request from its headers to its end. The upstream is asked if the
// whole request reaches it.
func (e *Envoy) Do(request Request, upstream Upstream) *Result {
	s := e.NewStream(StreamOptions{Worker: request.Worker, Properties: request.Properties})
	in := message{request.Headers, request.Body, request.Chunks, request.Trailers, request.EndWithChunk, true}
	s.play(&s.request, in.complete(request.pseudo()))

	if p := s.request.passed; p.complete && !s.response.closed && !s.localReply {
		response := upstream(Request{Headers: p.headers, Body: p.body(), Chunks: p.chunks, Trailers: p.trailers, Worker: request.Worker})
		code := "200"
		if response.Status != 0 {
			code = strconv.Itoa(response.Status)
		}
		details := viaUpstream
		if response.CodeDetails != "" {
			s.localReply, details = true, response.CodeDetails
		}
		s.responseBegins(code, details)
		out := message{response.Headers, response.Body, response.Chunks, response.Trailers, response.EndWithChunk, !response.Disconnect}
		s.play(&s.response, out.complete(Headers{{":status", code}}))
		if response.Disconnect {
			s.Disconnect()
		}
	}
	s.Done()
	return s.Result()
}

// Result returns what has become of the stream up to now.
func (s *Stream) Result() *Result {
	p := s.response.passed
	r := &Result{
		Headers: p.headers, Body: p.body(), Chunks: p.chunks, Trailers: p.trailers, Reset: s.reset,
		LocalReply:  s.localReply,
		FilterState: s.FilterState(), Properties: maps.Clone(s.properties),
	}
	r.Status, _ = strconv.Atoi(p.headers.Get(":status"))
	if p := s.request.passed; p.sent {
		r.Upstream = &Request{Headers: p.headers, Body: p.body(), Chunks: p.chunks, Trailers: p.trailers, Worker: s.worker.number}
		r.UpstreamAborted = !p.complete
	}
	return r
}

// message is a request or a response as it is sent.
type message struct {
	headers      Headers
	body         []byte
	chunks       [][]byte
	trailers     Headers
	endWithChunk bool
	end          bool
}

// pseudo returns the pseudo headers that a request needs.
func (r Request) pseudo() Headers {
	method := "GET"
	if len(r.Body) > 0 || len(r.Chunks) > 0 {
		method = "POST"
	}
	return Headers{{":authority", "envoy.test"}, {":path", "/"}, {":method", method}, {":scheme", "http"}}
}

// complete adds the pseudo headers that are missing, and content-length.
func (m message) complete(pseudo Headers) message {
	m.headers = m.headers.lowered()
	pseudo = slices.DeleteFunc(pseudo, func(line [2]string) bool { return m.headers.Has(line[0]) })
	m.headers = append(pseudo, m.headers...)
	if len(m.chunks) == 0 && len(m.body) > 0 {
		m.chunks = [][]byte{m.body}
		if !m.headers.Has("content-length") && !m.headers.Has("transfer-encoding") {
			m.headers = append(m.headers, [2]string{"content-length", strconv.Itoa(len(m.body))})
		}
	}
	return m
}

// play delivers a message piece by piece.
func (s *Stream) play(d *direction, m message) {
	bare := len(m.chunks) == 0 && len(m.trailers) == 0
	s.headers(d, m.headers, bare && m.end)
	for i, chunk := range m.chunks {
		last := i == len(m.chunks)-1 && len(m.trailers) == 0
		s.body(d, chunk, last && m.endWithChunk && m.end)
	}
	switch {
	case bare || !m.end:
	case len(m.trailers) > 0:
		s.trailers(d, m.trailers) // P7
	case !m.endWithChunk:
		s.body(d, nil, true) // P5
	}
}
