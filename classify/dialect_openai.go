package classify

// AppendJSON appends the error in OpenAI's shape.
func (e *Error) AppendJSON(b []byte) []byte {
	m := members{b: append(b, '{')}
	e.object(&m, e.ErrorType())
	m.close()
	return m.b
}

// object appends the member "error" of OpenAI's shape.
func (e *Error) object(m *members, kind string) {
	m.open("error")
	m.text("message", e.text())
	m.text("type", kind)
	m.name("param")
	m.b = append(m.b, "null"...)
	m.text("code", e.ErrorCode())
	e.facts(m)
	m.close()
}
