package tokens

// sniff tells what a body is by its first bytes: Readable where it may be JSON.
func sniff(s []byte) Status {
	i := skipSpace(s, 0)
	switch {
	case i == len(s):
		return Empty
	case isUTF16(s), isCompressed(s):
		return Encoded
	case startsWith(s, i, "--"):
		return Multipart
	}
	return Readable
}

// isCompressed knows gzip and zstd; deflate and brotli have no signature, and
// are no JSON either.
func isCompressed(s []byte) bool {
	return startsWith(s, 0, "\x1F\x8B") || startsWith(s, 0, "\x28\xB5\x2F\xFD")
}

// isUTF16 knows UTF-16 and UTF-32 by a byte order mark, or by the zeros that
// every JSON text has in them.
func isUTF16(s []byte) bool {
	if startsWith(s, 0, "\xFE\xFF") || startsWith(s, 0, "\xFF\xFE") {
		return true
	}
	for _, b := range s[:min(len(s), 4)] {
		if b == 0 {
			return true
		}
	}
	return false
}

// unread adds the estimate for a body that is not even looked into.
func (f *Features) unread(s []byte, status Status) {
	switch {
	case status == Multipart:
		f.exact += AudioTokens
	case status == Encoded && isCompressed(s):
		f.exact += int64(len(s))
	case status == Encoded:
		f.exact += int64(len(s)+3) / 4
	}
}
