// Package limits decides whether a request fits every limit that applies to it,
// and keeps the counters exact while many workers do so at once.
//
// A request is reserved for (Engine.Reserve) before it goes to the provider:
// all matching limits or none are charged. When its real use is known it is
// settled (Engine.Settle). The counters live in a Store, one value for each
// subject with all its limits, changed by compare-and-swap only.
//
// The package knows nothing of Envoy: the facts of a request, the clock and the
// store are given to it.
package limits

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// A Dimension is what a limit counts.
type Dimension uint8

const (
	Requests     Dimension = iota // requests admitted
	Tokens                        // input and output tokens together
	dimensionEnd                  // how many there are
)

// NumDimensions is the number of dimensions.
const NumDimensions = int(dimensionEnd)

var dimensionNames = [NumDimensions]string{"requests", "tokens"}

// String is the dimension's name in configuration and errors.
func (d Dimension) String() string { return dimensionNames[d] }

// DimensionNames lists the names in the order of the constants.
func DimensionNames() []string { return dimensionNames[:] }

// countsModelCalls tells the dimensions that only a call of a model uses.
func (d Dimension) countsModelCalls() bool { return d != Requests }

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
	// Window is how long a fixed window lasts, in whole milliseconds, above 0.
	// It starts at a subject's first request.
	Window time.Duration
	// Scope names the attributes (by index) whose values together are the
	// limit's subject; empty: all traffic is one subject.
	Scope     []int
	OnMissing OnMissing
	// Match must hold wholly for the limit to apply.
	Match []Matcher
	// Overrides give other ceilings to some; the first that matches counts.
	Overrides []Override
}

// An Override is a ceiling for the requests that all its matchers match.
type Override struct {
	Match []Matcher
	Max   int64
}

// A Demand is what one request wants to use, as far as it is known.
type Demand struct {
	// Input is the estimate of the prompt's tokens, at least 0.
	Input int64
	// Output is the number of tokens reserved for the answer, at least 0.
	Output int64
	// Guessed says that Output is only a guess, which may be cut to what a
	// limit can hold; InputGuessed says so of Input too.
	Guessed, InputGuessed bool
	// ModelCall says that the request calls a model: token limits without a
	// matcher count no other.
	ModelCall bool
}

// charge returns what the demand costs in a dimension, and how much of that can
// not be cut.
func (d Demand) charge(dim Dimension) (amount, atLeast int64) {
	if dim == Requests {
		return 1, 1
	}
	amount, atLeast = d.Input+d.Output, d.Input+d.Output
	if d.Guessed {
		atLeast = d.Input
	}
	if d.InputGuessed {
		atLeast = 0
	}
	return amount, atLeast
}

// HashSecret is the form in which a secret value may be shown or written in a
// configuration: the first 12 hex digits of its SHA-256.
func HashSecret(value string) string {
	sum := sha256.Sum256([]byte(value))
	var digits [12]byte
	hex.Encode(digits[:], sum[:6])
	return string(digits[:])
}
