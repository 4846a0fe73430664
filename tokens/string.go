package tokens

import "unicode/utf8"

// skipSpace returns where s goes on behind the white space at i.
func skipSpace(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// skipString returns where the JSON string that begins at i has its closing
// quote, and whether there are escapes in it; or an error as text.read does.
func skipString(s []byte, i int) (end int, escaped bool) {
	for i < len(s) {
		switch byteCode[s[i]] {
		default:
			i++
		case codeQuote:
			return i, escaped
		case codeBackslash:
			escaped = true
			_, size := unescapeOne(s, i)
			if size <= 0 {
				return -1 - i + size, false
			}
			i += size
		case codeControl:
			return -1 - i, false
		}
	}
	return -1 - len(s), false
}

// unescape appends the characters of what stands between the quotes of a JSON
// string to dst, up to dst's capacity.
func unescape(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		size := 1
		r := rune(s[i])
		if r == '\\' {
			r, size = unescapeOne(s, i)
			if size <= 0 {
				break
			}
		} else if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s[i:])
		}
		if len(dst)+utf8.UTFMax > cap(dst) && len(dst)+utf8.RuneLen(r) > cap(dst) {
			break
		}
		dst = utf8.AppendRune(dst, r)
		i += size
	}
	return dst
}

// unescapeOne reads the JSON escape at s[i:], whose length it returns with the
// character: 0 if it is wrong, i - len(s) if it is cut off.
func unescapeOne(s []byte, i int) (rune, int) {
	if i+1 >= len(s) {
		return 0, i - len(s)
	}
	switch b := s[i+1]; b {
	case '"', '\\', '/':
		return rune(b), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		return unescapeHex(s, i)
	}
	return 0, 0
}

// unescapeHex reads the \u escape at s[i:], two of them where they are a
// surrogate pair.
func unescapeHex(s []byte, i int) (rune, int) {
	r, size := hex4(s, i)
	if size <= 0 || r&^0x7FF != 0xD800 {
		return r, size
	}
	if r < 0xDC00 && startsWith(s, i+6, `\u`) {
		low, size := hex4(s, i+6)
		if size > 0 && low&^0x3FF == 0xDC00 {
			return 0x10000 + (r-0xD800)<<10 + low - 0xDC00, 12
		}
	}
	return utf8.RuneError, size
}

// hex4 reads the four digits of the \u escape at s[i:].
func hex4(s []byte, i int) (rune, int) {
	var r rune
	for k := i + 2; k < i+6; k++ {
		if k >= len(s) {
			return 0, i - len(s)
		}
		b := s[k]
		switch {
		case b >= '0' && b <= '9':
			b -= '0'
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			b = b | 0x20 - 'a' + 10
		default:
			return 0, 0
		}
		r = r<<4 | rune(b)
	}
	return r, 6
}
