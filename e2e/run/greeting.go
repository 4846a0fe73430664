package main

import "strings"

// greeting is what to try. The lines go by the limit key-tokens of envoy.yaml:
// the first leaves less of it than the second asks for, and the third waits
// until the window is over, for curl heeds retry-after.
func greeting(gateway, admin string) string {
	return strings.NewReplacer("GATEWAY", gateway, "ADMIN", admin).Replace(`
Envoy serves on GATEWAY. Try, one after the other:

# A chat: 200, and the x-ratelimit-* headers tell what is left.
curl -i GATEWAY/v1/chat/completions -H 'authorization: Bearer demo' -H 'content-type: application/json' -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}'

# The same, allowing a longer answer than the limit has left: 429, with the reason and retry-after.
curl -i GATEWAY/v1/chat/completions -H 'authorization: Bearer demo' -H 'content-type: application/json' -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1985}'

# That again, after retry-after seconds, which curl waits for by itself: 200.
curl -i --retry 1 GATEWAY/v1/chat/completions -H 'authorization: Bearer demo' -H 'content-type: application/json' -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1985}'

Metrics: curl 'ADMIN/stats/prometheus?filter=sluice'
The access log follows. Ctrl-C ends everything.

`)
}
