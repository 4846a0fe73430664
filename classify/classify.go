package classify

import (
	"slices"
	"time"
)

// Classify tells what a response means for the one who asked: by the rules of
// the provider, else by those of the error inside it that a gateway passes on,
// else by the common rules. What is no error comes out as NotRateLimit.
//
// It reads a bounded part of the body, whatever the body is.
func Classify(r *Response) Refusal {
	provider, _ := Canonical(r.Provider)
	x := read(r, provider)
	switch r.Status {
	case 404, 405, 415:
		// None of these says anything of a limit, whatever words of the request
		// it repeats.
		return redactedWords(Refusal{Provider: provider, Code: x.code, Message: x.message, RequestID: x.providersRequestID(), Rule: noRule})
	}
	if r.Provider == "" {
		x.provider = x.detected()
	}
	if !x.failed {
		return Refusal{Provider: x.provider}
	}
	if refusal, ok := x.refusalOfOwn(); ok {
		return redactedWords(refusal)
	}
	decided, by := x.decide()
	refusal := Refusal{
		Class:     decided.class,
		Provider:  x.provider,
		Code:      x.code,
		Message:   x.message,
		RequestID: x.providersRequestID(),
		Rule:      decided.name,
	}
	if decided.class == NotRateLimit {
		refusal.Retryable = x.passing()
		return redactedWords(refusal)
	}
	refusal.Retryable = retryable(decided.class)
	refusal.Wait, refusal.Stated = by.statedWait(decided.class)
	if !refusal.Stated {
		refusal.Wait, refusal.Stated = x.statedWait(decided.class)
	}
	refusal.Doubted = decided.class == Quota && len(by.quotas) > 0 && refusal.Wait < time.Hour
	refusal.Dimension, refusal.Limit, refusal.Remaining, refusal.Requested = by.limitOf(decided)
	return redactedWords(refusal)
}

// decision is the rule that decided.
type decision struct {
	name      string
	class     Class
	dimension string
	byStatus  bool // and by nothing else
}

// noRule is the name of no rule: of an error that is no limit.
const noRule = "none"

// decide finds the rule that holds, and the reading, of the error itself or of
// one inside it, for which it does.
func (x *reading) decide() (decision, *reading) {
	if d, ok := x.decideBy(x.provider); ok {
		return d, x
	}
	if x.nested != nil {
		// What is inside and tells no more than the status leaves it to what is
		// outside.
		if d, by := x.nested.decide(); d.name != noRule && !(d.byStatus && by.status == x.status) {
			d.name = "inside: " + d.name
			return d, by
		}
	}
	// Servers with the API of OpenAI or Anthropic are often somebody else's.
	switch x.provider {
	case OpenAICompatible:
		if d, ok := x.decideBy(x.detected()); ok {
			return d, x
		}
	case "anthropic", "openai":
		if d, ok := x.decideBy(OpenAICompatible); ok {
			return d, x
		}
	}
	if r := first(commonRules, x); r != nil {
		return decision{r.name, r.class, r.dimension, r.statusOnly()}, x
	}
	return decision{name: noRule}, x
}

func (x *reading) decideBy(provider string) (decision, bool) {
	r := first(rulesOf(provider), x)
	if r == nil {
		return decision{}, false
	}
	return decision{provider + ": " + r.name, r.class, r.dimension, r.statusOnly()}, true
}

// retryable says whether the same request may succeed later.
func retryable(c Class) bool { return c == Throttle || c == Acceleration || c == Overload }

// statedWait is how long to wait. When a bucket is full again says nothing of an
// account that is empty, but for that of a subscription.
func (x *reading) statedWait(c Class) (time.Duration, bool) {
	if x.byBucket && c == Quota && !x.headers.Rejected {
		return 0, false
	}
	return x.wait, x.stated
}

// passing says whether an error that is no limit is an ordinary failure of the
// server.
func (x *reading) passing() bool {
	switch s := x.status; {
	case s == 501 || s == 505:
		return false
	case s >= 500 || s == 408:
		return true
	case s >= 400 && s != 424: // Bedrock's, of a model that failed
		return false
	}
	return x.hasWord(passingWords) || x.says([]string{"internal server error", "server had an error"})
}

// passingWords are the failures that a stream tells, whose status is 200.
var passingWords = []string{
	"*server_error", "*servererror", "*serverexception", "api_error", "internal", "internal_error", "internalerror*", "internal_failure",
	"timeout", "*timeout_error", "deadline_exceeded", "modelstreamerrorexception", "modelerrorexception", "modeltimeoutexception",
	"1000", "1001", "1013", "1024", "1033", // MiniMax
}

// limitOf is what was exceeded, and its numbers.
func (x *reading) limitOf(d decision) (dimension, limit, remaining, requested string) {
	if d.class == Overload {
		return "", "", "", ""
	}
	if dimension, limit := x.limitOfGoogle(); dimension != "" {
		return dimension, limit, "", ""
	}
	dimension = x.dimension
	if d.dimension != "" {
		dimension = d.dimension
	}
	if dimension == "" && d.class != Quota && slices.Contains(countedDimensions, x.emptied) {
		dimension = x.emptied
	}
	if dimension == "" {
		return "", "", "", ""
	}
	if x.numbers.limit < 0 && dimension == x.emptied {
		if limit := x.emptiedLimit(); limit != "" {
			return dimension, limit, "0", ""
		}
	}
	if x.numbers.limit >= 0 && x.numbers.used >= 0 {
		remaining = written(max(0, x.numbers.limit-x.numbers.used))
	}
	return dimension, written(x.numbers.limit), remaining, written(x.numbers.requested)
}

// emptiedLimit is the limit of the bucket that is empty, "" where it is not
// stated.
func (x *reading) emptiedLimit() string {
	for i := range x.headers.Quotas {
		q := &x.headers.Quotas[i]
		if q.Dimension == x.emptied && q.Remaining.Stated() && q.Remaining.Value == 0 {
			return q.Limit.Text
		}
	}
	return ""
}

// countedDimensions are those of the configuration that a provider's headers
// can name.
var countedDimensions = []string{"requests", "tokens", "input_tokens", "output_tokens", "concurrency"}

// providersRequestID is the provider's id of the request.
func (x *reading) providersRequestID() string {
	for _, name := range []string{"request-id", "x-amzn-requestid", "apim-request-id", "x-request-id", "x-dashscope-request-id", "x-generation-id"} {
		if id := x.response.header(name); id != "" {
			return id
		}
	}
	return x.requestID
}

// redactedWords takes out of the provider's words what names the account behind
// the gateway, and bounds them.
func redactedWords(r Refusal) Refusal {
	r.Code, r.Message, r.RequestID = Redact(r.Code), Redact(r.Message), RequestID(r.RequestID)
	return r
}
