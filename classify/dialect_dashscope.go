package classify

// appendDashScope appends the error in the flat shape of DashScope's native
// API: its SDK looks nowhere else. The codes are the gateway's: DashScope's own
// for a throttle says "Quota".
// https://www.alibabacloud.com/help/en/model-studio/error-code
func (e *Error) appendDashScope(b []byte) []byte {
	id := ""
	if e.Upstream != nil {
		id = e.Upstream.RequestID
	}
	m := members{b: append(b, '{')}
	m.text("code", e.ErrorCode())
	m.text("message", e.text())
	m.text("request_id", id)
	m.text("type", e.ErrorType())
	e.facts(&m)
	m.close()
	return m.b
}
