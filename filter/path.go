package main

import "strings"

// normalizePath brings a path into the form in which it is compared: escapes
// decoded, slashes not doubled and none at the end, "." and ".." resolved, the
// parameters of segments (";jsessionid=1") taken off. Else `//v1/chat`,
// `/v1/%63hat`, `/v1/chat/` or `/v1/chat;a` would get past a limit on `/v1/chat`
// while the provider serves it as that. Parameters go first: to servers that
// know them, "..;" is "..".
func normalizePath(path string) string {
	if isNormal(path) {
		return path
	}
	segments := make([]string, 0, 16)
	for part := range strings.SplitSeq(unescapeAll(path), "/") {
		part, _, _ = strings.Cut(part, ";")
		switch part {
		case "", ".":
		case "..":
			if len(segments) > 0 {
				segments = segments[:len(segments)-1]
			}
		default:
			segments = append(segments, part)
		}
	}
	return "/" + strings.Join(segments, "/")
}

// isNormal says that there is nothing to do, which is nearly always so.
func isNormal(path string) bool {
	if path == "" || path[0] != '/' || len(path) > 1 && path[len(path)-1] == '/' {
		return false
	}
	for i := 0; i < len(path); i++ {
		if c := path[i]; c == '%' || c == ';' || c == '/' && i+1 < len(path) && (path[i+1] == '/' || path[i+1] == '.') {
			return false
		}
	}
	return true
}

// unescape decodes %XX; what is no escape stays.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high >= 0 && low >= 0 {
				b = append(b, byte(high<<4|low))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// unescapeAll decodes what is escaped several times, too: of the servers behind,
// one may decode what another has left.
func unescapeAll(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		b = append(b, s[i])
		for n := len(b); n >= 3 && b[n-3] == '%'; n = len(b) {
			high, low := unhex(b[n-2]), unhex(b[n-1])
			if high < 0 || low < 0 {
				break
			}
			b = append(b[:n-3], byte(high<<4|low))
		}
	}
	return string(b)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
