package classify

// AppendJSON appends the error in OpenAI's shape.
func (e *Error) AppendJSON(b []byte) []byte {
	m := members{b: append(b, '{')}
	e.openObject(&m, e.ErrorType())
	m.close()
	m.close()
	return m.b
}

// openObject appends the member "error" of OpenAI's shape, all but its end.
func (e *Error) openObject(m *members, kind string) {
	m.open("error")
	m.text("message", e.text())
	m.text("type", kind)
	m.name("param")
	m.b = append(m.b, "null"...)
	m.text("code", e.ErrorCode())
	e.facts(m)
}
