// Package limits decides whether a request fits every limit that applies to it,
// and keeps the counters exact while many workers do so at once.
//
// A request is reserved for (Engine.Reserve) before it goes to the provider:
// all matching limits are charged or none. When its real use is known it is
// settled (Engine.Settle). The counters live in a Store, one value for each
// subject with all its limits, changed by compare-and-swap only.
//
// The package knows nothing of Envoy: the facts of a request, the clock and the
// store are given to it.
package limits

import (
	"strconv"
	"strings"
	"time"
)

// A Dimension is what a limit counts.
type Dimension uint8

const (
	Requests     Dimension = iota // requests admitted
	Tokens                        // input and output tokens together
	InputTokens                   // those of the prompt
	OutputTokens                  // those of the answer
	Cost                          // money, in billionths of a US$
	Concurrency                   // requests in flight
	dimensionEnd
)

// NumDimensions is the number of dimensions.
const NumDimensions = int(dimensionEnd)

var dimensionNames = [NumDimensions]string{
	"requests", "tokens", "input_tokens", "output_tokens", "cost_usd", "concurrency"}

// String is the dimension's name in configuration and errors.
func (d Dimension) String() string { return dimensionNames[d] }

// DimensionNames lists the names in the order of the constants.
func DimensionNames() []string { return dimensionNames[:] }

// NanoDollars is a US$ in the unit of Cost: five cheap tokens are not nothing.
const NanoDollars = 1_000_000_000

// countsModelCalls tells the dimensions that only a call of a model uses.
func (d Dimension) countsModelCalls() bool { return d != Requests && d != Concurrency }

// An Algorithm is how use is counted over time.
type Algorithm uint8

const (
	// FixedWindow counts in windows side by side: up to twice the ceiling can
	// pass within one window's length, around the end of one.
	FixedWindow Algorithm = iota
	// SlidingWindow never lets more than the ceiling pass in any interval of
	// one window's length. What was used stays counted up to 1/32 of the window
	// longer than that.
	SlidingWindow
	// TokenBucket refills continuously, by the ceiling in each window, up to
	// the burst: no interval t lets more pass than burst + ceiling·t/window.
	// A refund gives back what the bucket would hold without the charge.
	TokenBucket
)

// A Period is a window that the calendar sets, in UTC, weeks from Monday.
type Period uint8

const (
	NoPeriod Period = iota // the window starts at the first request
	Second
	Minute
	Hour
	Day
	Week
	Month
	Year
)

var periodNames = [...]string{"", "second", "minute", "hour", "day", "week", "month", "year"}

// String is the period's name; empty for NoPeriod.
func (p Period) String() string { return periodNames[p] }

// OnMissing says what happens where an attribute of a limit's scope is absent.
type OnMissing uint8

const (
	ShareMissing OnMissing = iota // all such requests share one subject
	SkipMissing                   // the limit does not apply
	DenyMissing                   // the request is refused
)

// A Limit is one configured ceiling.
type Limit struct {
	Name      string // unique
	Dimension Dimension
	// Max is the ceiling in the dimension's unit, above 0.
	Max int64

	Algorithm Algorithm
	// Window is the window's length in whole milliseconds, above 0; of
	// Concurrency the time after which a slot that was not renewed is free. Of
	// a window by Calendar, and one that is Never over, it says nothing.
	Window   time.Duration
	Calendar Period // for FixedWindow
	Never    bool   // for FixedWindow: what is used is never free again
	Burst    int64  // of a TokenBucket, in the dimension's unit; 0: Max

	// Scope names the attributes (by index) whose values together are the
	// limit's subject; empty: all traffic is one subject.
	Scope     []int
	OnMissing OnMissing
	// Match must hold wholly for the limit to apply.
	Match []Matcher
	// Overrides give other ceilings to some; the first that matches counts.
	Overrides []Override

	// Accounting says which tokens count; not for Requests and Concurrency.
	Accounting Accounting
	// FreeUnpriced lets a model that has no price pass a Cost limit at no cost,
	// instead of refusing it.
	FreeUnpriced bool

	// Shadow counts and reports, but never refuses.
	Shadow bool
}

// An Override is a ceiling for the requests that all its matchers match.
type Override struct {
	Match []Matcher
	Max   int64
}

// Forever is the wait for what is never free again.
const Forever = time.Duration(1<<63 - 1)

// Format writes an amount in the dimension's unit: a whole number, or of Cost
// US$ with as many decimals as there are.
func (d Dimension) Format(amount int64) string {
	if d != Cost {
		return strconv.FormatInt(amount, 10)
	}
	whole, fraction := strconv.FormatInt(amount/NanoDollars, 10), amount%NanoDollars
	if fraction == 0 {
		return whole
	}
	digits := strconv.FormatInt(NanoDollars+fraction, 10) // with a leading 1
	return whole + "." + strings.TrimRight(digits[1:], "0")
}
