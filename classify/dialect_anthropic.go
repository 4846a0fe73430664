package classify

// anthropicOverloaded is the status of Anthropic's overloaded_error:
// https://docs.claude.com/en/api/errors.
const anthropicOverloaded = 529

// appendAnthropic appends the error in Anthropic's shape: OpenAI's, with the
// types that Anthropic's SDK knows.
func (e *Error) appendAnthropic(b []byte) []byte {
	kind := e.ErrorType()
	switch e.Class {
	case Throttle, Acceleration, Quota:
		kind = "rate_limit_error"
	case Overload:
		kind = "overloaded_error"
	}
	m := members{b: append(b, '{')}
	m.text("type", "error")
	e.object(&m, kind)
	m.close()
	return m.b
}
