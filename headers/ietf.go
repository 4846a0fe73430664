package headers

import "strconv"

// renderIETF passes RateLimit and RateLimit-Policy of
// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10
// to set: lists of structured fields (RFC 9651), in which a policy has the name
// of its dimension. A quota without remaining is in none of them, one without a
// limit has no policy.
func renderIETF(quotas []Quota, set func(name, value string)) {
	limits, policies := make([]byte, 0, 160), make([]byte, 0, 240)
	for i := range quotas {
		q := &quotas[i]
		name, unit, scale := policy(q.Dimension)
		if name == "" || !q.Remaining.Stated() {
			continue
		}
		limits = parameter(item(limits, name), ";r=", q.Remaining.Value/scale)
		if q.hasReset() {
			limits = parameter(limits, ";t=", Seconds(q.Reset))
		}
		if !q.Limit.Stated() {
			continue
		}
		policies = parameter(item(policies, name), ";q=", q.Limit.Value/scale)
		if unit != "" {
			policies = append(append(append(policies, `;qu="`...), unit...), '"')
		}
		if q.Window > 0 && q.Window != Never {
			policies = parameter(policies, ";w=", Seconds(q.Window))
		}
	}
	if len(limits) > 0 {
		set("ratelimit", string(limits))
	}
	if len(policies) > 0 {
		set("ratelimit-policy", string(policies))
	}
}

// policy is the name of a dimension's policy, its quota unit, and how many of
// the dimension's unit make one of those. The draft registers no unit for tokens
// or money; without one, its default, requests, would be claimed. Money is given
// in whole millionths of a US$, since quotas are integers.
func policy(dimension string) (name, unit string, scale int64) {
	switch dimension {
	case requests:
		return "requests", "", 1
	case tokens:
		return "tokens", "tokens", 1
	case inputTokens:
		return "input-tokens", "tokens", 1
	case outputTokens:
		return "output-tokens", "tokens", 1
	case cost:
		return "cost", "microusd", 1000
	case concurrency:
		return "concurrency", "concurrent-requests", 1
	}
	return "", "", 1
}

// item begins the next item of a list with its name.
func item(b []byte, name string) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	return append(append(append(b, '"'), name...), '"')
}

// maxInteger is the largest integer of a structured field.
const maxInteger = 999_999_999_999_999

func parameter(b []byte, key string, value int64) []byte {
	return strconv.AppendInt(append(b, key...), min(value, maxInteger), 10)
}
