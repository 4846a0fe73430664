package classify

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// members appends the members of JSON objects, without reflection.
type members struct {
	b []byte
	// strings: every value is one, as in the metadata of Google's ErrorInfo.
	strings bool
}

func (m *members) name(name string) {
	if last := m.b[len(m.b)-1]; last != '{' {
		m.b = append(m.b, ',')
	}
	m.b = append(m.b, '"')
	m.b = append(m.b, name...)
	m.b = append(m.b, '"', ':')
}

// text appends a member that is a string.
func (m *members) text(name, value string) {
	m.name(name)
	m.b = gjson.AppendJSONString(m.b, value)
}

// known appends a text that is not empty.
func (m *members) known(name, value string) {
	if value != "" {
		m.text(name, value)
	}
}

func (m *members) integer(name string, value int64) {
	m.decimal(name, strconv.FormatInt(value, 10))
}

// decimal appends a number as it is written; what is none is left out: an
// upstream's numbers are as it wrote them.
func (m *members) decimal(name, value string) {
	if !decimal(value) {
		return
	}
	if m.strings {
		m.text(name, value)
		return
	}
	m.name(name)
	m.b = append(m.b, value...)
}

// open begins an object that is a member, and close ends one.
func (m *members) open(name string) {
	m.name(name)
	m.b = append(m.b, '{')
}

func (m *members) close() { m.b = append(m.b, '}') }

// decimal reports whether s is a number at least 0 as JSON writes it, without an
// exponent.
func decimal(s string) bool {
	const longest = 32
	whole, fraction, point := strings.Cut(s, ".")
	return len(s) <= longest && allDigits(whole) && (whole == "0" || whole[0] != '0') && (!point || allDigits(fraction))
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return s != ""
}

// facts appends what the error knows, beside its message, type, and code.
func (e *Error) facts(m *members) {
	if e.Class != NotRateLimit {
		m.text("class", e.Class.String())
	}
	source := "gateway"
	if e.Upstream != nil {
		source = "upstream"
	}
	m.text("source", source)
	m.known("provider", e.Provider)
	m.known("limit", e.Limit)
	m.known("dimension", e.Dimension)
	m.known("scope_kind", e.ScopeKind)
	m.known("scope_target_id", e.ScopeTarget)
	m.decimal("limit_value", e.Max)
	m.decimal("remaining", e.Remaining)
	m.decimal("requested", e.Requested)
	if e.Wait > 0 {
		m.integer("retry_after", e.RetryAfter())
		if e.Assumed {
			m.text("retry_after_source", "default")
		}
	}
	if !e.ResetAt.IsZero() {
		m.text("reset_at", moment(e.ResetAt))
	}
	if e.Upstream != nil {
		e.Upstream.facts(m)
	}
}

func (u *Upstream) facts(m *members) {
	under := ""
	if m.strings {
		under = "upstream_"
	} else {
		m.open("upstream")
	}
	m.integer(under+"status", int64(u.Status))
	m.known(under+"code", u.Code)
	m.known(under+"message", u.Message)
	m.known(under+"request_id", u.RequestID)
	if !m.strings {
		m.close()
	}
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
