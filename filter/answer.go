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
	form   answerForm
	body   body          // of whole
	events tokens.Events // of streamed
	ended  bool          // all of it came
	// reason is why there is no usage to be read; "" if there may be one.
	reason string
}

type answerForm uint8

const (
	unread   answerForm = iota
	whole               // a JSON value
	streamed            // server-sent events
)

func (a *answer) begin(status int, contentType, encoding string) {
	switch {
	case status < 200 || status > 299:
		a.reason = "error"
	case encoding != "" && encoding != "identity":
		a.reason = "encoding"
	case strings.HasPrefix(contentType, "text/event-stream"):
		a.form = streamed
	case !strings.Contains(contentType, "json"):
		a.reason = "content_type"
	default:
		a.form = whole
	}
}

// read takes the piece that a body callback announces.
func (a *answer) read(size int) {
	switch a.form {
	case whole:
		a.body.append(proxywasm.GetHttpResponseBody, size, maxAnswer)
	case streamed:
		if size > 0 {
			if piece, err := proxywasm.GetHttpResponseBody(0, size); err == nil {
				a.events.Write(piece)
			}
		}
	}
}

// usage is what was reported; if nothing was, reason says why.
func (a *answer) usage() (u tokens.Usage, reason string) {
	ok := false
	switch {
	case a.form == streamed:
		u, ok = a.events.Usage()
	case a.form == unread && a.reason == "":
		return u, "no_answer"
	case a.form == unread:
		return u, a.reason
	case !a.ended:
		return u, "incomplete" // what broke off may look like a smaller number
	case !a.body.complete():
		return u, "oversize"
	default:
		u, ok = tokens.ReadUsage(a.body.bytes)
	}
	if !ok {
		return u, "not_reported"
	}
	return u, ""
}
