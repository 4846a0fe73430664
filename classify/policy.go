package classify

import (
	"strings"
	"time"
)

// A Policy says how refusals are told: the object "errors" of the configuration.
type Policy struct {
	// OpenAIOnly: every client gets OpenAI's shape, whatever its path; but for
	// those of gRPC, which read no body.
	OpenAIOnly bool
	// QuotaStatus is the status of a quota, 429 or 402. Clients that look for
	// OpenAI's insufficient_quota expect 429; 402 is retried by none.
	QuotaStatus int
	// MaxClientWait is the longest wait after which a client is told to retry by
	// itself.
	MaxClientWait time.Duration
	// DefaultWait, at least 0, is the wait after an upstream's throttle or
	// overload that states none, and five times that after an acceleration.
	DefaultWait time.Duration
	// RetryJitter, at least 0, is the most that is added to a wait, so that not
	// all clients come back at once.
	RetryJitter time.Duration
}

// DefaultPolicy is what holds where nothing is configured.
func DefaultPolicy() Policy {
	return Policy{QuotaStatus: 429, MaxClientWait: time.Minute, DefaultWait: 2 * time.Second}
}

// accelerationWaits is how many times DefaultWait an acceleration waits: traffic
// that grew too fast has to grow slowly for longer than a moment.
const accelerationWaits = 5

// longestCode is the most bytes of an upstream's code.
const longestCode = 128

// FromUpstream is the error of an upstream's refusal, which is a rate limit and
// had the status. Its words are the gateway's own: an upstream's can name
// accounts, and mislead clients that match on them.
func (p *Policy) FromUpstream(r *Refusal, status int, now time.Time) Error {
	if r.Status != 0 {
		status = r.Status
	}
	e := Error{
		Class: r.Class, Provider: r.Provider,
		Dimension: r.Dimension, Max: r.Limit, Remaining: r.Remaining, Requested: r.Requested,
		Upstream: &Upstream{
			Status:    status,
			Code:      r.Class.sayable(string(shorten([]byte(Redact(r.Code)), longestCode))),
			Message:   r.Class.sayable(Redact(r.Message)),
			RequestID: r.Class.sayable(RequestID(r.RequestID)),
		},
	}
	switch r.Class {
	case Throttle, Acceleration, Overload:
		wait := p.DefaultWait
		if r.Class == Acceleration {
			wait *= accelerationWaits
		}
		if r.Stated {
			// Who waits for nothing comes back at once, and is refused again.
			wait = r.Wait
			if wait <= 0 {
				wait = time.Second
			}
		}
		if wait > 0 {
			e.WaitFrom(now, wait)
			e.Assumed = !r.Stated
		}
	case Quota:
		// SDKs would sleep through a retry-after of hours.
		if r.Stated && r.Wait > 0 && !r.Doubted {
			e.ResetAt = wholeSecond(now.Add(r.Wait))
		}
	}
	e.Message = e.describe()
	return e
}

// describe says in plain words what an upstream's refusal means.
func (e *Error) describe() string {
	switch e.Class {
	case Throttle:
		return "A limit of the provider was reached" + e.stated() + "."
	case Acceleration:
		return "Traffic to the provider grew too fast" + e.stated() + ". Slow down, then grow step by step."
	case Quota:
		if e.ResetAt.IsZero() {
			return "The provider's allowance is used up" + e.stated() + ". To wait a while does not help."
		}
		return "The provider's allowance is used up" + e.stated() + "."
	case Overload:
		return "The provider has no capacity at the moment."
	case TooLarge:
		return "This request can never fit the provider's limit" + e.stated() + "."
	}
	return "The provider refused this request."
}

// stated is what an upstream said of a limit, as in ": 30000 input tokens".
func (e *Error) stated() string {
	if e.Dimension == "" {
		return ""
	}
	amount := ""
	if decimal(e.Max) {
		amount = e.Max + " "
	}
	switch e.Dimension {
	case "cost_usd":
		return ": " + strings.TrimSpace("US$ "+amount)
	case "concurrency":
		return ": " + amount + "requests at once"
	}
	return ": " + amount + strings.ReplaceAll(e.Dimension, "_", " ")
}
