package headers

import "strings"

// unified is the dimension of the allowance of an Anthropic subscription, and
// begins those of its windows that count some models only ("unified-7d_opus").
const unified = "unified"

// refuses says whether a limit of Anthropic's can refuse a request. When the
// capacity of the priority tier is used up, the ordinary one serves it
// (https://platform.claude.com/docs/en/api/service-tiers), and beside the
// windows of a subscription there is "unified-overage", which is "rejected" for
// everybody who does not pay for more. Fast mode does have limits of its own,
// which are the dimensions "fast-input-tokens" and "fast-output-tokens".
func refuses(dimension string) bool {
	if window, ok := strings.CutPrefix(dimension, unified+"-"); ok {
		return window != "" && digit(window[0])
	}
	return !strings.HasPrefix(dimension, "priority-")
}

// status is what Anthropic says of a subscription's allowance.
type status uint8

const (
	noStatus status = iota
	allowed
	rejected
)

func statusOf(value string) status {
	if value == "rejected" {
		return rejected
	}
	return allowed // as in "allowed_warning"
}

// subscription settles which of the allowances of a subscription are empty. The
// one without a window is the verdict over all; where it is that the request is
// served, a window that is rejected is paid for otherwise.
func (r *reader) subscription() {
	verdict := noStatus
	for i := range r.n {
		if b := &r.buckets[i]; b.status != noStatus && b.Dimension == unified && b.Window == 0 {
			verdict = b.status
		}
	}
	for i := range r.n {
		b := &r.buckets[i]
		if b.status != rejected || verdict == allowed {
			continue
		}
		r.upstream.Rejected = true
		b.Remaining = Amount{Text: "0"}
	}
}
