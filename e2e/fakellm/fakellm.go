// Package fakellm is a language model provider that runs anywhere and answers
// what a test, or a curl line, asks for.
//
// It speaks OpenAI's chat API, as JSON and as server-sent events, over HTTP/1.1
// and over HTTP/2 without TLS, both on one port. What it answers is scripted by
// a queue or a function in Go, or by the request's own x-fake-* headers; see
// Script. It remembers every request, so that a test can tell what passed the
// gateway and what did not.
//
//	provider, err := fakellm.Start("127.0.0.1:0")
//	if err != nil {
//		t.Fatal(err)
//	}
//	defer provider.Close()
//	provider.Next(fakellm.Script{Status: 429, Header: http.Header{"Retry-After": {"2"}}})
package fakellm

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// Server is the fake provider. It is an http.Handler, and serves on a port of
// its own when Start made it. Its zero value is ready to use.
type Server struct {
	mu       sync.Mutex
	requests []*Request
	changed  chan struct{}        // closed, and replaced, at every change of requests
	queue    []Script             // answers for the next requests, in order
	script   func(Request) Script // answers for the rest, nil: the request's headers

	listener net.Listener
	http     *http.Server
}

// Start serves a new fake provider on addr. Port 0 takes any free one, which
// Addr tells.
func Start(addr string) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("fake provider: %w", err)
	}
	s := &Server{listener: listener}

	// Envoy speaks HTTP/2 to a cluster by prior knowledge, so one port can
	// serve both protocols.
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s.http = &http.Server{Handler: s, Protocols: protocols}
	go s.http.Serve(listener) //nolint:errcheck // It always ends with ErrServerClosed.
	return s, nil
}

// Addr is the address that a started server listens on, as host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// URL is the base URL of a started server.
func (s *Server) URL() string { return "http://" + s.Addr() }

// Close stops a started server and cuts its connections.
func (s *Server) Close() error { return s.http.Close() }

// Next queues the answers to the next requests. They come before what Use set.
func (s *Server) Next(scripts ...Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, scripts...)
}

// Use lets f say what to answer to each request. Nil goes back to the request's
// own headers.
func (s *Server) Use(f func(Request) Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = f
}

// ServeHTTP remembers the request and answers as the script says.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := s.arrived(r)
	body, err := io.ReadAll(r.Body)
	s.change(func() {
		request.Body = body
		request.Trailer = r.Trailer.Clone()
		request.Aborted = err != nil
		request.Read = true
	})
	if err != nil {
		panic(http.ErrAbortHandler) // Whoever sent half a body waits for no answer.
	}

	script, err := s.scriptFor(request)
	var a answer
	if err != nil {
		a = failure(http.StatusInternalServerError, "fake_script_error", err.Error())
	} else {
		a = compose(*request, script)
	}

	err = a.write(r.Context(), w, script)
	s.change(func() {
		request.Canceled = err != nil && err != errCut
		request.Answered = err == nil
	})
	if err != nil {
		panic(http.ErrAbortHandler) // Cuts the connection, or resets the HTTP/2 stream.
	}
}

// scriptFor takes the next queued script, else asks the function, else the
// request's headers.
func (s *Server) scriptFor(r *Request) (Script, error) {
	s.mu.Lock()
	if len(s.queue) > 0 {
		script := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		return script, nil
	}
	f := s.script
	s.mu.Unlock()
	if f != nil {
		return f(*r), nil
	}
	return FromHeaders(r.Header)
}
