package main

import (
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

// A stream whose client does not ask for its usage is asked all the same, and
// the client sees nothing of it.
func TestStreamsAreAskedForTheirUsage(t *testing.T) {
	const (
		delta = "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}],\"usage\":null}\n\n"
		last  = "data: {\"id\":\"1\",\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":16,\"total_tokens\":23}}\n\n"
		done  = "data: [DONE]\n\n"
	)
	openai := func(fields ...string) envoytest.Request {
		return with(chat(aKey, append(fields, `"max_tokens":500`)...), ":authority", "api.openai.com", "accept-encoding", "gzip, deflate")
	}
	for name, c := range map[string]struct {
		config  string
		request envoytest.Request
		asks    bool
		hides   bool
	}{
		"a stream":                 {``, openai(`"stream":true`), true, true},
		"with other options":       {``, openai(`"stream":true`, `"stream_options":{}`), true, true},
		"the client asked":         {``, openai(`"stream":true`, `"stream_options":{"include_usage":true}`), false, false},
		"the client asked not to":  {``, openai(`"stream":true`, `"stream_options":{"include_usage":false}`), false, false},
		"no stream":                {``, openai(), false, false},
		"stream is a string":       {``, openai(`"stream":"true"`), false, false},
		"never":                    {`"stream_usage":"never"`, openai(`"stream":true`), false, false},
		"observed":                 {`"mode":"observe"`, openai(`"stream":true`), false, false},
		"nothing is held":          {`"admission":"headers"`, openai(`"stream":true`), false, false},
		"who knows what they take": {``, chat(aKey, `"stream":true`), false, false},
		"another API":              {``, with(post("/v1/messages", `{"model":"m","stream":true,"messages":[]}`), ":authority", "api.anthropic.com"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(c.config, `"dimension":"tokens","limit":10000`))
				headers := asEvents
				if c.hides { // it would be wrong
					headers = append([]string{"content-length", "999"}, asEvents...)
				}
				for _, chunks := range [][]string{
					{delta, last, done}, {delta + last + done}, strings.Split(delta+last+done, ""), {delta + last[:30], last[30:] + done},
				} {
					r := g.Do(c.request, pieces(200, headers, chunks...))
					want := string(c.request.Body)
					if got := string(r.Upstream.Body); (got != want) != c.asks {
						t.Errorf("the upstream saw %s", got)
					} else if c.asks && !strings.Contains(got, `"include_usage":true`) {
						t.Errorf("the upstream was asked %s", got)
					}
					if c.asks == r.Upstream.Headers.Has("accept-encoding") && c.request.Headers.Has("accept-encoding") {
						t.Errorf("the upstream saw %v", r.Upstream.Headers)
					}
					sees := delta + last + done
					if c.hides {
						sees = delta + done
					}
					if string(r.Body) != sees {
						t.Errorf("the client saw %q, want %q", r.Body, sees)
					}
					if got := state(r, "total_tokens"); got != "23" {
						t.Errorf("%s tokens were used", got)
					}
				}
			})
		})
	}
}
