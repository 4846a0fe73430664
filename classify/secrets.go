package classify

import (
	"bytes"
	"strings"
)

// A prefix is how the ids or keys of a provider begin.
type prefix struct {
	text string
	rest int // how many letters or digits must follow
}

// idPrefixes begin ids of accounts, and keys, wherever in a word.
var idPrefixes = []prefix{
	{"org-", 1}, {"org_", 1}, {"proj-", 1}, {"proj_", 1}, // OpenAI, Groq, Moonshot
	{"ak-", 1}, {"ak_", 1}, {"sk-", 1}, {"sk_", 1}, {"pk-", 1}, {"pk_", 1}, {"rk_", 1}, {"sess-", 1}, {"svcacct-", 1},
	{"wrkspc_", 1}, {"wrkspc-", 1}, {"acct_", 1}, {"acct-", 1}, {"cus_", 1}, // Anthropic, Stripe
	{"gsk_", 1}, {"xai-", 4}, {"csk-", 1}, {"fw_", 4}, {"tgp_", 1}, {"pplx-", 4}, {"hf_", 4}, {"nvapi-", 1}, {"r8_", 4}, {"ghp_", 4},
	{"AIza", 6}, {"ya29", 6}, {"AKIA", 6}, {"ASIA", 6}, {"AROA", 6}, {"AIDA", 6}, {"ABSK", 6}, {"LTAI", 6}, {"AQ.", 6}, {"eyJ", 6}, {"bedrock-api-key-", 1},
}

// wordPrefixes begin ids too, but also ordinary words, and count at the start
// only. Request ids are among them: they have a place of their own.
var wordPrefixes = []prefix{
	{"user-", 1}, {"user_", 1}, {"team-", 1}, {"team_", 1}, {"workspace-", 1}, {"workspace_", 1}, {"account-", 1}, {"account_", 1},
	{"key-", 1}, {"key_", 1}, {"tenant-", 1}, {"tenant_", 1}, {"member-", 1}, {"member_", 1}, {"req_", 1}, {"req-", 1},
}

// appendWord appends a word with what looks secret in it redacted.
func appendWord(out, w []byte) []byte {
	// A query can hold a key, and nobody misses it.
	if i := bytes.IndexByte(w, '?'); i >= 0 {
		w = w[:i]
	}
	if bytes.Contains(w, []byte("arn:")) || randomRun(w) {
		return append(out, redacted...)
	}
	if bytes.HasPrefix(w, []byte("ft:")) { // ft:gpt-4o:organization:suffix:id
		if i := bytes.IndexByte(w[3:], ':'); i >= 0 {
			return append(append(out, w[:3+i+1]...), redacted...)
		}
	}
	if i := bytes.Index(w, []byte("://")); i >= 0 {
		out = append(out, w[:i+3]...)
		w = w[i+3:]
	}
	owned := false // by the segment before, as in "projects/x"
	for more := true; more; {
		var segment []byte
		segment, w, more = bytes.Cut(w, []byte("/"))
		var whole bool
		switch {
		case owned && len(segment) > 0 && string(segment) != "fireworks": // whose models are "accounts/fireworks/models/m"
			out = append(out, redacted...)
		default:
			if out, whole = appendSegment(out, segment); !whole {
				return out // what follows may be the rest of a key
			}
		}
		owned = ownsNext(segment)
		if more {
			out = append(out, '/')
		}
	}
	return out
}

// appendSegment appends a part of a word between slashes, and reports whether
// all of it may be seen.
func appendSegment(out, s []byte) ([]byte, bool) {
	switch {
	case len(s) == 0:
		return out, true
	case address(s):
		return append(out, redacted...), false
	case azureHost(s):
		return append(append(out, redacted...), s[bytes.IndexByte(s, '.'):]...), true
	case masked(s), hasUUID(s):
		return append(out, redacted...), false
	}
	named := false
	for start, i := 0, 0; i <= len(s); i++ {
		if i < len(s) && strings.IndexByte(":=&#%~!$+", s[i]) < 0 {
			continue
		}
		part := s[start:i]
		switch {
		case named && len(part) > 0:
			out = append(out, redacted...)
		case looksSecret(part), hasWordPrefix(part):
			return append(out, redacted...), false
		default:
			out = append(out, part...)
		}
		if i < len(s) {
			out = append(out, s[i])
			named = (s[i] == ':' || s[i] == '=') && whatIsNamed(lower(part)) != 0
		}
		start = i + 1
	}
	return out, true
}

// ownsNext reports whether a segment of a path is followed by an owner's name.
func ownsNext(segment []byte) bool {
	switch lower(segment) {
	case "projects", "organizations", "orgs", "teams", "team", "accounts", "users", "subscriptions", "resourcegroups", "workspaces", "tenants", "folders":
		return true
	}
	return false
}

// masked reports whether a part of s is hidden already: what is left is of a
// key, as in sk-abc***xyz or sk-ab...yz.
func masked(s []byte) bool {
	for start, i := 0, 0; i <= len(s); i++ {
		if i < len(s) && s[i] != ':' && s[i] != '=' {
			continue
		}
		if part := s[start:i]; bytes.IndexByte(part, '*') >= 0 && string(part) != redacted && len(s) > 1 {
			return true
		}
		start = i + 1
	}
	return bytes.Contains(s, []byte(".."))
}

// address reports whether s is an e-mail address, or a user at a host, and not
// a model's version as in claude-x@20250101.
func address(s []byte) bool {
	before, after, _ := bytes.Cut(s, []byte("@"))
	if len(before) == 0 || len(before) == len(s) || string(after) == "default" || string(after) == "latest" {
		return false
	}
	for _, c := range after {
		if !digit(c) {
			return true
		}
	}
	return len(after) == 0
}

// azureHost reports whether a host's first label names a customer's resource.
func azureHost(host []byte) bool {
	name, _, _ := strings.Cut(strings.ToLower(string(host)), ":")
	return strings.HasSuffix(name, ".azure.com") || strings.HasSuffix(name, ".azure-api.net") || strings.HasSuffix(name, ".azurewebsites.net")
}

// hasUUID reports whether a UUID is in s.
func hasUUID(s []byte) bool {
	for i := 0; i+36 <= len(s); i++ {
		n := 0
		for n < 36 && (hexadecimal(s[i+n]) && !dashInUUID(n) || s[i+n] == '-' && dashInUUID(n)) {
			n++
		}
		if n == 36 {
			return true
		}
	}
	return false
}

func dashInUUID(i int) bool { return i == 8 || i == 13 || i == 18 || i == 23 }

// looksSecret reports whether a part of s begins like an id or a key of a
// provider, or is made like one.
func looksSecret(s []byte) bool {
	if hasIDPrefix(s) {
		return true
	}
	for i := 0; i < len(s); {
		run := shapeOf(s[i:])
		if run.random() {
			return true
		}
		i += max(1, run.length)
	}
	return false
}

// hasIDPrefix reports whether an id or a key begins anywhere in s, but in the
// middle of letters and digits.
func hasIDPrefix(s []byte) bool {
	for i := range s {
		if i > 0 && alphanumeric(s[i-1]) {
			continue
		}
		for _, p := range idPrefixes {
			if p.begins(s[i:]) {
				return true
			}
		}
	}
	return false
}

func hasWordPrefix(s []byte) bool {
	for _, p := range wordPrefixes {
		if p.begins(s) {
			return true
		}
	}
	return false
}

// begins reports whether s begins so, and goes on as no English word does.
func (p prefix) begins(s []byte) bool {
	if len(s) < len(p.text)+p.rest || s[0]|0x20 != p.text[0]|0x20 {
		return false
	}
	start, rest := string(s[:len(p.text)]), s[len(p.text):]
	last := p.text[len(p.text)-1]
	if start != p.text && (alphanumeric(last) || !strings.EqualFold(start, p.text)) {
		return false
	}
	for _, c := range rest[:p.rest] {
		if !alphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	switch lower(rest) {
	case "id", "ids", "level", "wide", "based", "name", "number", "count", "limit", "limits", "tier", "type", "agent", "input", "defined", "specific",
		"value", "values", "key", "keys", "role", "error", "message", "messages":
		return false
	}
	return true
}

// A shape is what a run of letters and digits is made of.
type shape struct {
	length, digits, letters int
	// flips counts how often a digit follows a letter or a letter a digit, humps
	// how often a capital follows a small letter.
	flips, humps int
}

func shapeOf(s []byte) shape {
	var r shape
	for r.length < len(s) && alphanumeric(s[r.length]) {
		c := s[r.length]
		if digit(c) {
			r.digits++
		} else {
			r.letters++
		}
		if r.length > 0 {
			before := s[r.length-1]
			if digit(before) != digit(c) {
				r.flips++
			} else if before >= 'a' && c >= 'A' && c <= 'Z' {
				r.humps++
			}
		}
		r.length++
	}
	return r
}

// random reports whether a run is no name of a model and no amount: a number of
// an AWS account or longer than a time, or letters and digits as by chance.
func (r shape) random() bool {
	if r.letters == 0 {
		return r.length == 12 || r.length >= 14
	}
	return r.digits > 0 && (r.length >= 24 || r.length >= 12 && (r.flips >= 4 || r.flips >= 2 && r.humps >= 2))
}

// randomRun reports whether w holds a long run of base64, in which dashes,
// slashes, and plusses can be anywhere. Names of models are as long, but their
// parts are short or regular.
func randomRun(w []byte) bool {
	if bytes.Contains(w, []byte("://")) {
		return false
	}
	length, odd := 0, false
	var upper, lower, digits bool
	for i := 0; i < len(w); {
		run := shapeOf(w[i:])
		if run.length == 0 && strings.IndexByte("+/=_-", w[i]) < 0 {
			length, odd, upper, lower, digits = 0, false, false, false, false
			i++
			continue
		}
		for _, c := range w[i : i+run.length] {
			upper, lower, digits = upper || c >= 'A' && c <= 'Z', lower || c >= 'a', digits || digit(c)
		}
		odd = odd || run.length >= 7 && run.flips+run.humps >= 3
		step := max(1, run.length)
		if length += step; length >= 24 && odd && upper && lower && digits {
			return true
		}
		i += step
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func alphanumeric(c byte) bool { return letter(c) || digit(c) }

func hexadecimal(c byte) bool { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// looksLikeID reports whether a word is a name and no amount or ordinary word:
// it has letters and other things, or many digits.
func looksLikeID(w []byte) bool {
	digits, letters, joints := 0, 0, 0
	for _, c := range w {
		switch {
		case digit(c):
			digits++
		case letter(c):
			letters++
		case c == '-' || c == '_' || c == '.':
			joints++
		}
	}
	return letters > 0 && digits+joints > 0 || digits >= 6
}
