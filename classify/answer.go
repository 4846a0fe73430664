package classify

import (
	"strconv"
	"time"

	"sluice/headers"
)

// An Answer is what a refused client gets.
type Answer struct {
	// Status is the HTTP status, of a gRPC call that of other clients.
	Status int
	// Headers are name and value; none has a name twice.
	Headers [][2]string
	// Body is JSON; for a gRPC client, the bare message: Envoy encodes it, and
	// puts it in grpc-message, when the answer is a reply of its own.
	Body []byte
	// GRPCStatus and GRPCMessage are the values of the headers grpc-status and
	// grpc-message, of a gRPC call only; GRPCMessage is percent-encoded.
	GRPCStatus  int
	GRPCMessage string
}

// Answer tells an error in a dialect. The jitter is drawn from random, which is
// any number; the body uses buf's space.
func (p *Policy) Answer(e *Error, d Dialect, random uint64, buf []byte) Answer {
	if p.OpenAIOnly && d != GRPC {
		d = OpenAI
	}
	told := *e
	told.Wait = p.jittered(e.Wait, random)
	a := Answer{Status: p.status(e, d)}
	set := func(name, value string) { a.Headers = append(a.Headers, [2]string{name, value}) }
	if d != GRPC {
		set("content-type", "application/json")
	}
	p.retry(&told, set)
	b := buf[:0]
	switch d {
	case Anthropic:
		a.Body = told.appendAnthropic(b)
	case Gemini:
		a.Body = told.appendGemini(b, a.Status)
	case Bedrock:
		set("x-amzn-errortype", e.exception(a.Status))
		if told.Wait > 0 {
			// AWS's SDKs read no other: botocore/retries/standard.py.
			set("x-amz-retry-after", strconv.FormatInt(headers.Milliseconds(told.Wait), 10))
		}
		a.Body = told.appendBedrock(b)
	case DashScope:
		a.Body = told.appendDashScope(b)
	case GRPC:
		a.Body = append(b, told.text()...)
		a.GRPCStatus, a.GRPCMessage = e.grpcStatus(a.Status), percentEncode(told.text())
	default:
		a.Body = told.AppendJSON(b)
	}
	return a
}

// status is the HTTP status of an error.
func (p *Policy) status(e *Error, d Dialect) int {
	switch e.Class {
	case NotRateLimit:
		return e.Status
	case Quota:
		if d == Bedrock {
			return 400 // that of ServiceQuotaExceededException
		}
		if e.Upstream != nil {
			switch e.Upstream.Status {
			case 400, 402, 403: // which no client retries
				return e.Upstream.Status
			}
		}
		return p.QuotaStatus
	case Overload:
		if d == Anthropic {
			return anthropicOverloaded
		}
	case TooLarge:
		if d == Bedrock {
			return 400 // that of ValidationException
		}
	}
	return e.Class.Status()
}

// jittered is a wait, and something more, though never so much that clients
// which would have waited for it no longer do.
func (p *Policy) jittered(wait time.Duration, random uint64) time.Duration {
	most := p.RetryJitter
	if wait <= p.MaxClientWait {
		most = min(most, p.MaxClientWait-wait)
	}
	if wait <= 0 || most <= 0 || wait > wait+most {
		return wait
	}
	return wait + time.Duration(random%uint64(most+1))
}

// retry passes the headers that tell a client how long to wait, and whether to
// retry by itself.
func (p *Policy) retry(e *Error, set func(name, value string)) {
	helps := e.Class == Throttle || e.Class == Acceleration || e.Class == Overload
	switch {
	case e.Wait > 0:
		headers.RetryAfter(e.Wait, helps, p.MaxClientWait, set)
	case helps:
		set("x-should-retry", "true") // after as long as the client thinks right
	default:
		headers.NoRetry(set)
	}
}
