package classify

// appendBedrock appends the error in the shape of AWS's REST JSON protocol. Its
// SDKs read the name of the exception from a header:
// https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization.
func (e *Error) appendBedrock(b []byte) []byte {
	m := members{b: append(b, '{')}
	m.text("message", e.text())
	m.text("type", e.ErrorType())
	m.text("code", e.ErrorCode())
	e.facts(&m)
	m.close()
	return m.b
}

// exception is the name of the error among Bedrock's:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors.
func (e *Error) exception(status int) string {
	switch {
	case e.Class == Throttle || e.Class == Acceleration:
		return "ThrottlingException"
	case e.Class == Quota:
		return "ServiceQuotaExceededException"
	case e.Class == Overload:
		return "ServiceUnavailableException"
	case status >= 500:
		return "InternalServerException"
	}
	return "ValidationException"
}
