package classify

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// redacted stands in for what a client must not see. It looks like a masked
	// key, so that to redact twice changes nothing.
	redacted = "***"
	// longestText is the most bytes that Redact returns, and longestRead those
	// that it looks at.
	longestText = 512
	longestRead = 4 * longestText
	// longestID is the longest request id that is passed on.
	longestID = 128
)

// Redact returns an upstream's words without what names the account or the key
// behind the gateway: ids of organizations, projects, teams, and users, keys and
// fragments of them, account numbers, addresses. Names of models, numbers, and
// durations stay. The result is valid UTF-8 of at most 512 bytes, without control
// characters. Where it cannot tell, it redacts: that costs a reader something, a
// leak costs trust.
func Redact(s string) string {
	r := redactor{text: plain(s)}
	for r.next() {
	}
	return string(shorten(r.out, longestText))
}

// RequestID returns an upstream's request id, which its support asks for; "" if
// it is not one that can be passed on.
func RequestID(s string) string {
	if len(s) > longestID || hasIDPrefix([]byte(s)) {
		return ""
	}
	for i := range len(s) {
		if !alphanumeric(s[i]) && strings.IndexByte("-_.:", s[i]) < 0 {
			return ""
		}
	}
	return s
}

// plain is the beginning of a text: valid UTF-8, spaces for line ends, stars for
// what else hides a part of a key, and without what cannot be seen, which could
// stand in the middle of one.
func plain(s string) []byte {
	b := make([]byte, 0, min(len(s), longestRead)+utf8.UTFMax)
	for _, r := range s {
		if len(b) > longestRead {
			// The last word may be the first part of a key.
			for len(b) > 0 && wordByte(b[len(b)-1]) {
				b = b[:len(b)-1]
			}
			break
		}
		switch {
		case r == '…' || r == '•' || r == '●' || r == '＊':
			b = append(b, redacted...)
		case unicode.IsSpace(r):
			b = append(b, ' ')
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// shorten cuts a text between two characters, and shows that it did.
func shorten(b []byte, longest int) []byte {
	const more = "…"
	if len(b) <= longest {
		return b
	}
	end := longest - len(more)
	for end > 0 && !utf8.RuneStart(b[end]) {
		end--
	}
	return append(b[:end], more...)
}

// A redactor goes through a text word by word. What a word is may follow from
// the words before it, as in "organization 'x'".
type redactor struct {
	text []byte // what is left of it
	out  []byte
	said naming // what the words so far say of the next one
	prep bool   // the last words were as in "in your organization x"
	per  bool   // the last word was "per"
	each bool   // the last words were as in "per organization: 5"
}

// naming says how sure it is that the next word is a name of an account.
type naming uint8

const (
	names       naming = iota + 1 // if it is quoted, or looks like one
	namesQuoted                   // if it is quoted
	namesMostly                   // if it is no ordinary word
	namesOn                       // if it has a capital, as in "Example Corp"
	namesEnd                      // only after another word, as in "a key ending in x"
)

// next handles the text up to the end of the next word, and reports whether
// there may be more.
func (r *redactor) next() bool {
	gap := gapLen(r.text)
	word := wordLen(r.text[gap:])
	if word == 0 || len(r.out) > longestText {
		r.out = append(r.out, r.text[:gap]...)
		return false
	}
	r.out = append(r.out, r.text[:gap]...)
	between, w := r.text[:gap], r.text[gap:gap+word]
	english := lower(w)
	r.text = r.text[gap+word:]

	quoted := false
	for _, c := range between {
		switch c {
		case ',', ';', '.', '!', '?':
			r.said, r.prep, r.per, r.each = 0, false, false, false
		case ':', '=', '\'', '"', '`', '<', '(', '[', '{', '#':
			quoted = true
		}
	}
	if r.said == namesEnd && preposition(english) || r.said != 0 && r.said < namesOn && saysMore(english) {
		r.out = append(r.out, w...)
		r.said = namesMostly
		return true
	}
	isName := r.isName(between, w, quoted)
	if isName {
		r.out = append(r.out, redacted...)
		r.text = r.text[restQuoted(between, r.text):]
	} else {
		r.out = appendWord(r.out, w)
	}
	if r.said = whatIsNamed(english); r.said == 0 && isName {
		r.said = namesOn
	}
	if r.said == names && r.prep {
		r.said = namesMostly
	}
	r.prep, r.per, r.each = preposition(english) || r.prep && determiner(english), english == "per", r.per
	return true
}

// isName reports whether the words before a word make it a name.
func (r *redactor) isName(between, w []byte, quoted bool) bool {
	if bytes.HasSuffix(between, []byte("..")) { // the end of a key, as in ...x
		return true
	}
	if r.said == 0 || r.each && amount(w) || string(w) == redacted || strings.Contains(string(w), "://") {
		return false
	}
	switch {
	case r.said == namesOn:
		return !quoted && w[0] >= 'A' && w[0] <= 'Z'
	case quoted:
		return true
	case r.said == names:
		return looksLikeID(w)
	case r.said == namesMostly:
		return !ordinary(lower(w))
	}
	return false
}

// restQuoted is how long a name goes on after its first word, as in
// 'Example Corp', from the quote before it to the one at its end.
func restQuoted(before, after []byte) int {
	const longest = 64
	if len(before) == 0 {
		return 0
	}
	end := before[len(before)-1]
	switch end {
	case '<':
		end = '>'
	case '\'', '"', '`':
	default:
		return 0
	}
	return max(0, bytes.IndexByte(after[:min(len(after), longest)], end))
}

// gapLen is how many bytes stand before the next word.
func gapLen(b []byte) int {
	i := 0
	for i < len(b) && !wordByte(b[i]) || i < len(b) && trailing(b[i]) {
		i += escapeLen(b[i:])
	}
	return i
}

// escapeLen is the length of the byte at the start of b, or of JSON's escape
// there: messages hold JSON in JSON, where the n of \n is of no word.
func escapeLen(b []byte) int {
	if len(b) < 2 || b[0] != '\\' {
		return 1
	}
	switch b[1] {
	case 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		n := 2
		for n < min(len(b), 6) && hexadecimal(b[n]) {
			n++
		}
		return n
	}
	return 1
}

// wordLen is the length of the word at the start of b, without what ends a
// sentence.
func wordLen(b []byte) int {
	n := 0
	for n < len(b) && (wordByte(b[n]) || b[n] == '\'' && n > 0 && n+1 < len(b) && letter(b[n-1]) && letter(b[n+1])) {
		n++
	}
	for n > 0 && trailing(b[n-1]) {
		n--
	}
	return n
}

// wordByte reports whether c is of a word; what is not ASCII is not: names of
// accounts are, and stand without spaces in Chinese.
func wordByte(c byte) bool {
	return c > ' ' && c < 0x7f && strings.IndexByte("\"'`<>()[]{},;|\\", c) < 0
}

func trailing(c byte) bool { return strings.IndexByte(".:!?=&", c) >= 0 }

// saysMore reports whether a word belongs to the one before, as in
// "organization ID".
func saysMore(word string) bool {
	switch word {
	case "id", "ids", "name", "named", "called", "number", "no", "slug":
		return true
	}
	return false
}

// whatIsNamed says what a word means for the next one.
func whatIsNamed(word string) naming {
	if strings.ContainsAny(word, "-_") {
		word = strings.ReplaceAll(strings.ReplaceAll(word, "-", ""), "_", "")
	}
	surely := names
	for _, suffix := range []string{"id", "ids", "name", "number", "slug"} {
		if before, there := strings.CutSuffix(word, suffix); there {
			word, surely = before, namesMostly
		}
	}
	switch word {
	case "organization", "organisation", "org", "project", "proj", "team", "workspace", "tenant", "account", "subscription",
		"user", "customer", "consumer", "member", "owner", "email", "resource":
		return surely
	case "key", "apikey", "xapikey", "accesskey", "secret", "secretkey", "password", "credential", "credentials",
		"signature", "accesstoken", "sessiontoken":
		return surely
	case "provided", "authorization", "token":
		return namesQuoted
	case "bearer", "basic":
		return namesMostly
	case "ending", "ends", "starting", "starts", "beginning", "begins":
		return namesEnd
	}
	return 0
}

// amount reports whether w is a number, or several.
func amount(w []byte) bool { return !bytes.ContainsFunc(w, unicode.IsLetter) }

func preposition(word string) bool {
	switch word {
	case "in", "for", "by", "of", "from", "under", "to", "with":
		return true
	}
	return false
}

func determiner(word string) bool {
	switch word {
	case "the", "this", "your", "our", "an", "a":
		return true
	}
	return false
}

// ordinary are words that follow "in project" and the like without being its
// name.
func ordinary(word string) bool {
	switch word {
	case "and", "or", "has", "have", "is", "was", "are", "that", "which", "with", "using", "to", "on", "in", "at", "of", "the", "per", "from", "for", "by", "as",
		"this", "your", "will", "can", "does", "not", "until", "before", "after", "because", "if", "since", "dashboard", "page", "balance",
		"level", "settings", "setting", "plan", "usage", "rate", "limit", "limits", "tier", "type", "access", "data", "content", "input",
		"requests", "request", "messages", "prompts", "verification", "exceeded", "reached", "max", "auth", "authentication", "token", "tokens", "scheme":
		return true
	}
	return false
}

// lower is a word in small letters; "" if it is longer than all that are looked
// for.
func lower(w []byte) string {
	const longest = 24
	if len(w) > longest {
		return ""
	}
	return strings.ToLower(string(w))
}
