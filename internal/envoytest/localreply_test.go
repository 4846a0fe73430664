package envoytest_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

func reply(t *testing.T, body string) {
	errorIs(t, "reply", proxywasm.SendHttpResponse(429, [][2]string{{"X-Why", "limit"}}, []byte(body), -1), nil)
}

// P4, P9, P10: a reply comes back through the filter's response callbacks, and
// returning Continue after it changes nothing.
func TestLocalReply(t *testing.T) {
	for name, test := range map[string]struct {
		body    string
		hold    bool
		inBody  bool
		calls   []string
		reached bool
	}{
		"from the headers":         {"no", false, false, []string{"headers false", "body 2 true"}, false},
		"without a body":           {"", false, false, []string{"headers true"}, false},
		"from the body, held":      {"no", true, true, []string{"headers false", "body 2 true"}, false},
		"from the body, streaming": {"no", false, true, []string{"headers false", "body 2 true"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			h := &hooks{
				requestHeaders: func(bool) types.Action {
					if !test.inBody {
						reply(t, test.body)
					}
					if test.hold {
						return types.ActionPause
					}
					return types.ActionContinue
				},
				requestBody: func(int, bool) types.Action {
					if !test.inBody {
						t.Error("a body callback after the reply")
					}
					reply(t, test.body)
					return types.ActionContinue
				},
				responseHeaders: func(end bool) types.Action {
					calls = append(calls, fmt.Sprintf("headers %t", end))
					errorIs(t, "edit", proxywasm.AddHttpResponseHeader("x-seen", "1"), nil)
					return types.ActionContinue
				},
				responseBody: func(size int, end bool) types.Action {
					calls = append(calls, fmt.Sprintf("body %d %t", size, end))
					return types.ActionContinue
				},
			}
			got := startHooks(t, t, h, envoytest.Options{HoldHeaders: test.hold}).
				Do(envoytest.Request{Body: []byte("b")}, func(envoytest.Request) envoytest.Response {
					t.Error("the upstream was asked")
					return envoytest.Response{}
				})
			if got.Status != 429 || string(got.Body) != test.body || !got.LocalReply {
				t.Errorf("the client got %+v", got)
			}
			if got.Headers.Get("x-why") != "limit" || got.Headers.Get("x-seen") != "1" {
				t.Errorf("the client got headers %v", got.Headers)
			}
			if !reflect.DeepEqual(calls, test.calls) {
				t.Errorf("response callbacks %q, want %q", calls, test.calls)
			}
			if (got.Upstream != nil) != test.reached || got.UpstreamAborted != test.reached {
				t.Errorf("the upstream saw %+v, aborted %t", got.Upstream, got.UpstreamAborted)
			}
		})
	}
}

// P11: from the response's headers it goes straight out, from its body too late.
func TestLocalReplyFromResponse(t *testing.T) {
	h := &hooks{responseHeaders: func(bool) types.Action {
		reply(t, "no")
		return types.ActionContinue
	}}
	h.responseBody = func(int, bool) types.Action {
		t.Error("a body callback after the reply")
		return types.ActionContinue
	}
	envoy := startHooks(t, t, h, envoytest.Options{})
	if got := envoy.Do(envoytest.Request{}, ok); got.Status != 429 || string(got.Body) != "no" || got.Upstream == nil || got.Reset {
		t.Errorf("from the headers: %+v", got)
	}

	h.responseHeaders = nil
	h.responseBody = func(int, bool) types.Action { reply(t, "no"); return types.ActionPause }
	if got := envoy.Do(envoytest.Request{}, ok); got.Status != 200 || !got.Reset {
		t.Errorf("from the body: %+v", got)
	}
}

// P9: the second reply is a failure, in the callback or in the reply's own.
func TestSecondReply(t *testing.T) {
	tb := &failures{T: t}
	h := &hooks{requestHeaders: func(bool) types.Action { reply(t, "1"); reply(t, "2"); return types.ActionPause }}
	got := startHooks(t, tb, h, envoytest.Options{}).Do(envoytest.Request{}, ok)
	tb.expect(t, "P9")
	if string(got.Body) != "1" {
		t.Errorf("the client got %q", got.Body)
	}

	tb = &failures{T: t}
	h = &hooks{
		requestHeaders:  func(bool) types.Action { reply(t, "1"); return types.ActionPause },
		responseHeaders: func(bool) types.Action { reply(t, "2"); return types.ActionContinue },
	}
	startHooks(t, tb, h, envoytest.Options{}).Do(envoytest.Request{}, ok)
	tb.expect(t, "P9")

	tb = &failures{T: t}
	startHooks(t, tb, &hooks{done: func() { reply(t, "1") }}, envoytest.Options{}).Do(envoytest.Request{}, ok)
	tb.expect(t, "local reply outside")
}

// P10: another filter's reply is told from the upstream's by its details.
func TestReplyOfAnotherFilter(t *testing.T) {
	var details []byte
	h := &hooks{responseHeaders: func(bool) types.Action {
		details, _ = proxywasm.GetProperty([]string{"response", "code_details"})
		return types.ActionContinue
	}}
	got := startHooks(t, t, h, envoytest.Options{}).Do(envoytest.Request{}, func(envoytest.Request) envoytest.Response {
		return envoytest.Response{Status: 429, CodeDetails: "request_rate_limited"}
	})
	if got.Status != 429 || !got.LocalReply || string(details) != "request_rate_limited" {
		t.Errorf("the client got %+v, details %q", got, details)
	}
}
