package classify

import "strings"

// header returns the value of a header, "" where it is not there.
func header(pairs [][2]string, name string) string {
	for i := range pairs {
		if pairs[i][0] == name {
			return pairs[i][1]
		}
	}
	return ""
}

// readAWS reads how AWS names an error: in a header, and in a stream by the
// header of the exception's frame.
// https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
func (x *reading) readAWS(r *Response) {
	for _, name := range []string{"x-amzn-errortype", ":exception-type", ":error-code"} {
		if w := header(r.Headers, name); w != "" {
			x.failed = true
			x.word(exceptionName(w))
			x.code = clip(exceptionName(w), maxWord)
		}
	}
	if m := header(r.Headers, ":error-message"); m != "" {
		x.say(m)
	}
}

// exceptionName is an AWS name without the namespace before it and the address
// behind it, as in "com.amazon#ThrottlingException:http://…".
func exceptionName(s string) string {
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.Index(s, ":http"); i >= 0 {
		s = s[:i]
	}
	return s
}
