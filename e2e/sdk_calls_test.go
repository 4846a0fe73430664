package e2e

import (
	"cmp"
	"strings"
	"testing"
	"time"
)

// sdk is a client SDK, and what it does with each class of refusal.
type sdk struct {
	name            string // with the language
	program, client string // the client program, and its name for the SDK
	provider        string // whose API it speaks, one of upstreams

	throttle, quota, overload, tooLarge raised
	upstreamQuota                       raised // where the provider's own is raised otherwise; no SDK repeats it
	quota402                            raised // of a quota that is told as 402; zero: not called
	hour                                raised // of a throttle that lasts an hour; zero: the SDK would wait so long

	// The back-offs are the least that an SDK waits which does not read how long
	// to; zero: it reads it.
	throttleBackoff, overloadBackoff time.Duration

	throttleAttempts span // until the gateway's own throttle is over; zero: two
	quotaAttempts    span // of an SDK that cannot be told that they are of no use; zero: one
	hourAttempts     span // zero: one
}

// raised is an SDK's exception: its class, and what it says of the answer. "" is
// what it does not say.
type raised struct {
	error      string
	status     int
	kind, code string
}

// span is an inclusive range of counts.
type span struct{ from, to int }

var (
	once  = span{1, 1}
	twice = span{2, 2}
)

// sdkGroup is calls with one credential, one after the other.
type sdkGroup struct {
	Key   string    `json:"key"`
	Calls []sdkCall `json:"calls"`
}

// sdkCall is one call of an SDK, what the provider answers it, and what is to
// come of it.
type sdkCall struct {
	ID      string `json:"id"`
	Retries bool   `json:"retries"`

	name     string
	upstream upstream
	class    string // of the provider's refusals
	refusals int    // how many requests the provider refuses, before it answers

	raises   raised        // zero: the answer's text comes
	attempts span          // requests to the gateway
	reach    int           // how many of them reach the provider
	wait     time.Duration // the least between them
}

// every is more refusals than any SDK asks for.
const every = 100

// defaultWait is what the gateway states for an overload that states no wait.
const defaultWait = 2 * time.Second

// groups are all calls of an SDK: each class, refused by the provider and by the
// gateway.
func (s sdk) groups() []sdkGroup {
	upstreamQuota, attempts := s.quota, cmp.Or(s.quotaAttempts, once)
	if s.upstreamQuota != (raised{}) {
		upstreamQuota, attempts = s.upstreamQuota, once
	}
	groups := []sdkGroup{
		s.group("throttle",
			sdkCall{name: "once", class: "throttle", refusals: every, raises: s.throttle, attempts: once, reach: 1},
			sdkCall{name: "retrying", class: "throttle", refusals: 1, Retries: true, attempts: twice, reach: 2,
				wait: cmp.Or(s.throttleBackoff, stated)}),
		s.group("overload",
			sdkCall{name: "once", class: "overload", refusals: every, raises: s.overload, attempts: once, reach: 1},
			sdkCall{name: "retrying", class: "overload", refusals: 1, Retries: true, attempts: twice, reach: 2,
				wait: cmp.Or(s.overloadBackoff, defaultWait)}),
		s.group("quota",
			sdkCall{name: "retrying", class: "quota", refusals: every, Retries: true, raises: upstreamQuota,
				attempts: attempts, reach: attempts.from}),
		s.group("gateway throttle",
			sdkCall{name: "first", attempts: once, reach: 1},
			sdkCall{name: "retrying", Retries: true, attempts: cmp.Or(s.throttleAttempts, twice), reach: 1, wait: s.throttleBackoff}),
		s.group("gateway quota",
			sdkCall{name: "first", attempts: once, reach: 1},
			sdkCall{name: "retrying", Retries: true, raises: s.quota, attempts: cmp.Or(s.quotaAttempts, once)}),
		s.group("gateway too-large",
			sdkCall{name: "retrying", Retries: true, raises: s.tooLarge, attempts: once}),
	}
	if s.hour != (raised{}) {
		groups = append(groups, s.group("gateway hour",
			sdkCall{name: "first", attempts: once, reach: 1},
			sdkCall{name: "retrying", Retries: true, raises: s.hour, attempts: cmp.Or(s.hourAttempts, once)}))
	}
	// The others have no such refusal.
	if _, ok := upstreams[s.provider].refusals["too-large"]; ok {
		groups = append(groups, s.group("too-large",
			sdkCall{name: "retrying", class: "too-large", refusals: every, Retries: true, raises: s.tooLarge, attempts: once, reach: 1}))
	}
	return groups
}

// group is calls of an SDK with a credential of their own.
func (s sdk) group(name string, calls ...sdkCall) sdkGroup {
	name = s.name + "/" + name
	for i := range calls {
		calls[i].ID = name + "/" + calls[i].name
		calls[i].upstream = upstreams[s.provider]
	}
	return sdkGroup{"sk-" + strings.NewReplacer(" ", "-", "/", "-").Replace(name), calls}
}

// check reports what came otherwise, by what the SDK said, when it sent requests
// to the gateway, and how many of them reached the provider.
func (c sdkCall) check(t *testing.T, said sdkSaid, sent []time.Time, reached int) {
	t.Helper()
	if said.ID != c.ID {
		t.Fatal("the client program says nothing of the call")
	}
	got := raised{said.Error, said.Status, said.Type, said.Code}
	if got != c.raises {
		t.Errorf("it raised %+v, want %+v: %s", got, c.raises, said.Message)
	}
	if c.raises == (raised{}) && said.Text != "Hello." || c.raises != (raised{}) && said.Message == "" {
		t.Errorf("it says %+v", said)
	}
	if n := len(sent); n < c.attempts.from || n > c.attempts.to {
		t.Errorf("it sent %d requests, want %v", n, c.attempts)
	}
	if reached != c.reach {
		t.Errorf("%d requests reached the provider, want %d", reached, c.reach)
	}
	for i := range sent[min(1, len(sent)):] {
		if wait := sent[i+1].Sub(sent[i]); wait < c.wait {
			t.Errorf("it waited %v before request %d, want %v", wait, i+2, c.wait)
		}
	}
}
