package headers

import (
	"strings"
	"time"
)

// structured reads RateLimit and RateLimit-Policy as the IETF draft has them,
// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10:
// lists of policies, what is said of one in two headers being joined by its name.
//
//	RateLimit: "api";r=999;t=295
//	RateLimit-Policy: "api";q=1000;w=300
//
// Two other forms are met: Hugging Face names a policy twice ("fixed
// window";"api";q=1000), of which RateLimit has the last, and the draft's seventh
// version has one dictionary (limit=100, remaining=50, reset=5).
func (r *reader) structured(value string) {
	for policies := 0; value != "" && policies < maxQuotas; policies++ {
		var item string
		item, value = cutUnquoted(value, ',')
		name := ""
		for item != "" {
			var part string
			part, item = cutUnquoted(item, ';')
			part = trim(part)
			if strings.HasPrefix(part, `"`) {
				name = strings.Trim(part, `"`)
			} else if key, v, ok := strings.Cut(part, "="); ok {
				r.parameter(name, key, v)
			} else {
				name = part
			}
		}
	}
}

func (r *reader) parameter(policy, key, value string) {
	f := noField
	switch key {
	case "q", "limit":
		f = limitField
	case "r", "remaining":
		f = remainingField
	case "t", "reset":
		f = resetField
	case "w":
		f = windowField
	case "qu":
	default:
		return
	}
	b := r.bucket(ietf, policy, "", 0)
	switch {
	case b == nil:
	case key == "qu":
		b.unit = strings.Trim(value, `"`)
	default:
		r.tell(b, f, value, time.Second)
	}
}

// counts is the dimension and window of an IETF policy. What it counts is said
// by its quota unit. The default, requests, is not believed of a policy that is
// named after another dimension.
func (b *bucket) counts() (dimension string, window time.Duration) {
	dimension, window = counted(b.policy)
	if b.unit != "" {
		dimension, _ = dimensionOf(b.unit)
	} else if !configured(dimension) {
		dimension = requests
	}
	return dimension, window
}

// cutUnquoted cuts s at the first separator that is in no quoted string.
func cutUnquoted(s string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case c == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
