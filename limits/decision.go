package limits

import "time"

// Outcome is the kind of a Decision.
type Outcome uint8

const (
	// Admitted: all matching limits are charged.
	Admitted Outcome = iota
	// Throttled: it would fit after Wait.
	Throttled
	// TooLarge: it never fits.
	TooLarge
	// Missing: an attribute that the limit requires is absent.
	Missing
	// Identity: an attribute of the limit's scope is ambiguous.
	Identity
	// Unpriced: nobody knows what the model costs.
	Unpriced
	// Contended: too many workers changed the counters at once. Nothing is
	// charged.
	Contended
)

// A Decision says what becomes of a request. What is refused leaves no charge.
type Decision struct {
	Outcome Outcome
	// Observed says that it is what a shadow limit would have decided: the
	// request is admitted, and charged unless it is Contended.
	Observed bool
	// Limit is the one that refused: nil if admitted or contended.
	Limit *Limit
	// Max, Remaining and Requested are that limit's, in its unit.
	Max, Remaining, Requested int64
	// Wait is how long until the request would fit all that refused it;
	// Forever: it never will.
	Wait time.Duration
	// Attribute is the one that is missing or ambiguous.
	Attribute string
}

// Refused says that the request must not pass.
func (d *Decision) Refused() bool { return d.Outcome != Admitted && !d.Observed }
