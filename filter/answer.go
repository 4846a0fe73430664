package main

import (
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/tokens"
)

// maxAnswer bounds how much of an answer is kept until its end, where the usage
// is reported. Answers beyond that are embeddings.
const maxAnswer = 1 << 20

// answer reads the usage that an upstream reports.
type answer struct {
	wanted bool
	body   body
	ended  bool // all of it came
	// reason is why there is no usage to be read; "" if there may be one.
	reason string
}

func (a *answer) begin(status int, contentType, encoding string) {
	switch {
	case status < 200 || status > 299:
		a.reason = "error"
	case encoding != "" && encoding != "identity":
		a.reason = "encoding"
	case strings.HasPrefix(contentType, "text/event-stream"):
		a.reason = "stream"
	case !strings.Contains(contentType, "json"):
		a.reason = "content_type"
	default:
		a.wanted = true
	}
}

// read takes the piece that a body callback announces.
func (a *answer) read(size int) {
	if a.wanted {
		a.body.append(proxywasm.GetHttpResponseBody, size, maxAnswer)
	}
}

// usage is what was reported; if nothing was, reason says why.
func (a *answer) usage() (u tokens.Usage, reason string) {
	switch {
	case !a.wanted && a.reason == "":
		return u, "no_answer"
	case !a.wanted:
		return u, a.reason
	case !a.ended:
		return u, "incomplete" // what broke off may look like a smaller number
	case !a.body.complete():
		return u, "oversize"
	}
	u, ok := tokens.ReadUsage(a.body.bytes)
	if !ok {
		return u, "not_reported"
	}
	return u, ""
}
