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
	time   time.Duration
	stated bool
}

// add takes note of one more wait, of which the longest counts.
func (w *waiting) add(d time.Duration, ok bool) {
	if ok {
		w.time, w.stated = max(w.time, d), true
	}
}

func (r *reader) header(name, value string) {
	if !tells(name) {
		return
	}
	switch name {
	case "retry-after":
		r.rounded.add(r.wait(value, time.Second))
	case "retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after":
		r.exact.add(r.wait(value, time.Millisecond))
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

// finish is what has been read, of what states anything.
func (r *reader) finish(provider string) Upstream {
	u := &r.upstream
	wait := r.exact
	if !wait.stated || wait.time == 0 && r.rounded.stated {
		wait = r.rounded
	}
	u.Wait, u.HasWait = wait.time, wait.stated
	r.subscription()
	n := 0
	for i := range r.n {
		b := &r.buckets[i]
		b.complete(provider)
		if b.saysAnything() {
			n++
		}
	}
	if n > 0 {
		u.Quotas = make([]Quota, 0, n)
	}
	for i := range r.n {
		if b := &r.buckets[i]; b.saysAnything() {
			u.Quotas = append(u.Quotas, b.Quota)
		}
	}
	return *u
}
