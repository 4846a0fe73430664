package tokens

import (
	"bytes"
	"encoding/base64"
	"io"
	"strconv"
)

// read reads a piece of a body that is not compressed.
func (a *Answer) read(piece []byte) {
	if a.form == undecided {
		// White space and the bytes of a byte order mark say nothing.
		i := 0
		for i < len(piece) && (piece[i] <= ' ' || piece[i] == 0xEF || piece[i] == 0xBB || piece[i] == 0xBF) {
			i++
		}
		if piece = piece[i:]; len(piece) == 0 {
			return
		}
		a.decide(piece[0])
	}
	switch a.form {
	case inObject:
		a.whole.add(piece)
		// A refusal comes in one piece, and is to be known at once.
		if a.complete() && a.document(a.whole.b, false, "") {
			a.whole.reset()
			a.form = inObjects // if there is more
		}
	case inObjects:
		a.values.write(piece, a.value)
	case inEvents:
		a.events.write(piece, a.event)
	case inMessages:
		a.aws.write(piece, a.message)
		if a.aws.broken {
			a.reason = Broken
		}
	}
}

// complete says whether the object that has come may be all of it.
func (a *Answer) complete() bool {
	b := a.whole.b
	if len(b) > maxFailure || a.looks == maxLooks {
		return false
	}
	i := len(b) - 1
	for b[i] <= ' ' { // it begins with a bracket
		i--
	}
	if b[i] != '}' {
		return false
	}
	a.looks++
	return true
}

// decide tells the form of a body from its first byte.
func (a *Answer) decide(first byte) {
	switch first {
	case '{':
		a.form, a.single = inObject, true
	case '[':
		a.form = inObjects
	case 'd', 'e', 'i', 'r', ':': // data, event, id, retry, a comment
		a.form = inEvents
	default:
		a.form, a.reason = unreadable, NotReported
	}
}

// finish reads what has waited for the end of the body.
func (a *Answer) finish() {
	if a.finished {
		return
	}
	a.finished = true
	if a.coding != identity && a.form != unreadable {
		a.unpack()
	}
	switch a.form {
	case inObject:
		switch {
		case a.whole.cut && !a.ended: // what broke off may look like an end
		case !a.document(a.whole.b, a.whole.cut, "") && !a.whole.cut:
			a.values.write(a.whole.b, a.value)
		}
	case inEvents:
		a.events.end(a.event)
	}
}

func (a *Answer) unpack() {
	if a.packed.cut {
		a.reason = Oversize
		return
	}
	more, err := inflate(a.coding, a.packed.b, maxInflated, a.read)
	switch {
	case err == io.ErrUnexpectedEOF:
		a.ended = false
	case err != nil:
		a.reason = Broken
	case more:
		a.ended, a.long = false, true
	}
}

// peek looks whether what has come of a compressed body tells of a failure.
func (a *Answer) peek() {
	if len(a.packed.b) > maxFailure || a.looks == maxLooks {
		a.started = true
		return
	}
	a.looks++
	first := Answer{provider: a.provider, form: a.form}
	_, err := inflate(a.coding, a.packed.b, 4*maxFailure, first.Write)
	a.failure = first.failure
	a.started = first.started || first.seen || err != nil && err != io.ErrUnexpectedEOF
}

func (a *Answer) value(b *bounded) { a.document(b.b, b.cut, "") }

func (a *Answer) event(e *events) {
	before := a.failure
	name := e.name[:e.named]
	data := bytes.TrimLeft(e.data.b, " \t\n")
	isObject := e.data.cut || len(data) > 0 && data[0] == '{'
	if !(isObject && a.document(data, e.data.cut, string(name))) && string(name) == "error" {
		a.fail("error", data)
	}
	if before == nil && a.failure != nil {
		a.failure.Status = e.status
	}
	if string(name) != "ping" {
		a.seen = true
	}
}

// message reads one of AWS's messages.
func (a *Answer) message(f awsMessage) {
	if kind := string(f.kind); kind == "exception" || kind == "error" {
		body := f.payload
		if len(body) == 0 {
			body = append(strconv.AppendQuote([]byte(`{"message":`), string(f.message)), '}')
		}
		a.fail(string(f.name), body)
	} else {
		a.document(a.unwrap(f.payload), false, "")
	}
	a.seen = true
}

// unwrap returns what the model says, which InvokeModelWithResponseStream has
// in base64: {"bytes": "..."}.
func (a *Answer) unwrap(payload []byte) []byte {
	for m := membersOf(payload); m.next(); {
		if string(m.key) != "bytes" {
			continue
		}
		text := textOf(m.value)
		if size := base64.StdEncoding.DecodedLen(len(text)); cap(a.decoded) < size {
			a.decoded = make([]byte, size)
		}
		n, err := base64.StdEncoding.Decode(a.decoded[:cap(a.decoded)], text)
		if err != nil {
			return nil
		}
		return a.decoded[:n]
	}
	return payload
}

// document reads a JSON object, of which cut may have left the end alone, that
// has come in an event of that name. It returns false where that is none, and
// takes nothing from it.
func (a *Answer) document(object []byte, cut bool, name string) bool {
	var d document
	switch {
	case cut:
		if d.tail(object); !d.whole {
			a.long = true
		}
	case !a.single || !d.quick(object):
		d.read(object)
	}
	if !d.whole {
		return false
	}
	a.report(&d)
	if a.model == "" && len(d.model) > 0 {
		a.model = string(d.model[:min(len(d.model), maxModel)])
	}
	switch {
	case d.failed || name == "error":
		a.failed(name, object, &d)
	case a.visible != nil && !cut && !(a.single && a.found):
		// Of a whole answer only if it does not tell how long it is.
		a.visible.document(&d, a.single)
	}
	if string(d.kind) != "ping" {
		a.seen = true
	}
	return true
}

// report takes what an object reports. A later report takes the place of an
// earlier one: those that come with every event are sums so far. But one that
// leaves out what an earlier one has told adds to it.
func (a *Answer) report(d *document) {
	if d.metrics.set != 0 {
		a.metrics, a.counted = d.metrics.usage(a.provider)
	}
	r := &d.report
	if r.set == 0 || r.absurd && !d.beginning || a.found && !a.partial && saidNothing(r) {
		return
	}
	if a.begun {
		if r.n[input]+r.n[readBeside]+r.n[wroteBeside] == 0 {
			// Some servers of this API write zeros at the end.
			r.set &^= 1<<input | 1<<readBeside | 1<<wroteBeside
		}
		r.inherit(&a.earlier)
	}
	if a.begun || d.beginning {
		a.earlier, a.begun = *r, true
	}
	if u, ok := r.usage(a.provider); ok {
		a.partial = d.started && (a.partial || !a.found)
		a.usage, a.found = u, true
	}
}
