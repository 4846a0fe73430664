package tokens

import "bytes"

// document is what one JSON object of an answer says: the whole of it, or an
// event, an element, a line, a frame of a stream.
type document struct {
	report  report // the usage
	metrics report // what Bedrock counted, whatever the model says
	// beginning is true of a report that a later one completes: Anthropic's at
	// the start of a message, and those of models that count in every chunk but
	// name a number once.
	beginning bool
	// started is true of Anthropic's: its output is yet to come.
	started bool

	kind   []byte // "type", or what Cohere calls so
	model  []byte // the model that answered
	failed bool
	err    []byte // the value of "error", where the failure has one
	inner  bool   // that stands in another object
	whole  bool   // the object was complete
	shown  shown
}

// read reads an object.
func (d *document) read(object []byte) {
	var wrapped report // a usage that stands in another object
	m := membersOf(object)
	for m.next() {
		v := m.value
		switch string(m.key) {
		case "usage", "usageMetadata":
			d.report.read(v)
		case "type", "event_type":
			d.kind = textOf(v)
		case "model", "modelVersion":
			d.model = modelOf(v)
		case "error":
			if !saysNothing(v) {
				d.failed, d.err = true, v
			}
		case "choices":
			d.shown.choices = v
			// Kimi reports within a choice.
			if bytes.Contains(v, []byte(`"usage"`)) {
				for m := membersOf(v); m.next(); {
					wrapped.readMember(m.value, "usage")
				}
			}
		case "message":
			d.shown.part = v
			d.message(v)
		case "delta":
			d.shown.part = v
			// Cohere reports within the delta of its last event.
			if bytes.Contains(v, []byte(`"usage"`)) {
				wrapped.readMember(v, "usage")
			}
		case "content":
			d.shown.part = v
		case "candidates":
			d.shown.candidates = v
		case "text", "completion", "generation", "outputText":
			d.shown.text = v
		case "output":
			d.shown.output = v
		case "response", "interaction", "result":
			d.shown.text = v
			d.response(v, &wrapped)
		case "meta":
			wrapped.readUnits(v)
		case "x_groq":
			wrapped.readMember(v, "usage")
			for m := membersOf(v); m.next(); {
				if string(m.key) == "error" && !saysNothing(m.value) {
					d.failed, d.err, d.inner = true, m.value, true
				}
			}
		case "base_resp":
			for m := membersOf(v); m.next(); {
				if string(m.key) == "status_code" && !saysNothing(m.value) {
					d.failed = true
				}
			}
		case "amazon-bedrock-invocationMetrics":
			d.metrics.read(v)
		default:
			d.native(m.key, v)
		}
	}
	d.whole = m.whole
	if d.report.set == 0 {
		d.report = wrapped
	}
	switch string(d.kind) {
	case "error", "response.failed":
		d.failed = true
	}
}

// message reads the beginning of one of Anthropic's.
func (d *document) message(object []byte) {
	if len(object) == 0 || object[0] != '{' {
		return
	}
	for m := membersOf(object); m.next(); {
		switch string(m.key) {
		case "usage":
			d.report.read(m.value)
			d.beginning, d.started = true, true
		case "model":
			d.model = modelOf(m.value)
		}
	}
}

// response reads an answer that is wrapped into an event.
func (d *document) response(object []byte, wrapped *report) {
	if len(object) == 0 || object[0] != '{' {
		return
	}
	for m := membersOf(object); m.next(); {
		switch string(m.key) {
		case "usage", "usageMetadata":
			wrapped.read(m.value)
		case "meta":
			wrapped.readUnits(m.value)
		case "model", "modelVersion":
			d.model = modelOf(m.value)
		case "error":
			if !saysNothing(m.value) {
				d.failed, d.err, d.inner = true, m.value, true
			}
		}
	}
}

// native reads the counts that models of Bedrock, MiniMax, Vertex AI and Ollama
// put beside the answer itself.
func (d *document) native(key, value []byte) {
	before := d.report.set
	switch string(key) {
	case "prompt_token_count", "inputTextTokenCount", "prompt_eval_count": // Llama, Titan, Ollama
		d.report.take(prompt, value)
	case "generation_token_count", "totalOutputTextTokenCount", "eval_count":
		d.report.take(completion, value)
	case "results": // Titan
		d.shown.candidates = value
		for m := membersOf(value); m.next(); {
			for m := membersOf(m.value); m.next(); {
				if string(m.key) == "tokenCount" {
					d.report.add(completion, m.value)
				}
			}
		}
	case "predictions": // embeddings of Vertex AI
		for m := membersOf(value); m.next(); {
			d.statistics(m.value)
		}
	case "total_tokens": // of MiniMax's embeddings
		d.report.take(total, value)
	}
	if d.report.set != before {
		d.beginning = true
	}
}

// modelOf returns a model's name. Some servers escape the slash in it.
func modelOf(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') < 0 {
		return textOf(value)
	}
	return unescape(make([]byte, 0, maxModel), value[1:len(value)-1])
}

// statistics reads {"embeddings": {"statistics": {"token_count": n}}}.
func (d *document) statistics(prediction []byte) {
	for m := membersOf(prediction); m.next(); {
		if string(m.key) != "embeddings" {
			continue
		}
		for m := membersOf(m.value); m.next(); {
			if string(m.key) != "statistics" {
				continue
			}
			for m := membersOf(m.value); m.next(); {
				if string(m.key) == "token_count" {
					d.report.add(prompt, m.value)
				}
			}
		}
	}
}

// readMember reads the usage that is a member of an object.
func (r *report) readMember(object []byte, name string) {
	for m := membersOf(object); m.next(); {
		if string(m.key) == name && !saysNothing(m.value) {
			r.read(m.value)
		}
	}
}

// readUnits reads the usage in Cohere's "meta", which is another thing in other
// answers.
func (r *report) readUnits(object []byte) {
	if bytes.Contains(object, []byte(`"billed_units"`)) || bytes.Contains(object, []byte(`"tokens"`)) {
		r.read(object)
	}
}

// tail reads what it can of an object whose beginning is not there.
func (d *document) tail(end []byte) {
	usage := lastMember(end, `"usage"`)
	if usage == nil {
		usage = lastMember(end, `"usageMetadata"`)
	}
	d.report.read(usage)
	if d.model = modelOf(lastMember(end, `"model"`)); d.model == nil {
		d.model = modelOf(lastMember(end, `"modelVersion"`))
	}
	d.whole = d.report.set != 0
}

// quick reads an object from its end, which is where most have their usage. It
// returns false where that needs a look at all of it.
func (d *document) quick(object []byte) bool {
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	d.tail(object[max(0, len(object)-tailBytes):])
	if d.report.set == 0 || d.report.absurd || saidNothing(&d.report) {
		*d = document{}
		return false
	}
	if d.model == nil {
		for m := membersOf(object[:min(len(object), tailBytes)]); m.next() && d.model == nil; {
			if string(m.key) == "model" {
				d.model = modelOf(m.value)
			}
		}
	}
	return true
}

// saidNothing is true of a report of zeros: that of a refusal within an answer.
func saidNothing(r *report) bool { return r.n == [numFields]int64{} }

const (
	// tailBytes is how much of the end of a value is kept that is too long to be
	// kept: an answer's usage and what follows it.
	tailBytes = 8 << 10
)
