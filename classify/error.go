package classify

import (
	"time"

	"sluice/headers"
)

// An Error is a refusal as the client is told it.
type Error struct {
	Class Class
	// Message is for people; the time to try again is added to it.
	Message string

	// Limit names the limit that refused; empty: it was no limit of the gateway.
	Limit string
	// Dimension, ScopeKind and ScopeTarget are the limit's; Max, Remaining and
	// Requested are decimal numbers at least 0 in the dimension's unit, of US$
	// with a fraction. Empty ones are not known, and not told.
	Dimension, ScopeKind, ScopeTarget string
	Max, Remaining, Requested         string

	// Wait is how long until a retry can succeed; 0: none can, or nobody knows
	// when. Assumed says that nobody stated it. ResetAt is the moment when it has
	// passed, in whole seconds rounded up, or when a quota is free again; zero:
	// not known.
	Wait    time.Duration
	Assumed bool
	ResetAt time.Time

	// Provider and Upstream are of a refusal that an upstream gave; nil: it is
	// the gateway's own.
	Provider string
	Upstream *Upstream

	// Status, Type, and Code are those of what is no rate limit, where a class
	// has its own.
	Status     int
	Type, Code string
}

// Upstream is what an upstream said, its words redacted, and without those that
// an error of the class must not say.
type Upstream struct {
	Status                   int
	Code, Message, RequestID string
}

// WaitFrom has the client wait for d, more than 0, from now on.
func (e *Error) WaitFrom(now time.Time, d time.Duration) {
	e.Wait = d
	e.ResetAt = wholeSecond(now.Add(d))
}

// RetryAfter is the wait in whole seconds, rounded up and at least 1; 0: there
// is none.
func (e *Error) RetryAfter() int64 { return headers.Seconds(e.Wait) }

// ErrorType is OpenAI's type for the error.
func (e *Error) ErrorType() string {
	if e.Type != "" {
		return e.Type
	}
	return e.Class.Type()
}

// ErrorCode is the code in the error.
func (e *Error) ErrorCode() string {
	if e.Code != "" {
		return e.Code
	}
	return e.Class.Code()
}

// text is the whole message. It ends with the time to try again.
func (e *Error) text() string {
	switch {
	case e.ResetAt.IsZero():
		return e.Message
	case e.Wait > 0:
		return e.Message + " Try again at " + moment(e.ResetAt)
	}
	return e.Message + " Available again at " + moment(e.ResetAt)
}

// wholeSecond rounds a time up to whole seconds, as it is shown.
func wholeSecond(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	} else {
		return whole
	}
}
