package main

import "strings"

// greeting is what to try. All but the first line goes by the limit key-tokens of
// the shipped envoy.yaml: the first leaves less of it than the second asks for,
// and the third waits until the window is over, for curl heeds retry-after.
func greeting(gateway, admin string, limited bool) string {
	text := chat
	if limited {
		text += refused
	}
	return strings.NewReplacer("GATEWAY", gateway, "ADMIN", admin).Replace(text + ending)
}

const (
	chat = `
Envoy serves on GATEWAY. Try:

# A chat: 200, and the x-ratelimit-* headers tell what is left.
curl -i GATEWAY/v1/chat/completions -H 'authorization: Bearer demo' -H 'content-type: application/json' -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}'
`
	refused = `
# The same, allowing a longer answer than the limit has left: 429, with the reason and retry-after.
curl -i GATEWAY/v1/chat/completions -H 'authorization: Bearer demo' -H 'content-type: application/json' -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1985}'

# That again, after retry-after seconds, which curl waits for by itself: 200.
curl -i --retry 1 GATEWAY/v1/chat/completions -H 'authorization: Bearer demo' -H 'content-type: application/json' -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1985}'
`
	ending = `
Metrics: curl 'ADMIN/stats/prometheus?filter=sluice'
The access log follows. Ctrl-C ends everything.

`
)
