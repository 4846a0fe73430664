package classify

import (
	"time"

	"github.com/tidwall/gjson"
)

// OwnRule is the rule of a refusal that a Sluice has told already.
const OwnRule = "an error of Sluice"

// own is what an error says that a Sluice shaped: an upstream filter in this
// Envoy, or a gateway further up. It is taken as it stands.
type own struct {
	class, source, dimension, provider string
	limit, remaining, requested        string
	retryAfter                         float64
	resetAt                            string
	waitIsDefault                      bool
	code, message, requestID           string
	status                             int64
}

// read takes a member, under the same name in every dialect.
func (o *own) read(name string, v gjson.Result) {
	switch name {
	case "class":
		o.class = clip(v.String(), maxWord)
	case "source":
		o.source = clip(v.String(), maxWord)
	case "dimension":
		o.dimension = clip(v.String(), maxWord)
	case "provider":
		o.provider = clip(v.String(), maxWord)
	case "limit_value":
		o.limit = clip(v.String(), maxWord)
	case "remaining":
		o.remaining = clip(v.String(), maxWord)
	case "requested":
		o.requested = clip(v.String(), maxWord)
	case "retry_after":
		o.retryAfter = v.Float()
	case "retry_after_source":
		o.waitIsDefault = v.String() == "default"
	case "reset_at":
		o.resetAt = clip(v.String(), maxWord)
	case "upstream":
		o.code, o.message, o.requestID = v.Get("code").String(), v.Get("message").String(), v.Get("request_id").String()
		o.status = v.Get("status").Int()
	}
}

// classOf is the class of that name, as Sluice writes it; false: there is none.
func classOf(name string) (Class, bool) {
	for c := range classes {
		if classes[c].name == name {
			return Class(c), c != int(NotRateLimit)
		}
	}
	return NotRateLimit, false
}

// ClassHeader is a response header in which a Sluice tells the class of a
// refusal whose body it has not written.
const ClassHeader = "x-sluice-class"

// refusalOfOwn is the refusal that a Sluice told; false: none did.
func (x *reading) refusalOfOwn() (Refusal, bool) {
	o := &x.own
	class, ok := classOf(o.class)
	if told, known := classOf(x.response.header(ClassHeader)); known && !ok {
		return x.refusalOfHeader(told), true
	}
	if !ok || o.source != "gateway" && o.source != "upstream" {
		return Refusal{}, false
	}
	r := Refusal{Class: class, Retryable: retryable(class), Provider: x.provider, Dimension: o.dimension,
		Limit: o.limit, Remaining: o.remaining, Requested: o.requested,
		Code: o.code, Message: o.message, RequestID: o.requestID, Rule: OwnRule}
	if o.status >= 100 && o.status <= 599 {
		r.Status = int(o.status)
	}
	if p, known := Canonical(o.provider); known {
		r.Provider = p
	}
	if o.source == "gateway" {
		r.Code, r.Message = x.code, x.message
	}
	switch {
	case o.waitIsDefault: // no one stated it
	case x.headers.HasWait:
		r.Wait, r.Stated = x.headers.Wait, true
	case o.retryAfter > 0 && o.retryAfter < maxWait.Seconds():
		r.Wait, r.Stated = time.Duration(o.retryAfter*float64(time.Second)), true
	default:
		if t, err := time.Parse(time.RFC3339, o.resetAt); err == nil {
			r.Wait, r.Stated = x.until(t)
		}
	}
	return r, true
}

// refusalOfHeader is a refusal of which a Sluice has told the class, beside the
// provider's own words.
func (x *reading) refusalOfHeader(class Class) Refusal {
	return Refusal{Class: class, Retryable: retryable(class), Provider: x.provider,
		Wait: x.headers.Wait, Stated: x.headers.HasWait,
		Code: x.code, Message: x.message, RequestID: x.providersRequestID(), Rule: OwnRule}
}
