package headers

import (
	"strings"
	"time"
)

const (
	// maxQuotas bounds what is kept of a response, maxOther how much of it is of
	// dimensions that the configuration does not have, or has names that the
	// upstream makes up.
	maxQuotas = 16
	maxOther  = 8
)

// bucket is a quota of which not all headers have been seen yet.
type bucket struct {
	Quota
	dialect dialect
	// policy is its name in the IETF fields, and unit what they say it counts.
	policy, unit string
	// period is the window that a header of its own tells.
	period time.Duration
	// vague: what remains is given, but as no number. Such a server does not
	// know the bucket, and its reset is that of none (Azure sends -1, -1, 0).
	vague  bool
	status status
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
			b.period = d
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

// complete adds what other headers say of the bucket, and what they do not have
// to say.
func (b *bucket) complete(provider string) {
	if b.dialect == ietf {
		b.Dimension, b.Window = b.counts()
	}
	if b.vague && !b.Remaining.Stated() {
		b.Reset = Unstated
	}
	if b.period > 0 {
		b.Window = b.period
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

func (b *bucket) saysAnything() bool {
	return b.Limit.Stated() || b.Remaining.Stated() || b.Reset != Unstated
}
