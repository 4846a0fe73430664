package classify

// anthropicOverloaded is the status of Anthropic's overloaded_error:
// https://docs.claude.com/en/api/errors.
const anthropicOverloaded = 529

// appendAnthropic appends the error in Anthropic's shape: OpenAI's, with the
// types and the code of a cause that Anthropic's SDK knows.
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
	e.openObject(&m, kind)
	if cause := e.anthropicCause(); cause != "" {
		m.open("details")
		m.text("error_code", cause)
		m.close()
	}
	m.close()
	m.close()
	return m.b
}

// anthropicCause is the code by which Anthropic's SDK picks a subclass of
// RateLimitError; "": the class itself is right.
// https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/_error_classes.py
func (e *Error) anthropicCause() string {
	switch {
	case e.Class == Acceleration:
		return "ramp_limit_exceeded"
	case e.Class == Quota && e.Upstream != nil:
		switch code := e.Upstream.Code; code {
		case "enforced_spend_limit_reached", "contract_spend_limit_reached":
			return code
		}
	}
	return ""
}
