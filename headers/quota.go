// Package headers knows the rate limit headers: it reads those of every
// provider, chooses which limit to show of several, and writes them in one form.
package headers

import (
	"math"
	"time"
)

// A Quota is what is told of one limit. Of an upstream's any part can be
// missing.
type Quota struct {
	// Dimension is that of the configuration, as in "input_tokens". An
	// upstream's that has no such dimension has the provider's own name for it,
	// as in "input-images", and is never shown.
	Dimension string
	// Limit is in the dimension's unit, and Remaining what is left.
	Limit, Remaining Amount
	// Reset is how long until all of it is free again, at least 0; Never: it
	// never is; Unstated: nobody says.
	Reset time.Duration
	// Window is the time that Limit is for; 0: nobody says, or there is none.
	Window time.Duration
}

// An Amount is a number at least 0, and how it is written. Of US$ the number is
// in units of 1e-9, and it is written as a decimal. Without text it is unstated.
type Amount struct {
	Value int64
	Text  string
}

// Stated says whether anything is known of the amount.
func (a Amount) Stated() bool { return a.Text != "" }

const (
	// Never is the reset of what is never free again.
	Never = time.Duration(math.MaxInt64)
	// Unstated is the reset of which nothing is known.
	Unstated = time.Duration(-1)
)

// Binding says whether q tells the client more than other does: the one with
// less remaining binds first; of equals the one that takes longer.
func (q Quota) Binding(other Quota) bool {
	if q.Remaining.Value != other.Remaining.Value {
		return q.Remaining.Value < other.Remaining.Value
	}
	return q.Reset > other.Reset
}

// A Source says whose quotas are shown.
type Source uint8

const (
	// Merge shows the binding one of the gateway's own and the upstream's.
	Merge Source = iota
	// Hide shows the gateway's own, Only the upstream's.
	Hide
	Only
)

// Choose appends to dst the binding quota of each dimension of the
// configuration, in their order: the one with the least remaining. One that does
// not state what remains is no candidate. An upstream's is taken as it stands:
// what it lacks is not filled in from another.
func Choose(dst, own, upstream []Quota, source Source) []Quota {
	if source == Only {
		own = nil
	}
	if source == Hide {
		upstream = nil
	}
	for _, d := range dimensions {
		var best *Quota
		for _, quotas := range [...][]Quota{own, upstream} {
			for i := range quotas {
				q := &quotas[i]
				if q.Dimension == d && q.Remaining.Stated() && (best == nil || q.Binding(*best)) {
					best = q
				}
			}
		}
		if best != nil {
			dst = append(dst, *best)
		}
	}
	return dst
}

// The dimensions of the configuration, in the order of their headers.
const (
	requests     = "requests"
	tokens       = "tokens"
	inputTokens  = "input_tokens"
	outputTokens = "output_tokens"
	cost         = "cost_usd"
	concurrency  = "concurrency"
)

var dimensions = [...]string{requests, tokens, inputTokens, outputTokens, cost, concurrency}

// configured says whether a dimension is one of the configuration's.
func configured(dimension string) bool {
	switch dimension {
	case requests, tokens, inputTokens, outputTokens, cost, concurrency:
		return true
	}
	return false
}
