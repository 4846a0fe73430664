package tokens

import "bytes"

// Failure is a refusal or an error within a response whose status is 200.
type Failure struct {
	// Name is the exception type of a Bedrock message, the name of an event, or
	// "".
	Name string
	// Status is the HTTP status that the event states, or 0.
	Status int
	// Body is what tells of it: a JSON object as the body of an error has it,
	// where the provider sent JSON. It is cut where it is longer than 16 KiB.
	Body []byte
	// AfterContent is true where some of an answer came before.
	AfterContent bool
}

// maxFailure bounds the body of a failure, and how much of a first event is
// waited for.
const maxFailure = 16 << 10

// fail keeps the first failure.
func (a *Answer) fail(name string, body []byte) {
	if a.failure == nil {
		a.failure = &Failure{Name: name, Body: bytes.Clone(body[:min(len(body), maxFailure)]), AfterContent: a.seen}
	}
}

// failed keeps what an object says of a failure.
func (a *Answer) failed(name string, object []byte, d *document) {
	if name == "" {
		name = string(d.kind)
	}
	if d.err != nil && (d.inner || len(object) > maxFailure) {
		object = append(append([]byte(`{"error":`), d.err...), '}')
	}
	a.fail(name, object)
}

// mayStart says that what has come of the body is no beginning of a failure.
func (a *Answer) mayStart() bool {
	switch a.form {
	case undecided:
		return true // white space: the upstream keeps the connection alive
	case inObject:
		return len(a.whole.b) > maxFailure || harmless(a.whole.b)
	case inObjects:
		b := a.values.object.b
		return len(b) > maxFailure || a.values.depth > 0 && harmless(b)
	case inEvents:
		e := &a.events
		switch name := string(e.name[:e.named]); {
		case !e.pending(), e.field == otherField: // comments
			return true
		case len(e.data.b) > maxFailure:
			return true
		case name == "error", name == "response.failed":
			return false
		case e.lines > 0:
			return harmless(e.data.b)
		}
		return e.named > 0
	case inMessages:
		return a.aws.got > maxFailure || a.aws.broken
	}
	return true
}

// harmless says whether the beginning of a value shows that it is none that
// tells of a failure. Its first member is what providers put first.
func harmless(beginning []byte) bool {
	i := skipSpace(beginning, 0)
	if i == len(beginning) {
		return false
	}
	if beginning[i] != '{' {
		return true
	}
	i = skipSpace(beginning, i+1)
	end := stringEnd(beginning, i)
	if end < 0 {
		return false
	}
	switch string(beginning[i+1 : end-1]) {
	case "error", "code", "message", "request_id", "base_resp", "status", "detail":
		return false
	case "type":
		m := membersOf(beginning)
		if !m.next() {
			return false
		}
		kind := string(textOf(m.value))
		return kind != "error" && kind != "response.failed"
	}
	return true
}
