package classify

import "strings"

// readAWS reads how AWS names an error: in a header, and in a stream by the
// header of the exception's frame.
// https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
func (x *reading) readAWS(r *Response) {
	for _, name := range []string{"x-amzn-errortype", ":exception-type", ":error-code"} {
		if w := r.header(name); w != "" {
			x.failed = true
			x.word(exceptionName(w))
			x.code = clip(exceptionName(w), maxWord)
		}
	}
	if m := r.header(":error-message"); m != "" {
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
