package tokens

import "strings"

// Answer reads the body of a provider's response as it passes by, in any
// pieces, as it is on the wire: one JSON object, an array of them or lines;
// server-sent events; AWS's binary messages; each of them as it is, or
// compressed by gzip or deflate. It finds the usage that the provider reports,
// the model that answered, a refusal in a response that says 200, and how much
// output was shown.
//
// It keeps no more than a few MiB, whatever comes, and never the pieces that it
// is given. What it finds does not depend on how the body is cut.
type Answer struct {
	provider string
	form     form
	coding   coding
	reason   Reason

	packed  bounded // a compressed body
	whole   bounded // an object that may be all of the body
	values  values
	events  events
	aws     awsMessages
	decoded []byte // the model's own words in a message

	looks    int  // at what has come, whether it is complete
	single   bool // the body began as one JSON object
	ended    bool // all of the body has come
	finished bool
	started  bool
	seen     bool // an event or an object was there, beside pings
	long     bool // one was too long to be kept, and its end did not help

	earlier report // that a later report completes
	begun   bool   // there is one
	usage   Usage
	found   bool
	partial bool  // the usage lacks the output
	metrics Usage // as counted by Bedrock itself
	counted bool
	header  report

	model   string
	failure *Failure
	visible *visible
}

// Reason says why there is no usage.
type Reason string

// The reasons.
const (
	NotReported Reason = "not_reported"
	Oversize    Reason = "oversize"     // the answer is too long to be kept
	Incomplete  Reason = "incomplete"   // it broke off before the usage
	Encoding    Reason = "encoding"     // it is compressed in a way that is not read
	ContentType Reason = "content_type" // it is no JSON, no events, no messages
	Broken      Reason = "broken"       // what came is not what it says it is
)

// maxLooks bounds how often a beginning is read before the body is complete: it
// could come byte by byte.
const maxLooks = 16

// maxModel bounds a model's name.
const maxModel = 128

// form is how a body is made up.
type form uint8

const (
	undecided  form = iota
	inObject        // one JSON object, as far as can be seen
	inObjects       // an array of them, or lines
	inEvents        // server-sent events
	inMessages      // AWS's
	unreadable
)

// NewAnswer returns an Answer at the beginning of a body. The provider is named
// as in the configuration, "" where it is not known; the other two are the
// response's headers of these names, "" where there are none.
func NewAnswer(provider, contentType, contentEncoding string) Answer {
	a := Answer{provider: provider, coding: codingOf(contentEncoding)}
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case a.coding == otherCodings:
		a.reason = Encoding
	case kind == "application/vnd.amazon.eventstream":
		a.form = inMessages
	case strings.Contains(kind, "ndjson"), strings.Contains(kind, "jsonl"), strings.Contains(kind, "json-seq"):
		a.form = inObjects
	case strings.Contains(kind, "json"), kind == "text/event-stream", kind == "text/plain", kind == "":
		// The first byte tells.
	default:
		a.reason = ContentType
	}
	if a.reason != "" {
		a.form = unreadable
	}
	return a
}

// CountOutput lets Seen have something to tell. It is called before the first
// Write, if at all.
func (a *Answer) CountOutput() { a.visible = new(visible) }

// Header reads a response header, its name in lower case. Those in which
// Bedrock counts tokens stand in for a body that has no usage.
func (a *Answer) Header(name, value string) {
	count, ok := strings.CutPrefix(name, "x-amzn-bedrock-")
	if !ok {
		return
	}
	switch count {
	case "input-token-count":
		a.header.take(input, []byte(value))
	case "output-token-count":
		a.header.take(output, []byte(value))
	case "cache-read-input-token-count":
		a.header.take(readBeside, []byte(value))
	case "cache-write-input-token-count":
		a.header.take(wroteBeside, []byte(value))
	}
}

// Write reads the next piece of the body.
func (a *Answer) Write(piece []byte) {
	if len(piece) == 0 || a.finished {
		return
	}
	if a.coding != identity && a.form != unreadable {
		a.packed.add(piece)
		if !a.started {
			a.peek()
		}
		return
	}
	a.read(piece)
	a.started = a.started || a.mayStart()
}

// Kept is how many bytes of the body are kept, because what they say is not
// known yet.
func (a *Answer) Kept() int {
	return len(a.packed.b) + len(a.whole.b) + len(a.values.object.b) + len(a.events.data.b) + len(a.aws.rest.b)
}

// Shed lets go of what is kept, but for its end, where the usage mostly stands.
// A compressed body cannot be read then.
func (a *Answer) Shed() {
	for _, b := range []*bounded{&a.packed, &a.whole, &a.values.object, &a.events.data, &a.aws.rest} {
		if len(b.b) > 2*tailBytes {
			b.shed()
		}
	}
}

// End says that the body is complete, and ends the reading.
func (a *Answer) End() {
	a.ended = true
	a.finish()
}

// Started says that a response whose headers wait for the first event need not
// wait longer: an event, or the beginning of one that is no failure, has come;
// or there is nothing to wait for.
func (a *Answer) Started() bool {
	return a.started || a.seen || a.failure != nil || a.ended || a.form == unreadable
}

// Usage returns what was reported; where nothing was, the reason says why, and
// is "" otherwise. It ends the reading, as of a body that was broken off.
func (a *Answer) Usage() (Usage, Reason) {
	a.finish()
	if a.found && !a.partial && a.reason != Broken {
		return a.usage, ""
	}
	if a.counted && a.reason != Broken {
		return a.metrics, ""
	}
	if u, ok := a.header.usage(a.provider); ok {
		return u, ""
	}
	switch {
	case a.reason != "":
		return Usage{}, a.reason
	case a.partial, !a.ended:
		return Usage{}, Incomplete
	case a.long:
		return Usage{}, Oversize
	}
	return Usage{}, NotReported
}

// Model returns the model that answered, of at most 128 bytes, or "".
func (a *Answer) Model() string { return a.model }

// Failure returns the first failure in the body, or nil.
func (a *Answer) Failure() *Failure { return a.failure }

// Seen returns the estimate of the output tokens that the answer has shown, by
// the weights of a family of tokenizers. It ends the reading as Usage does.
func (a *Answer) Seen(w Weights) int64 {
	a.finish()
	if a.visible == nil {
		return 0
	}
	return a.visible.tokens(w)
}
