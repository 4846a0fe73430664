package headers

import (
	"strings"
	"time"
)

// dialect is a family of header names. What two of them tell of one dimension
// are two quotas.
type dialect uint8

const (
	plain     dialect = iota // x-ratelimit-limit-requests
	mirrored                 // llm_provider-x-ratelimit-limit-requests
	bySize                   // x-ratelimitbysize-limit-minute
	byToken                  // x-tokenlimit-limit
	trial                    // x-trial-endpoint-call-limit
	anthropic                // anthropic-ratelimit-requests-limit
	draft                    // ratelimit-limit, of earlier IETF drafts
	ietf                     // ratelimit, ratelimit-policy
)

// mirror begins the names under which LiteLLM passes on what its own upstream
// sent: https://docs.litellm.ai/docs/proxy/response_headers.
const mirror = "llm_provider-"

const (
	// maxQuotas bounds what is kept of a response, maxOther how much of it is of
	// dimensions that the configuration does not have, or has names that the
	// upstream makes up.
	maxQuotas = 16
	maxOther  = 8
)

// reader gathers what the headers say, one by one.
type reader struct {
	clock
	milliseconds bool
	buckets      [maxQuotas]bucket
	n, others    int
	exact        waiting // in a header of milliseconds
	rounded      waiting // in Retry-After itself
	upstream     Upstream
}

type waiting struct {
	time.Duration
	stated bool
}

func (w *waiting) longest(d time.Duration, ok bool) {
	if ok {
		w.Duration, w.stated = max(w.Duration, d), true
	}
}

// bucket is a quota of which not all headers have been seen yet.
type bucket struct {
	Quota
	dialect dialect
	// policy is its name in the IETF fields, and unit what they say it counts.
	policy, unit string
	// stated is the window that a header of its own tells.
	stated time.Duration
	// vague: what remains is given, but as no number. Such a server does not
	// know the bucket, and its reset is that of none (Azure sends -1, -1, 0).
	vague  bool
	status status
}

// status is what Anthropic says of a subscription's allowance.
type status uint8

const (
	noStatus status = iota
	allowed
	rejected
)

func (r *reader) header(name, value string) {
	if !tells(name) {
		return
	}
	switch name {
	case "retry-after":
		r.rounded.longest(r.wait(value, time.Second))
	case "retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after":
		r.exact.longest(r.wait(value, time.Millisecond))
	case "x-should-retry":
		r.shouldRetry(value)
	case "ratelimit", "ratelimit-policy":
		r.structured(value)
	default:
		r.limit(name, value)
	}
}

// tells says whether a header can be one that is read here, which most are not.
func tells(name string) bool {
	if len(name) < len("x-r") {
		return false
	}
	switch name[0] {
	case 'a':
		return name[1] == 'n'
	case 'l':
		return name[1] == 'l'
	case 'r':
		return name[1] == 'a' || name[1] == 'e'
	case 'x':
		switch name[2] {
		case 'a', 'e', 'm', 'r', 's', 't':
			return true
		}
	}
	return false
}

func (r *reader) shouldRetry(value string) {
	yes := strings.EqualFold(value, "true")
	if !yes && !strings.EqualFold(value, "false") {
		return
	}
	u := &r.upstream
	u.ShouldRetry = yes && (u.ShouldRetry || !u.HasShouldRetry)
	u.HasShouldRetry = true
}

// limit reads a header that tells one thing of a limit, if it is one.
func (r *reader) limit(name, value string) {
	d, rest, implied, window := cutPrefix(name)
	if rest == "" {
		return
	}
	f, subject := cutField(rest)
	if f == noField {
		return
	}
	dimension := implied
	if subject != "" {
		stated := time.Duration(0)
		if dimension, stated = counted(subject); dimension == "" {
			dimension = implied // it has a window only
		}
		if stated > 0 {
			window = stated
		}
	}
	if d == anthropic && !refuses(dimension) {
		return
	}
	unit := time.Second
	if r.milliseconds && (d == plain || d == mirrored) && !strings.HasPrefix(name, "x-rate-limit-") {
		unit = time.Millisecond
	}
	if b := r.bucket(d, "", dimension, window); b != nil {
		r.tell(b, f, value, unit)
	}
}

// cutPrefix finds the dialect of a name and what follows its prefix; empty: it is
// none. implied is the dimension where that names none, and window the one that
// the prefix states.
func cutPrefix(name string) (d dialect, rest, implied string, window time.Duration) {
	name, passedOn := strings.CutPrefix(name, mirror)
	for i := range prefixes {
		p := &prefixes[i]
		if rest, ok := strings.CutPrefix(name, p.prefix); ok {
			if d = p.dialect; d == plain && passedOn {
				d = mirrored
			}
			return d, rest, p.implied, p.window
		}
	}
	return plain, "", "", 0
}

// prefixes begin the names of headers that tell of limits.
var prefixes = [...]struct {
	prefix  string
	dialect dialect
	implied string
	window  time.Duration
}{
	{"x-ratelimit-", plain, requests, 0},
	{"x-rate-limit-", plain, requests, 0},
	{"anthropic-ratelimit-", anthropic, requests, 0},
	{"anthropic-", anthropic, requests, 0},
	{"x-ratelimitbysize-", bySize, tokens, 0},
	{"ratelimitbysize-", bySize, tokens, 0},
	{"x-tokenlimit-", byToken, tokens, 0},
	{"x-trial-endpoint-", trial, requests, time.Minute},
	{"x-endpoint-monthly-", trial, requests, 30 * 24 * time.Hour},
	{"ratelimit-", draft, requests, 0},
}

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

// bucket finds the bucket of a dialect that has the policy, dimension and window,
// or adds it; nil: there are too many.
func (r *reader) bucket(d dialect, policy, dimension string, window time.Duration) *bucket {
	for i := range r.n {
		if b := &r.buckets[i]; b.dialect == d && b.Window == window && b.Dimension == dimension && b.policy == policy {
			return b
		}
	}
	other := d == ietf || !configured(dimension)
	if r.n == maxQuotas || other && r.others == maxOther {
		return nil
	}
	if other {
		r.others++
	}
	b := &r.buckets[r.n]
	r.n++
	b.dialect, b.policy, b.Dimension, b.Window, b.Reset = d, policy, dimension, window, Unstated
	return b
}

// tell adds what a header says to a bucket.
func (r *reader) tell(b *bucket, f field, value string, unit time.Duration) {
	switch f {
	case limitField:
		if a, ok := amount(b.Dimension, value); ok {
			b.Limit = least(b.Limit, a)
		}
	case remainingField:
		if a, ok := amount(b.Dimension, value); ok {
			b.Remaining = least(b.Remaining, a)
		} else {
			b.vague = true
		}
	case resetField:
		if d, ok := r.wait(value, unit); ok {
			b.Reset = max(b.Reset, d)
		}
	case windowField:
		if d, ok := r.wait(value, time.Second); ok {
			b.stated = d
		}
	case statusField:
		b.status = max(b.status, statusOf(value))
	}
}

func least(a, b Amount) Amount {
	if a.Stated() && a.Value <= b.Value {
		return a
	}
	return b
}

func statusOf(value string) status {
	if value == "rejected" {
		return rejected
	}
	return allowed // as in "allowed_warning"
}

// amount reads a number of a dimension's unit. Of a list that a repeated header
// was joined to it is the least, and of what earlier IETF drafts have, as in
// "100, 100;w=60", the first, which the rest explains.
func amount(dimension, value string) (a Amount, ok bool) {
	read := count
	if dimension == cost {
		read = money
	}
	if a, ok = read(value); ok {
		return a, true
	}
	if i := strings.IndexByte(value, ';'); i >= 0 {
		value, _, _ = strings.Cut(value[:i], ",")
		return read(value)
	}
	for more := true; more; {
		var one string
		one, value, more = strings.Cut(value, ", ")
		next, ok := read(one)
		if !ok {
			return Amount{}, false
		}
		a = least(a, next)
	}
	return a, true
}

// finish is what has been read, of what states anything.
func (r *reader) finish(provider string) Upstream {
	u := &r.upstream
	u.Wait, u.HasWait = r.rounded.Duration, r.rounded.stated
	if r.exact.stated && (r.exact.Duration > 0 || !u.HasWait) {
		u.Wait, u.HasWait = r.exact.Duration, true
	}
	r.subscription()
	n := 0
	for i := range r.n {
		b := &r.buckets[i]
		b.complete(provider)
		if b.Limit.Stated() || b.Remaining.Stated() || b.Reset != Unstated {
			n++
		}
	}
	if n > 0 {
		u.Quotas = make([]Quota, 0, n)
	}
	for i := range r.n {
		b := &r.buckets[i]
		if b.Limit.Stated() || b.Remaining.Stated() || b.Reset != Unstated {
			u.Quotas = append(u.Quotas, b.Quota)
		}
	}
	return *u
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

// complete adds what other headers say of the bucket, and what they do not have
// to say.
func (b *bucket) complete(provider string) {
	if b.dialect == ietf {
		b.Dimension, b.Window = b.counts()
	}
	if b.vague && !b.Remaining.Stated() {
		b.Reset = Unstated
	}
	if b.Window == 0 {
		b.Window = b.stated
	}
	if b.Window == 0 && provider == "groq" && b.dialect == plain {
		// https://console.groq.com/docs/rate-limits
		switch b.Dimension {
		case requests:
			b.Window = 24 * time.Hour
		case tokens:
			b.Window = time.Minute
		}
	}
}
