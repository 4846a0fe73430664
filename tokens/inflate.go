package tokens

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"strings"
)

// coding is a content coding.
type coding uint8

const (
	identity coding = iota
	gzipped
	deflated     // zlib as RFC 9110 has it, or bare, as many send it
	otherCodings // which are not decoded
)

func codingOf(contentEncoding string) coding {
	coded := identity
	if contentEncoding == "" {
		return coded // as it nearly always is
	}
	for name := range strings.SplitSeq(contentEncoding, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "", strings.EqualFold(name, "identity"):
		case coded != identity:
			return otherCodings // one on top of another
		case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
			coded = gzipped
		case strings.EqualFold(name, "deflate"):
			coded = deflated
		default:
			return otherCodings
		}
	}
	return coded
}

// maxInflated bounds how much of a compressed answer is read: a small one can
// hold a thousand times its size.
const maxInflated = 32 << 20

// inflate hands the content of a compressed text to write, in pieces. The error
// is io.ErrUnexpectedEOF where the text is broken off, after all that could be
// read of it; another where it is wrong. more is true where there is more than
// bound bytes.
func inflate(c coding, packed []byte, bound int, write func([]byte)) (more bool, err error) {
	in := bytes.NewReader(packed)
	var out io.Reader
	switch {
	case c == gzipped:
		if out, err = gzip.NewReader(in); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return false, err
		}
	case len(packed) < 2:
		return false, io.ErrUnexpectedEOF
	case packed[0]&0x0F == 8 && (int(packed[0])<<8|int(packed[1]))%31 == 0 && packed[1]&0x20 == 0:
		_, _ = in.Seek(2, io.SeekStart) // the header of zlib; its checksum at the end stays unread
		fallthrough
	default:
		out = flate.NewReader(in)
	}
	piece := make([]byte, 16<<10)
	for {
		n, err := out.Read(piece[:min(len(piece), bound)])
		write(piece[:n])
		bound -= n
		switch {
		case err == io.EOF:
			return false, nil
		case err != nil:
			return false, err
		case bound == 0:
			return true, nil
		}
	}
}
