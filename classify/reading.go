package classify

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"sluice/headers"
)

// Bounds of what is read of a response, whoever wrote it: an error says what it
// is at its beginning.
const (
	maxBody    = 32 << 10 // bytes of a body
	maxText    = 4 << 10  // bytes of the texts in it
	maxWords   = 24       // codes, types, states, reasons
	maxWord    = 128      // bytes of one
	maxDepth   = 8        // objects and arrays in one another
	maxEntries = 16       // elements of an array
)

// A reading is what a response says, whatever its shape.
type reading struct {
	response *Response
	provider string
	// status is the HTTP status; where that is 200, the one that the body or
	// gRPC tells instead, if any. bodyStatus is the body's.
	status, bodyStatus int
	// failed says whether the response is an error at all; record, that it is
	// something kept, which may tell errors of its own.
	failed, record bool

	// words are its codes, types, states and reasons in lower case, said what is
	// written for people, and text the same in lower case.
	words []string
	said  strings.Builder
	text  string
	// code and message are the first of them, codeAtEnd the code in the message.
	code, message, requestID, codeAtEnd string
	codeIsKind                          bool // code is a type, for want of a code

	headers headers.Upstream // what the rate limit headers say
	hint    time.Duration    // a wait in the body's structure, where hinted
	hinted  bool
	wait    time.Duration // how long to wait, where stated
	stated  bool
	// byBucket: the wait is the reset of a bucket that is empty; emptied is the
	// dimension of one that is.
	byBucket bool
	emptied  string

	dimension string        // what was exceeded
	window    time.Duration // of the limit; 0: not said
	numbers   numbers
	quotas    []googleQuota

	shape bodyShape
	own   own // of a Sluice in between
	// nested is the error of another provider inside this one, nestedText what it
	// is read from, and nestedName the other's name.
	nested                 *reading
	nestedText, nestedName string
}

// read takes a response apart.
func read(r *Response, provider string) *reading {
	x := &reading{response: r, provider: provider, status: r.Status}
	if x.status == 0 {
		x.status = 200
	}
	x.readAWS(r)
	x.readGRPC(r)
	x.readBody(r.Body)
	x.failed = x.failed && !x.record || x.status >= 400
	if !x.failed {
		return x
	}
	x.resolveStatus()
	x.finish()
	x.nested = x.readNested()
	return x
}

// header is the value of a header, "" where it is not there.
func (r *Response) header(name string) string {
	for i := range r.Headers {
		if r.Headers[i][0] == name {
			return r.Headers[i][1]
		}
	}
	return ""
}

// resolveStatus settles which status counts: in a stream the body's own, and
// where a proxy answers 400, 500 or 502 for what it was told as 402, 429 or 529.
func (x *reading) resolveStatus() {
	switch told := x.bodyStatus; {
	case told == 0:
	case x.status < 400:
		x.status = told
	case (told == 402 || told == 429 || told == 529) && (x.status == 400 || x.status == 500 || x.status == 502):
		x.status = told
	}
}

// finish reads what the texts say, once all of them are there.
func (x *reading) finish() {
	x.text = strings.ToLower(x.said.String())
	x.codeAtEnd = codeAtEnd(x.message)
	x.word(x.codeAtEnd)
	x.readLimit()
	x.readWait()
}

// readBody reads a body of any shape: JSON, of which a truncated one tells what
// it has, events of a stream, HTML, text.
func (x *reading) readBody(body []byte) {
	body = trim(body)
	if len(body) > maxBody {
		body = body[:maxBody]
	}
	if isEvents(body) {
		body = ErrorEvent(body)
	}
	if len(body) == 0 || x.status < 400 && !x.failed && !mayTellError(body) {
		return
	}
	switch body[0] {
	case '{', '[':
		// Neither Parse nor ForEach recurses, so that no depth overflows the stack.
		x.readValue(gjson.ParseBytes(body), 0, "")
	case '"':
		x.say(gjson.ParseBytes(body).String())
	case '<':
		x.say(title(string(body)))
	default:
		x.say(string(body))
	}
}

// mayTellError is false of a body in which no member is by which an error is
// told: most answers, and pieces of streams, are never taken apart.
func mayTellError(body []byte) bool {
	for _, sign := range []string{"error", `code"`} {
		if bytes.Contains(body, []byte(sign)) {
			return true
		}
	}
	return false
}

func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	return b
}

// title is what an HTML page is called: the rest is for the eye.
func title(page string) string {
	const open, end = "<title>", "</title>"
	lower := strings.ToLower(page)
	i := strings.Index(lower, open)
	if i < 0 {
		return ""
	}
	length := strings.Index(lower[i:], end)
	if length < 0 || i+length > len(page) {
		return ""
	}
	return strings.TrimSpace(page[i+len(open) : i+length])
}

// say takes a text for people.
func (x *reading) say(text string) {
	text = strings.TrimSpace(clip(text, maxText))
	if text == "" {
		return
	}
	if x.message == "" {
		x.message = text
	}
	if x.said.Len()+len(text) > maxText {
		return
	}
	x.said.WriteString(text)
	x.said.WriteByte('\n')
}

// word takes a code, type, state or reason.
func (x *reading) word(w string) {
	if w != "" && len(w) <= maxWord && len(x.words) < maxWords {
		x.words = append(x.words, strings.ToLower(w))
	}
}

// codeAtEnd is the code that a text ends with, as MiniMax writes it in
// "insufficient balance (1008)"; "" where there is none.
func codeAtEnd(text string) string {
	const form = "(1008)"
	i := len(text) - len(form)
	if i < 0 || text[i] != '(' || text[len(text)-1] != ')' {
		return ""
	}
	code := text[i+1 : len(text)-1]
	for i := range len(code) {
		if !digit(code[i]) {
			return ""
		}
	}
	return code
}

// clip cuts s to at most n bytes of valid UTF-8.
func clip(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "�")
}
