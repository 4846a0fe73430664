// Package classify knows what a refusal means and how to say it: the classes,
// and the typed error that a client gets.
package classify

// A Class is what a refusal means for the one who was refused.
type Class uint8

const (
	// NotRateLimit: another error, or none.
	NotRateLimit Class = iota
	// Throttle: a limit was reached, waiting helps.
	Throttle
	// Acceleration: traffic grew too fast, though it is below the limit.
	Acceleration
	// Quota: money, plan or allowance is gone, waiting a while does not help.
	Quota
	// Overload: the provider has no capacity, whoever asks.
	Overload
	// TooLarge: this request can never fit.
	TooLarge
)

var classes = [...]struct {
	name, kind, code string
	status           int
}{
	NotRateLimit: {name: "not_rate_limit"},
	Throttle:     {"throttle", "rate_limit_error", "rate_limit_exceeded", 429},
	Acceleration: {"acceleration", "rate_limit_error", "slow_down", 429},
	Quota:        {"quota", "insufficient_quota", "insufficient_quota", 429},
	Overload:     {"overload", "service_unavailable_error", "server_is_overloaded", 503},
	TooLarge:     {"too_large", "invalid_request_error", "request_too_large", 413},
}

// String is the class's name, as in "throttle".
func (c Class) String() string { return classes[c].name }

// Type is OpenAI's error type for the class, Code its code, Status the HTTP
// status of such a response.
func (c Class) Type() string { return classes[c].kind }
func (c Class) Code() string { return classes[c].code }
func (c Class) Status() int  { return classes[c].status }
