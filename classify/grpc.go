package classify

import "strconv"

// grpcCodes are the names of gRPC's states, and the HTTP status that says the
// same: https://grpc.io/docs/guides/status-codes/.
var grpcCodes = [...]struct {
	name   string
	status int
}{
	1:  {"cancelled", 499},
	2:  {"unknown", 500},
	3:  {"invalid_argument", 400},
	4:  {"deadline_exceeded", 504},
	5:  {"not_found", 404},
	6:  {"already_exists", 409},
	7:  {"permission_denied", 403},
	8:  {"resource_exhausted", 429},
	9:  {"failed_precondition", 400},
	10: {"aborted", 409},
	11: {"out_of_range", 400},
	12: {"unimplemented", 501},
	13: {"internal", 500},
	14: {"unavailable", 503},
	15: {"data_loss", 500},
	16: {"unauthenticated", 401},
}

// readGRPC reads the state of a gRPC answer, whose HTTP status is always 200.
func (x *reading) readGRPC(r *Response) {
	n, err := strconv.Atoi(r.header("grpc-status"))
	if err != nil || n < 1 || n >= len(grpcCodes) {
		return
	}
	x.failed = true
	x.word(grpcCodes[n].name)
	x.code = grpcCodes[n].name
	if x.status < 400 {
		x.status = grpcCodes[n].status
	}
	x.say(percentDecoded(r.header("grpc-message")))
}

// percentDecoded takes away the escapes that gRPC sends a message with; what is
// no escape stays.
func percentDecoded(s string) string {
	b := make([]byte, 0, min(len(s), maxText))
	for i := 0; i < len(s) && len(b) < maxText; i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(n))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
