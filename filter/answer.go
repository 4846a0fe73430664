package main

import (
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/tokens"
)

// answer reads what a model answers: its usage, and whether it fails in what
// seemed to be a success.
type answer struct {
	body  tokens.Answer
	reads bool // there is a body to be read
	fed   int  // of what Envoy holds, bytes that were read
	// reason is why there is no usage to be read; "" if there may be one.
	reason string
}

// begin begins to read the answer to a request that may ask for a stream. Of a
// stream the output is counted as it is shown, for it may break off before its
// usage is reported.
func (a *answer) begin(r *reply, provider string, stream bool) {
	if r.status < 200 || r.status > 299 {
		a.reason = "error"
		return
	}
	contentType := r.header("content-type")
	a.body = tokens.NewAnswer(provider, contentType, r.encoding)
	if stream || !strings.HasPrefix(contentType, "application/json") {
		a.body.CountOutput()
	}
	if provider == "bedrock" {
		for i := range r.headers {
			a.body.Header(r.headers[i][0], r.headers[i][1])
		}
	}
	a.reads = true
}

// read takes the piece that a body callback announces, and returns it.
func (a *answer) read(size int, end bool) []byte {
	piece := responseBody(size)
	if a.reads {
		a.body.Write(piece)
		if end {
			a.body.End()
		}
	}
	return piece
}

// readHeld takes what is new of the body that Envoy holds, and returns all of it.
func (a *answer) readHeld(size int, end bool) []byte {
	held := responseBody(size)
	if a.reads {
		if len(held) > a.fed {
			a.body.Write(held[a.fed:])
			a.fed = len(held)
		}
		if end {
			a.body.End()
		}
	}
	return held
}

// responseBody is what a body callback announces. A callback without new bytes
// has none to read (P5).
func responseBody(size int) []byte {
	if size <= 0 {
		return nil
	}
	piece, err := proxywasm.GetHttpResponseBody(0, size)
	if err != nil {
		return nil
	}
	return piece
}

// kept is how many bytes are kept.
func (a *answer) kept() int {
	if !a.reads {
		return 0
	}
	return a.body.Kept()
}

// end says that all of the body has come.
func (a *answer) end() { a.body.End() }

// started says that headers need not wait for the body any longer.
func (a *answer) started() bool { return !a.reads || a.body.Started() }

// failure is the first failure in the body, or nil.
func (a *answer) failure() *tokens.Failure {
	if !a.reads {
		return nil
	}
	return a.body.Failure()
}

// seen is an estimate of the output that was shown.
func (a *answer) seen(w tokens.Weights) int64 {
	if !a.reads {
		return 0
	}
	return a.body.Seen(w)
}

// model is the one that answered; "": it does not say.
func (a *answer) model() string {
	if !a.reads {
		return ""
	}
	return a.body.Model()
}

// usage is what was reported; if nothing was, reason says why.
func (a *answer) usage() (u tokens.Usage, reason string) {
	switch {
	case a.reads:
		u, why := a.body.Usage()
		return u, string(why)
	case a.reason == "":
		return u, "no_answer"
	}
	return u, a.reason
}
