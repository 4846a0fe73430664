package classify

import (
	"strconv"
	"strings"
	"time"

	"sluice/headers"
)

const googleRPC = "type.googleapis.com/google.rpc."

// appendGemini appends the error in the shape of Google's APIs. Its SDK takes
// the status from the body's code:
// https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto.
func (e *Error) appendGemini(b []byte, status int) []byte {
	m := members{b: append(b, '{')}
	m.open("error")
	m.integer("code", int64(status))
	m.text("status", e.canonical(status))
	m.text("message", e.text())
	m.name("details")
	m.b = append(m.b, '[', '{')
	m.text("@type", googleRPC+"ErrorInfo")
	m.text("reason", strings.ToUpper(e.ErrorCode()))
	m.text("domain", "sluice")
	m.open("metadata")
	m.strings = true
	m.text("type", e.ErrorType())
	m.text("code", e.ErrorCode())
	e.facts(&m)
	m.strings = false
	m.close()
	m.close()
	if e.Wait > 0 {
		m.b = append(m.b, ',', '{')
		m.text("@type", googleRPC+"RetryInfo")
		m.text("retryDelay", protobufDuration(e.Wait))
		m.close()
	}
	m.b = append(m.b, ']')
	m.close()
	m.close()
	return m.b
}

// canonical is the error's name among google.rpc.Code.
func (e *Error) canonical(status int) string {
	switch {
	case e.Class == Throttle || e.Class == Acceleration || e.Class == Quota:
		return "RESOURCE_EXHAUSTED"
	case e.Class == Overload:
		return "UNAVAILABLE"
	case status >= 500:
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}

// protobufDuration writes a wait as protobuf's JSON does, rounded up to
// milliseconds: with no digits after the point, or three.
func protobufDuration(d time.Duration) string {
	ms := headers.Milliseconds(d)
	text := strconv.FormatInt(ms/1000, 10)
	if rest := ms % 1000; rest > 0 {
		text += "." + strconv.FormatInt(1000+rest, 10)[1:]
	}
	return text + "s"
}
