package classify

// Codes of gRPC: https://grpc.io/docs/guides/status-codes/.
const (
	invalidArgument   = 3
	resourceExhausted = 8
	internal          = 13
	unavailable       = 14
)

// grpcStatus is the error's code among gRPC's. Clients retry by themselves only
// what is unavailable.
func (e *Error) grpcStatus(status int) int {
	switch {
	case e.Class == Throttle || e.Class == Acceleration || e.Class == Quota:
		return resourceExhausted
	case e.Class == Overload:
		return unavailable
	case status >= 500:
		return internal
	}
	return invalidArgument
}

// percentEncode writes a message as the header grpc-message holds it: all but
// printable ASCII without the percent sign as %XX.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses
func percentEncode(s string) string {
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+16)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}
