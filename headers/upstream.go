package headers

import (
	"strings"
	"time"
)

// Upstream is what the headers of a provider's response say of its limits.
type Upstream struct {
	// Quotas are its limits, one for each family of names, dimension and window,
	// in the order in which they are first named; 16 at most.
	Quotas []Quota
	// Wait is how long the client is told to wait, at most 366 days, where
	// HasWait. That it is told does not mean that it was refused: Anthropic does
	// so on success too.
	Wait    time.Duration
	HasWait bool
	// ShouldRetry is whether it is told to retry by itself, where HasShouldRetry.
	ShouldRetry, HasShouldRetry bool
	// Rejected says that the allowance of a subscription is used up, as
	// anthropic-ratelimit-unified-status has it.
	Rejected bool
}

// renewalPeriod begins the names of Azure's headers for a limit's window.
const renewalPeriod = "x-ratelimit-renewalperiod-"

// Read reads the headers of a provider's response, whose names are in lower
// case. All providers' forms are known, whoever sends them, for it is often a
// gateway that does; provider, one of classify.Providers, decides only what one
// name means with different ones. now stands in for a missing date header.
//
// What is negative, no number or absurd (more than 15 digits, a time more than a
// year away) is as if it were not there. Of a header that is repeated the least
// limit and remaining count, and the longest time.
func Read(pairs [][2]string, provider string, now time.Time) Upstream {
	r := reader{clock: clock{pairs: pairs, now: now}}
	// Azure's resets are milliseconds since it states the period beside them: 500
	// is what 1 of 120 requests a minute takes. Before that, and with everybody
	// else, they are seconds.
	for i := range pairs {
		if len(pairs[i][0]) > len(renewalPeriod) && strings.HasPrefix(strings.TrimPrefix(pairs[i][0], mirror), renewalPeriod) {
			r.milliseconds = true
		}
	}
	for i := range pairs {
		r.header(pairs[i][0], pairs[i][1])
	}
	return r.finish(provider)
}

// EmptyReset is the time until the empty bucket, the one with nothing remaining,
// is full again, and its dimension, which can be one that the configuration does
// not have. Of several it is the one that takes longest, for all of them have to
// let a request through. Where a response tells of one bucket only, and not what
// remains in it, that is the one that refused. ok is false if none is empty, or
// nothing says until when. It has a meaning for a refusal only.
func (u *Upstream) EmptyReset() (wait time.Duration, dimension string, ok bool) {
	for i := range u.Quotas {
		q := &u.Quotas[i]
		if q.Reset == Unstated || q.closed() {
			continue
		}
		empty := q.Remaining.Stated() && q.Remaining.Value == 0
		only := len(u.Quotas) == 1 && !q.Remaining.Stated() && q.Reset > 0 && configured(q.Dimension)
		if (empty || only) && (!ok || q.Reset > wait) {
			wait, dimension, ok = q.Reset, q.Dimension, true
		}
	}
	return wait, dimension, ok
}

// closed says that the limit is 0: to wait does not open what an account does
// not have, like Anthropic's fast mode.
func (q *Quota) closed() bool { return q.Limit.Stated() && q.Limit.Value == 0 }
