package classify

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// isEvents says whether a body is that of an event stream.
func isEvents(body []byte) bool {
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(body, []byte(field)) {
			return true
		}
	}
	return false
}

// ErrorEvent returns the data of the first event of an event stream, as
// text/event-stream has them, that tells an error; nil where none does. A stream
// that only consists of data without a word of an error is read to its end.
func ErrorEvent(stream []byte) []byte {
	var event, data []byte
	joined := false
	found := func() bool {
		return len(data) > 0 && (string(event) == "error" || tellsError(data))
	}
	for len(stream) > 0 {
		line := stream
		if i := bytes.IndexByte(stream, '\n'); i >= 0 {
			line, stream = stream[:i], stream[i+1:]
		} else {
			stream = nil
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			event = value
		case "data":
			switch {
			case data == nil:
				data = value
			case !joined: // out of the stream's own bytes
				data, joined = append(append(append([]byte(nil), data...), '\n'), value...), true
			case len(data) <= maxBody:
				data = append(append(data, '\n'), value...)
			}
		case "":
			if len(line) == 0 { // the end of the event
				if found() {
					return data
				}
				event, data, joined = nil, nil, false
			}
		}
	}
	if found() {
		return data
	}
	return nil
}

// tellsError says whether an event's data is an error, so far as its members at
// the top tell.
func tellsError(data []byte) bool {
	if data[0] != '{' || len(data) > maxBody {
		return false
	}
	x := &reading{response: &Response{}, status: 200}
	x.readValue(gjson.ParseBytes(data), 0, "")
	return x.failed
}
