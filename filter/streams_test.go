package main

import (
	"strconv"
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

// A stream that reports its usage is settled to it, however it is split; one
// that does not to what it has shown; one that has shown nothing keeps its
// reservation.
func TestAStreamIsSettledToWhatItReports(t *testing.T) {
	const text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}],\"usage\":null}\n\n"
	const report = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":16,\"total_tokens\":23}}\n\n"
	onBoth(t, func(t *testing.T, start starter) {
		for name, c := range map[string]struct {
			stream, source string
			used           int // 0: as reserved; -1: the prompt and what was shown
		}{
			"reported":     {text + report + "data: [DONE]\n\n", "reported", 23},
			"not reported": {text + "data: [DONE]\n\n", "estimated", -1},
			"left":         {text, "estimated", -1},
			"left early":   {": wait\n\n", "estimated", 0},
		} {
			for _, pieces := range []int{1, 7, len(c.stream)} {
				t.Run(name+"/"+strconv.Itoa(pieces), func(t *testing.T) {
					g := start(t, withLimits("", `"dimension":"tokens","limit":10000`))
					request := chat(aKey, `"stream":true`, `"max_tokens":500`)
					first := g.Do(request, func(envoytest.Request) envoytest.Response {
						r := envoytest.Response{Status: 200, Headers: envoytest.Headers{{"content-type", "text/event-stream"}}}
						for i := range pieces {
							r.Chunks = append(r.Chunks, []byte(c.stream[len(c.stream)*i/pieces:len(c.stream)*(i+1)/pieces]))
						}
						r.Disconnect = strings.HasPrefix(name, "left")
						return r
					})
					reserved := number(t, state(first, "reserve_tokens")) + 500
					used := c.used
					switch used {
					case 0:
						used = reserved
					case -1:
						used = number(t, state(first, "total_tokens"))
						if shown := used - (reserved - 500); shown < 1 || shown > 3 {
							t.Errorf("a word is taken for %d tokens", shown)
						}
					}
					if got := state(first, "usage_source"); got != c.source {
						t.Errorf("usage %s, want %s", got, c.source)
					}
					if got := remaining(t, g.Do(request, ok), "tokens"); got != 10000-used-reserved {
						t.Errorf("%d remain, want %d", got, 10000-used-reserved)
					}
				})
			}
		}
	})
}
