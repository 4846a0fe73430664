package classify

import (
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// An Error is a refusal as the client is told it.
type Error struct {
	Class   Class
	Message string

	// Limit names the limit that refused; empty: it was no limit.
	Limit string
	// Dimension, ScopeKind and ScopeTarget are the limit's; Max, Remaining and
	// Requested are numbers in the dimension's unit, decimal for US$.
	Dimension, ScopeKind, ScopeTarget string
	Max, Remaining, Requested         string

	// RetryAfter is how long to wait, in whole seconds; 0: waiting is of no use,
	// or nobody knows how long. ResetAt is the moment when it has passed.
	RetryAfter int64
	ResetAt    time.Time

	// Type and Code, where set, stand in for the class's own: of a refusal that
	// is no rate limit.
	Type, Code string
}

// AppendJSON appends the error in OpenAI's shape, which the client SDKs of most
// providers read: https://platform.openai.com/docs/guides/error-codes.
func (e *Error) AppendJSON(b []byte) []byte {
	kind, code := e.Type, e.ErrorCode()
	if kind == "" {
		kind = e.Class.Type()
	}
	b = append(b, `{"error":{"message":`...)
	b = gjson.AppendJSONString(b, e.Message)
	b = text(b, "type", kind)
	b = append(b, `,"param":null`...)
	b = text(b, "code", code)
	if e.Class != NotRateLimit {
		b = text(b, "class", e.Class.String())
	}
	b = text(b, "source", "gateway")
	if e.Limit != "" {
		b = text(b, "limit", e.Limit)
		b = text(b, "dimension", e.Dimension)
		b = text(b, "scope_kind", e.ScopeKind)
		b = text(b, "scope_target_id", e.ScopeTarget)
		b = append(key(b, "limit_value"), e.Max...)
		b = append(key(b, "remaining"), e.Remaining...)
		b = append(key(b, "requested"), e.Requested...)
	}
	if e.RetryAfter > 0 {
		b = strconv.AppendInt(key(b, "retry_after"), e.RetryAfter, 10)
		b = text(b, "reset_at", e.ResetAt.UTC().Format(time.RFC3339))
	}
	return append(b, "}}"...)
}

// ErrorCode is the code in the error.
func (e *Error) ErrorCode() string {
	if e.Code != "" {
		return e.Code
	}
	return e.Class.Code()
}

func text(b []byte, name, value string) []byte {
	return gjson.AppendJSONString(key(b, name), value)
}

func key(b []byte, name string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	return append(b, '"', ':')
}
