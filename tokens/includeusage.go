package tokens

import "bytes"

// IncludeUsage returns a request body in which stream_options.include_usage is
// true, so that the last event of the stream reports the usage. All else stands
// as it stood: nothing is written anew.
// https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options
//
// It returns the body itself and false where there is nothing to do or no way to
// do it: the body is no JSON object, "stream" is not true, include_usage is true
// already or no boolean, stream_options is no object. Of a name that comes twice
// parsers take the one or the other: where "stream" is not true everywhere
// nothing is done, and of several stream_options each is edited.
func IncludeUsage(body []byte) ([]byte, bool) {
	e := edit{body: body}
	streams, there := false, false
	m := membersOf(body)
	object := m.close == '}'
	for m.next() {
		switch {
		case isNamed(m.key, "stream"):
			if string(m.value) != "true" {
				return body, false
			}
			streams = true
		case isNamed(m.key, "stream_options"):
			if there = true; !e.options(m.value, m.at) {
				return body, false
			}
		}
	}
	if !object || !m.whole || !streams {
		return body, false
	}
	if !there {
		e.replace(skipSpace(body, 0)+1, 0, `"stream_options":{"include_usage":true},`)
	}
	if e.out == nil {
		return body, false
	}
	return append(e.out, body[e.done:]...), true
}

// edit copies a body with changes.
type edit struct {
	body []byte
	out  []byte // nil: nothing has been changed
	done int    // how much of body is in out
}

// replace puts text in the place of n bytes. Edits come in order.
func (e *edit) replace(at, n int, text string) {
	if e.out == nil {
		e.out = make([]byte, 0, len(e.body)+64)
	}
	e.out = append(append(e.out, e.body[e.done:at]...), text...)
	e.done = at + n
}

// options edits the value of stream_options, which begins at the given place;
// false: it cannot be.
func (e *edit) options(value []byte, at int) bool {
	const member = `"include_usage":true`
	if string(value) == "null" {
		e.replace(at, len(value), "{"+member+"}")
		return true
	}
	if value[0] != '{' {
		return false
	}
	there, empty := false, true
	m := membersOf(value)
	for m.next() {
		empty = false
		if !isNamed(m.key, "include_usage") {
			continue
		}
		there = true
		switch string(m.value) {
		case "true":
		case "false", "null": // both mean that the client does not ask
			e.replace(at+m.at, len(m.value), "true")
		default:
			return false
		}
	}
	switch {
	case !m.whole:
		return false
	case there:
	case empty:
		e.replace(at+1, 0, member)
	default:
		e.replace(at+1, 0, member+",")
	}
	return true
}

// isNamed says whether a key means a name, whatever its escapes.
func isNamed(key []byte, name string) bool {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key) == name
	}
	var room [64]byte
	return string(unescape(room[:0], key)) == name
}
