package classify

import "time"

// A Response is an upstream's answer, as far as it was read.
type Response struct {
	// Provider is whose answer it is; "": Classify finds out, by the response
	// alone. Unknown names mean OpenAICompatible.
	Provider string
	// Status is the HTTP status. That of a stream's event, or of a gRPC answer,
	// is 200.
	Status int
	// Headers are name and value, names in lower case.
	Headers [][2]string
	// Body is the body without its content-encoding, of a stream the data of
	// the event that says what went wrong; nil: none, or not read.
	Body []byte
	// Now is when the response came, for those without a date of their own.
	Now time.Time
}

// A Refusal is what a response means.
type Refusal struct {
	Class Class
	// Retryable says whether the same request may succeed later. Of what is
	// NotRateLimit, ordinary failures of the server are.
	Retryable bool
	// Provider is whose rules decided.
	Provider string
	// Dimension is what the provider says was exceeded, by the name that the
	// configuration has for it, as in "input_tokens"; "": it does not say.
	Dimension string
	// Limit, Remaining and Requested are the numbers that the provider states
	// of that dimension, as decimals; "": it states none.
	Limit, Remaining, Requested string
	// Wait is how long the provider says to wait, where Stated.
	Wait   time.Duration
	Stated bool
	// Doubted says that the wait is of another limit than the one that decided,
	// and not to be told: what helps against a limit per minute does not against
	// one per day.
	Doubted bool
	// Code, Message and RequestID are the provider's own words, without
	// anything that names the account behind the gateway.
	Code, Message, RequestID string
	// Status is the status that the provider gave, where a Sluice has told it with
	// another; 0: it is that of the response.
	Status int
	// Rule names the rule that decided, for people who ask why.
	Rule string
}
