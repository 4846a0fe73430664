package fakellm

import (
	"context"
	"net/http"
	"time"
)

// Request is what the provider saw of one request.
type Request struct {
	Arrived time.Time
	Method  string
	Path    string // with the query
	Proto   string // HTTP/1.1 or HTTP/2.0
	Host    string
	Header  http.Header
	Trailer http.Header
	Body    []byte

	Read     bool // The body was read to its end, or as far as it came.
	Aborted  bool // The body broke off before its end.
	Canceled bool // The client left before it had the whole answer.
	Answered bool // The whole answer was written.
}

// Requests are all requests seen so far, in the order of their arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

// Count is the number of requests seen so far, whole or not.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Last is the request that arrived last. Without any it is the zero Request.
func (s *Server) Last() Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return Request{}
	}
	return *s.requests[len(s.requests)-1]
}

// Forget drops the requests seen so far, so that a test counts from here.
func (s *Server) Forget() {
	s.change(func() { s.requests = nil })
}

// Await returns once done holds for the requests seen so far, or with ctx's
// error: a test waits for the provider to notice, and never sleeps.
func (s *Server) Await(ctx context.Context, done func([]Request) bool) error {
	for {
		s.mu.Lock()
		seen := s.snapshot()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if done(seen) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// arrived remembers a request whose body is still to come.
func (s *Server) arrived(r *http.Request) *Request {
	request := &Request{
		Arrived: time.Now(),
		Method:  r.Method,
		Path:    r.URL.RequestURI(),
		Proto:   r.Proto,
		Host:    r.Host,
		Header:  r.Header.Clone(),
	}
	s.change(func() { s.requests = append(s.requests, request) })
	return request
}

// change edits what was seen, and wakes those who await it.
func (s *Server) change(edit func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// snapshot copies the requests; s.mu is held.
func (s *Server) snapshot() []Request {
	seen := make([]Request, len(s.requests))
	for i, r := range s.requests {
		seen[i] = *r
	}
	return seen
}
