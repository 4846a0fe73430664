package envoytest

import (
	"maps"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// Stream is one request with its response, a step at a time. A step that the
// filter never sees, because it has replied itself or because the stream hangs,
// does nothing and returns ActionPause.
type Stream struct {
	worker *worker
	plugin *plugin
	id     uint32

	// created says whether the filter knows of the stream: Envoy creates its
	// context with the first callback (P27).
	created bool
	logging bool
	ended   bool

	request, response direction

	properties  map[string]string
	filterState map[string]string

	pending    *reply // what the filter has sent during the callback under way
	replied    bool   // the filter has replied
	localReply bool   // the filter, or Envoy, has replied
	reset      bool   // the client has seen a reset
}

// StreamOptions say where a stream runs and what Envoy knows about it.
type StreamOptions struct {
	// Worker is the number of the worker, from 0.
	Worker int
	// Properties add to those of the Options.
	Properties map[string]string
}

// NewStream begins a stream. The filter hears of it with the first step.
func (e *Envoy) NewStream(o StreamOptions) *Stream {
	w := e.workers[o.Worker]
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &Stream{
		worker: w, plugin: w.plugin, id: w.newContext(),
		request: direction{
			kind: "request", onHeaders: onRequestHeaders, onBody: onRequestBody, onTrailer: onRequestTrailers,
		},
		response: direction{
			kind: "response", onHeaders: onResponseHeaders, onBody: onResponseBody, onTrailer: onResponseTrailers,
		},
		properties:  map[string]string{},
		filterState: map[string]string{},
	}
	maps.Copy(s.properties, e.options.Properties)
	maps.Copy(s.properties, o.Properties)
	w.streams[s.id] = s
	w.plugin.streams++
	return s
}

// RequestHeaders delivers the headers of the request; end means that there is
// nothing else.
func (s *Stream) RequestHeaders(h Headers, end bool) types.Action {
	return s.headers(&s.request, h, end)
}

// RequestBody delivers a chunk of the request's body. The last one is often
// empty, and if trailers follow none has end set (P5, P7).
func (s *Stream) RequestBody(chunk []byte, end bool) types.Action {
	return s.body(&s.request, chunk, end)
}

// RequestTrailers ends the request with trailers.
func (s *Stream) RequestTrailers(h Headers) types.Action { return s.trailers(&s.request, h) }

// ResponseHeaders delivers the headers of the upstream's response.
func (s *Stream) ResponseHeaders(h Headers, end bool) types.Action {
	if !s.response.closed {
		s.responseBegins(h.Get(":status"), viaUpstream)
	}
	return s.headers(&s.response, h, end)
}

// ResponseBody delivers a chunk of the response's body.
func (s *Stream) ResponseBody(chunk []byte, end bool) types.Action {
	return s.body(&s.response, chunk, end)
}

// ResponseTrailers ends the response with trailers.
func (s *Stream) ResponseTrailers(h Headers) types.Action { return s.trailers(&s.response, h) }

// Disconnect ends the stream because the client has left (P26).
func (s *Stream) Disconnect() {
	s.properties["response.code_details"] = "downstream_remote_disconnect"
	s.Done()
}

// Done ends the stream: log, done and delete, in Envoy's order. It may be the
// only step, when Envoy has refused a request before the filter saw it (P27).
func (s *Stream) Done() {
	if s.ended {
		return
	}
	for _, d := range []*direction{&s.request, &s.response} {
		if d.stopped && !d.closed {
			s.hang(d, "a pause in the headers without allow_on_headers_stop_iteration (P1)")
		}
	}
	s.ended = true
	w := s.worker
	s.create()
	s.logging = true
	w.call(onLog, s.id)
	s.logging = false
	w.call(onDone, s.id)
	w.call(onDelete, s.id)

	w.mu.Lock()
	delete(w.streams, s.id)
	s.plugin.streams--
	last := s.plugin.draining && s.plugin.streams == 0
	w.mu.Unlock()
	if last {
		w.remove(s.plugin)
	}
}

func (s *Stream) create() {
	if !s.created {
		s.created = true
		s.worker.call(onContextCreate, s.id, s.plugin.id)
	}
}

func (s *Stream) headers(d *direction, h Headers, end bool) types.Action {
	if d.closed {
		return types.ActionPause
	}
	d.headers, d.headersReachable = h.lowered(), true
	action := s.step(d, d.onHeaders, end, uint32(len(h)), bit(end))
	if action == types.ActionPause && !d.closed {
		switch {
		case end:
			s.hang(d, "a pause in headers that end the stream (P3)")
		case !s.worker.envoy.options.HoldHeaders:
			d.stopped = true
		}
	}
	return action
}

func (s *Stream) body(d *direction, chunk []byte, end bool) types.Action {
	if d.closed {
		return types.ActionPause
	}
	if d.stopped {
		d.kept, d.keptEnd = append(d.kept, chunk...), end
		return types.ActionPause
	}
	d.body = append(d.body, chunk...)
	action := s.step(d, d.onBody, end, uint32(len(d.body)), bit(end))
	if action == types.ActionPause && !d.closed {
		switch {
		case len(d.body) > s.worker.envoy.options.BufferLimit:
			s.overflow(d)
		case end:
			s.hang(d, "a pause in the last piece of the body")
		}
	}
	return action
}

func (s *Stream) trailers(d *direction, h Headers) types.Action {
	if d.closed {
		return types.ActionPause
	}
	if d.stopped {
		s.hang(d, "trailers behind headers that the filter has stopped")
		return types.ActionPause
	}
	d.trailers, d.trailersReachable = h.lowered(), true
	action := s.step(d, d.onTrailer, true, uint32(len(h)))
	if action == types.ActionPause && !d.closed {
		s.hang(d, "a pause in the trailers")
	}
	return action
}

// restart goes on with a direction that the filter had stopped or held, if it
// continues or replies now.
func (s *Stream) restart(d *direction) {
	switch {
	case s.pending != nil:
		r := *s.pending
		s.pending = nil
		d.stopped = false
		s.answer(d, r)
	case d.resumed && d.stopped:
		d.stopped, d.resumed = false, false
		s.proceed(d, false)
		s.body(d, d.kept, d.keptEnd)
		d.kept = nil
	case d.resumed:
		d.resumed = false
		if !d.closed && d.headersReachable {
			s.proceed(d, false) // what is held of it so far
		}
	}
}

// step makes one callback of a direction and does what the filter asked for.
func (s *Stream) step(d *direction, callback string, end bool, arguments ...uint32) types.Action {
	s.create()
	d.resumed = false
	result, ok := s.worker.call(callback, append([]uint32{s.id}, arguments...)...)
	action := types.Action(result)
	switch {
	case !ok:
		// P42: the stream whose VM crashed ends with a 503 of Envoy.
		s.answer(d, reply{status: 503, details: "wasm_fail_stream", direct: true})
		return types.ActionPause
	case s.pending != nil:
		// P9: the reply is sent once the callback has returned, whatever it returns.
		r := *s.pending
		s.pending = nil
		s.answer(d, r)
		return types.ActionPause
	case action > types.ActionPause:
		s.hang(d, "the filter returned an action other than Continue and Pause (P8)")
		return types.ActionPause
	case action == types.ActionContinue || d.resumed:
		s.proceed(d, end)
		return types.ActionContinue
	}
	return types.ActionPause
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// continueStream lets a direction that the filter holds go on.
func (w *worker) continueStream(streamType uint32) status {
	s := w.stream()
	switch {
	case s == nil:
		return statusOK
	case streamType == streamRequest:
		s.request.resumed = true
	case streamType == streamResponse:
		s.response.resumed = true
	default:
		return statusBadArgument
	}
	return statusOK
}

// closeStream resets the stream.
func (w *worker) closeStream(streamType uint32) status {
	if s := w.stream(); s != nil && streamType <= streamResponse {
		s.reset, s.request.closed, s.response.closed = true, true, true
	}
	return statusOK
}
