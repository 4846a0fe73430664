package envoytest

import (
	"bytes"
	"slices"
	"strconv"
)

// direction is one half of a stream, the request or the response: what has come
// in, what the filter holds and what has gone on.
type direction struct {
	kind                         string // for messages
	onHeaders, onBody, onTrailer string

	headers           Headers
	headersReachable  bool
	trailers          Headers
	trailersReachable bool

	// body is what the filter can read: all it holds and, in a body callback, the
	// chunk that has just come.
	body []byte

	// stopped means that the filter has paused in the headers where Envoy does not
	// hold them: it sees nothing more until it continues from elsewhere (P1).
	// What came meanwhile is kept.
	stopped bool
	kept    []byte
	keptEnd bool

	// resumed is set when the filter continues a direction from elsewhere.
	resumed bool
	// closed means that no callback follows: a reply has taken its place, or it
	// hangs.
	closed bool

	passed passed
}

// passed is what a direction has handed to the other side.
type passed struct {
	sent     bool // the headers have gone
	headers  Headers
	chunks   [][]byte
	trailers Headers
	complete bool
}

func (p *passed) body() []byte { return bytes.Join(p.chunks, nil) }

// proceed hands on all that the filter holds.
func (s *Stream) proceed(d *direction, end bool) {
	p := &d.passed
	if !p.sent {
		p.sent, p.headers = true, slices.Clone(d.headers)
		d.headersReachable = false
	}
	if len(d.body) > 0 {
		p.chunks = append(p.chunks, d.body)
		d.body = nil
	}
	if d.trailersReachable {
		p.trailers = slices.Clone(d.trailers)
		d.trailersReachable = false
	}
	if !end {
		return
	}
	p.complete = true
	// P12: with a wrong content-length the upstream waits for more, or the client
	// sees the body cut.
	if length := p.headers.Get("content-length"); length != "" && len(p.chunks) > 0 {
		if size := strconv.Itoa(len(p.body())); size != length {
			s.worker.envoy.errorf("the %s has content-length %s but %s bytes (P12)", d.kind, length, size)
		}
	}
}

// hang fails the test because the stream stands still for good.
func (s *Stream) hang(d *direction, why string) {
	d.closed = true
	s.worker.envoy.errorf("the %s hangs: %s", d.kind, why)
}
