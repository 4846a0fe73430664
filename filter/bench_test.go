package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

// BenchmarkRequest is the life of a usual chat of 2 kB under two limits, the
// fake Envoy around it included; "passed by" is the fake Envoy's own share, for
// a request of which the filter reads nothing but the headers. What it costs in
// a real Envoy, make bench tells.
func BenchmarkRequest(b *testing.B) {
	const config = `{"limits":[
		{"name":"rpm","scope":["key"],"dimension":"requests","limit":1000000000,"window":"1m"},
		{"name":"tpm","scope":["key"],"dimension":"tokens","limit":1000000000000,"window":"1m"}]}`
	prompt := strings.Repeat("The quick brown fox jumps over the lazy dog, and then it writes a short poem about Envoy filters. ", 18)
	chat := []byte(`{"model":"gpt-4o","messages":[{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":"` +
		prompt + `"}],"max_tokens":256,"temperature":0.7}`)
	head := envoytest.Headers{{":method", "POST"}, {":path", "/v1/chat/completions"}, {":authority", "127.0.0.1"},
		{"content-type", "application/json"}, {"authorization", "Bearer " + aKey}, {"user-agent", "bench"},
		{"x-forwarded-for", "127.0.0.1"}, {"x-request-id", "c0ffee"}}
	answer := usage(400, 16)(envoytest.Request{})
	answer.Headers = append(answer.Headers, [2]string{":status", "200"}, [2]string{"date", "now"})

	for name, config := range map[string]string{"limited": config, "passed by": ""} {
		b.Run(name, func(b *testing.B) {
			envoy := envoytest.Native(b, func() types.VMContext { return &vm{now: time.Now} }, envoytest.Options{HoldHeaders: true})
			if err := envoy.Start([]byte(config)); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				s := envoy.NewStream(envoytest.StreamOptions{})
				if config == "" {
					s.RequestHeaders(head, true)
				} else {
					s.RequestHeaders(head, false)
					s.RequestBody(chat, true)
				}
				s.ResponseHeaders(answer.Headers, false)
				s.ResponseBody(answer.Body, true)
				s.Done()
			}
			b.StopTimer()
			envoy.Tick()
			if n := envoy.Counter("sluice_requests;decision=allowed;provider=openai_compatible;model=other"); n != uint64(b.N) {
				b.Errorf("%d of %d requests were admitted", n, b.N)
			}
		})
	}
}
