package e2e

import (
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
	quota402                            raised // where a 402 helps
	hour                                raised // of a throttle that lasts an hour; zero: the SDK would wait so long

	// deaf SDKs do not read how long to wait; they back off by themselves, at
	// least so long at first.
	deafToThrottle, deafToOverload time.Duration
	throttleAttempts               span // zero: two
	// quotaAttempts is how often an SDK asks that cannot be told that it is of no
	// use; zero: once.
	quotaAttempts span
	hourAttempts  span // zero: once
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

func (s span) or(other span) span {
	if s == (span{}) {
		return other
	}
	return s
}

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
	heard := func(deaf, said time.Duration) time.Duration {
		if deaf > 0 {
			return deaf
		}
		return said
	}
	upstreamQuota, attempts := s.quota, s.quotaAttempts.or(once)
	if s.upstreamQuota != (raised{}) {
		upstreamQuota, attempts = s.upstreamQuota, once
	}
	groups := []sdkGroup{
		s.group("throttle",
			sdkCall{name: "once", class: "throttle", refusals: every, raises: s.throttle, attempts: once, reach: 1},
			sdkCall{name: "retrying", class: "throttle", refusals: 1, Retries: true, attempts: twice, reach: 2,
				wait: heard(s.deafToThrottle, stated*time.Second)}),
		s.group("overload",
			sdkCall{name: "once", class: "overload", refusals: every, raises: s.overload, attempts: once, reach: 1},
			sdkCall{name: "retrying", class: "overload", refusals: 1, Retries: true, attempts: twice, reach: 2,
				wait: heard(s.deafToOverload, defaultWait)}),
		s.group("quota",
			sdkCall{name: "retrying", class: "quota", refusals: every, Retries: true, raises: upstreamQuota,
				attempts: attempts, reach: attempts.from}),
		s.group("gateway throttle",
			sdkCall{name: "first", attempts: once, reach: 1},
			sdkCall{name: "retrying", Retries: true, attempts: s.throttleAttempts.or(twice), reach: 1, wait: s.deafToThrottle}),
		s.group("gateway quota",
			sdkCall{name: "first", attempts: once, reach: 1},
			sdkCall{name: "retrying", Retries: true, raises: s.quota, attempts: s.quotaAttempts.or(once)}),
		s.group("gateway too-large",
			sdkCall{name: "retrying", Retries: true, raises: s.tooLarge, attempts: once}),
	}
	if s.hour != (raised{}) {
		groups = append(groups, s.group("gateway hour",
			sdkCall{name: "first", attempts: once, reach: 1},
			sdkCall{name: "retrying", Retries: true, raises: s.hour, attempts: s.hourAttempts.or(once)}))
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
	return sdkGroup{"sk-" + name, calls}
}

// check reports what came otherwise: the SDK said, requests were sent to the
// gateway and so many reached the provider.
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
