package tokens

import "bytes"

// visible counts the text that an answer shows: what the model wrote, the
// arguments of its tool calls, and what it lets be seen of its thoughts.
type visible struct {
	f    Features
	t    text
	some bool
}

// maxPart bounds how deep the parts of a message nest.
const maxPart = 8

// shown is where in an object of an answer its text stands.
type shown struct {
	choices    []byte // of OpenAI's APIs
	candidates []byte // of Gemini, and the results of Titan
	part       []byte // a message, what an event adds to one, or its content
	text       []byte
	output     []byte // of Responses, Converse, DashScope
}

// document counts the text in an object of an answer that is of the given kind.
// Of a whole answer that is all of it; in a stream, what an event adds: events
// that repeat what others have shown are left out, as is the output of
// DashScope's, each of which has the whole answer so far, and a usage.
func (o *visible) document(d *document, whole bool) {
	if !whole && repeats(d.kind) {
		return
	}
	o.t.f = &o.f
	for m := membersOf(d.shown.choices); m.next(); {
		o.choice(m.value)
	}
	for m := membersOf(d.shown.candidates); m.next(); {
		for m := membersOf(m.value); m.next(); {
			switch string(m.key) {
			case "content", "outputText":
				o.part(m.value, maxPart)
			}
		}
	}
	o.part(d.shown.part, maxPart)
	o.string(d.shown.text)
	if whole {
		o.part(d.shown.output, maxPart)
	}
}

// repeats says whether an event of that kind repeats the text of others. Those
// of Responses and of transcriptions are named thing.verb.
func repeats(kind []byte) bool {
	if bytes.IndexByte(kind, '.') < 0 {
		return string(kind) == "stream-end" // Cohere's
	}
	return !bytes.HasSuffix(kind, []byte(".delta")) || bytes.HasSuffix(kind, []byte("audio.delta"))
}

// choice counts what a choice adds; Perplexity has all of the message so far
// beside it.
func (o *visible) choice(object []byte) {
	var message []byte
	for m := membersOf(object); m.next(); {
		switch string(m.key) {
		case "text":
			o.string(m.value)
		case "delta":
			o.part(m.value, maxPart)
			return
		case "message":
			message = m.value
		}
	}
	o.part(message, maxPart)
}

// part counts a message or a part of one, in whatever shape.
func (o *visible) part(value []byte, depth int) {
	if len(value) == 0 || depth == 0 {
		return
	}
	switch value[0] {
	case '"':
		o.string(value)
	case '[':
		for m := membersOf(value); m.next(); {
			o.part(m.value, depth-1)
		}
	case '{':
		thought := false // told already: some name it twice
		for m := membersOf(value); m.next(); {
			switch string(m.key) {
			case "content", "text", "thinking", "partial_json", "arguments", "name", "refusal", "parts", "summary",
				"tool_calls", "function", "function_call", "functionCall", "toolUse", "reasoningContent", "reasoningText",
				"message", "choices", "tool_plan":
				o.part(m.value, depth-1)
			case "reasoning_content", "reasoning":
				if !thought && !saysNothing(m.value) {
					o.part(m.value, depth-1)
					thought = true
				}
			case "input", "args": // of a tool call; in a stream a part of its JSON
				if len(m.value) > 0 && m.value[0] == '{' {
					o.t.read(m.value, 0, plain)
					o.some = true
				} else {
					o.string(m.value)
				}
			}
		}
	}
}

func (o *visible) string(value []byte) {
	if len(value) > 2 && value[0] == '"' {
		o.t.read(value, 1, quoted)
		o.some = true
	}
}

// tokens returns the estimate by the weights of a family of tokenizers.
func (o *visible) tokens(w Weights) int64 {
	if o.t.open {
		o.t.end()
	}
	if !o.some {
		return 0
	}
	return o.f.Tokens(w)
}
