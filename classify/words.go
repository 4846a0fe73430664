package classify

import "strings"

// unsaid are the words that the body of an error must not say, in small letters
// and without what stands between them, because clients match on them:
//   - litellm takes any error that says "rate limit", "service tier capacity
//     exceeded", or "Request too large" for a rate limit, whatever its status
//     (litellm_core_utils/exception_mapping_utils.py);
//   - LangChain gives up for good where it reads of billing, quota, or credit
//     (@langchain/core/dist/utils/async_caller.js).
var unsaid = [len(classes)][]string{
	Throttle:     {"billing", "quota", "credit"},
	Acceleration: {"billing", "quota", "credit"},
	Overload:     {"ratelimit", "servicetiercapacityexceeded"},
	TooLarge:     {"ratelimit", "requesttoolarge"},
}

// sayable returns s, or nothing if an error of the class must not say it.
func (c Class) sayable(s string) string {
	if len(unsaid[c]) == 0 || s == "" {
		return s
	}
	bare := make([]byte, 0, len(s))
	for i := range len(s) {
		if alphanumeric(s[i]) {
			bare = append(bare, s[i]|0x20) // digits have that bit
		}
	}
	for _, words := range unsaid[c] {
		if strings.Contains(string(bare), words) {
			return ""
		}
	}
	return s
}
