package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/tokens"
)

// answer reads the usage that an upstream reports.
type answer struct {
	body  tokens.Answer
	reads bool // there is a body to be read
	ended bool // all of it came
	// reason is why there is no usage to be read; "" if there may be one.
	reason string
}

func (a *answer) begin(status int, provider, contentType, encoding string) {
	if status < 200 || status > 299 {
		a.reason = "error"
		return
	}
	a.body = tokens.NewAnswer(provider, contentType, encoding)
	a.reads = true
}

// read takes the piece that a body callback announces.
func (a *answer) read(size int) {
	if !a.reads || size <= 0 {
		return
	}
	if piece, err := proxywasm.GetHttpResponseBody(0, size); err == nil {
		a.body.Write(piece)
	}
}

// usage is what was reported; if nothing was, reason says why.
func (a *answer) usage() (u tokens.Usage, reason string) {
	switch {
	case a.reads:
		if a.ended {
			a.body.End()
		}
		u, why := a.body.Usage()
		return u, string(why)
	case a.reason == "":
		return u, "no_answer"
	}
	return u, a.reason
}
