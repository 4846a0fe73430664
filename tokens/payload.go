package tokens

import "bytes"

// pixels is the size of an image, 0 where it is not known.
type pixels struct{ width, height int64 }

// payload is the base64 text of a medium. Only the few bytes that are asked for
// are decoded.
type payload []byte

// readPayload splits what stands in a JSON string into the kind of medium that a
// data URL names, if it is one, and the base64 text, if that is there. A web
// address has none.
func readPayload(s []byte) (mediumKind, payload) {
	if !startsWith(s, 0, "data:") {
		if startsWith(s, 0, "http:") || startsWith(s, 0, "https:") || startsWith(s, 0, "gs:") || startsWith(s, 0, "s3:") {
			return mediumNone, nil
		}
		return mediumNone, payload(s)
	}
	s = s[len("data:"):]
	head := s[:min(len(s), 128)]
	comma := bytes.IndexByte(head, ',')
	if comma < 0 {
		return mediumNone, nil
	}
	return kindOfType(head[:comma]), payload(s[comma+1:])
}

// kindOfType returns what medium a media type means.
func kindOfType(mime []byte) mediumKind {
	switch {
	case startsWith(mime, 0, "image"):
		return mediumImage
	case startsWith(mime, 0, "audio"):
		return mediumAudio
	case startsWith(mime, 0, "application"), startsWith(mime, 0, "text"), startsWith(mime, 0, "video"):
		return mediumFile
	}
	return mediumNone
}

// at returns the byte that is encoded at an index, or -1 if there is none.
func (p payload) at(i int64) int64 {
	first := i / 3 * 4
	if i < 0 || first+3 >= int64(len(p)) {
		return -1
	}
	var word int64
	for _, b := range p[first : first+4] {
		v := int64(0)
		switch {
		case b >= 'A' && b <= 'Z':
			v = int64(b - 'A')
		case b >= 'a' && b <= 'z':
			v = int64(b-'a') + 26
		case b >= '0' && b <= '9':
			v = int64(b-'0') + 52
		case b == '+' || b == '-':
			v = 62
		case b == '/' || b == '_':
			v = 63
		case b != '=':
			return -1
		}
		word = word<<6 | v
	}
	return word >> (16 - i%3*8) & 0xFF
}

// number returns n bytes at an index as a number, the most significant first or
// last, or -1 if they are not all there.
func (p payload) number(i int64, n int, bigEndian bool) int64 {
	var v int64
	for k := range int64(n) {
		at := i + k
		if !bigEndian {
			at = i + int64(n) - 1 - k
		}
		b := p.at(at)
		if b < 0 {
			return -1
		}
		v = v<<8 | b
	}
	return v
}

func (p payload) is(i int64, text string) bool {
	for k := range len(text) {
		if p.at(i+int64(k)) != int64(text[k]) {
			return false
		}
	}
	return true
}

// size returns the size of an image in PNG, JPEG, GIF or WebP.
func (p payload) size() pixels {
	var s pixels
	switch {
	case p.is(0, "\x89PNG"):
		s = pixels{p.number(16, 4, true), p.number(20, 4, true)}
	case p.is(0, "GIF8"):
		s = pixels{p.number(6, 2, false), p.number(8, 2, false)}
	case p.is(0, "\xFF\xD8"):
		s = p.jpegSize()
	case p.is(0, "RIFF") && p.is(8, "WEBPVP8"):
		switch p.at(15) {
		case 'X':
			s = pixels{p.number(24, 3, false) + 1, p.number(27, 3, false) + 1}
		case 'L':
			bits := p.number(21, 4, false)
			s = pixels{bits&0x3FFF + 1, bits>>14&0x3FFF + 1}
		case ' ':
			s = pixels{p.number(26, 2, false) & 0x3FFF, p.number(28, 2, false) & 0x3FFF}
		}
	}
	if s.width <= 0 || s.height <= 0 || s.width > maxSide || s.height > maxSide {
		return pixels{}
	}
	return s
}

// maxSide is the longest side of an image to be believed; vendors take no longer
// ones.
const maxSide = 1 << 16

// jpegSize goes from segment to segment, past metadata, to the one with the size.
func (p payload) jpegSize() pixels {
	i := int64(2)
	for range 64 {
		if p.at(i) != 0xFF {
			break
		}
		marker := p.at(i + 1)
		if marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC {
			return pixels{p.number(i+7, 2, true), p.number(i+5, 2, true)}
		}
		length := p.number(i+2, 2, true)
		if length < 2 {
			break
		}
		i += 2 + length
	}
	return pixels{}
}

// seconds returns how long a recording is, rounded up, if it is a WAV; else 0.
func (p payload) seconds() int64 {
	if !p.is(0, "RIFF") || !p.is(8, "WAVE") {
		return 0
	}
	rate := p.number(28, 4, false) // bytes a second
	if rate <= 0 || !p.is(12, "fmt ") {
		return 0
	}
	return divideUp(int64(len(p))/4*3, max(rate, minRate))
}

// minRate bounds what a header can claim: no speech fits in fewer bytes a second.
const minRate = 500
