package tokens

// Inflate returns the content of a body that has a content encoding, up to bound
// bytes of it; of one that is broken off or wrong, what could be read. It is
// false where nothing can be.
func Inflate(body []byte, contentEncoding string, bound int) ([]byte, bool) {
	switch c := codingOf(contentEncoding); c {
	case identity:
		return body, true
	case otherCodings:
		return nil, false
	default:
		var plain []byte
		_, err := inflate(c, body, bound, func(piece []byte) { plain = append(plain, piece...) })
		return plain, err == nil || len(plain) > 0
	}
}
