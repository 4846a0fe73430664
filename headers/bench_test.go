package headers

import (
	"testing"
	"time"
)

// typical is a response of OpenAI's, with what its edge adds.
var typical = pairs(`
	:status: 200
	date: Mon, 30 Nov 2026 12:00:00 GMT
	content-type: application/json
	transfer-encoding: chunked
	x-ratelimit-limit-requests: 10000
	x-ratelimit-limit-tokens: 2000000
	x-ratelimit-remaining-requests: 9999
	x-ratelimit-remaining-tokens: 1999213
	x-ratelimit-reset-requests: 6ms
	x-ratelimit-reset-tokens: 23ms
	openai-organization: someone
	openai-processing-ms: 512
	openai-version: 2020-10-01
	x-request-id: req_0123456789abcdef0123456789abcdef
	x-content-type-options: nosniff
	server: cloudflare
	cf-cache-status: DYNAMIC
	cf-ray: 0123456789abcdef-XXX
	strict-transport-security: max-age=31536000; includeSubDomains; preload
	alt-svc: h3=":443"; ma=86400`)

func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if u := Read(typical, "openai", noon); len(u.Quotas) != 2 {
			b.Fatal(u)
		}
	}
}

func BenchmarkPassing(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for i := range typical {
			name := typical[i][0]
			if Normalized(name) || Account(name) || Native(name) {
				n++
			}
		}
		if n != 12 {
			b.Fatal(n)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	u := Read(typical, "openai", noon)
	own := []Quota{{Dimension: requests, Limit: whole(500), Remaining: whole(412), Reset: 41 * time.Second, Window: time.Minute}}
	for name, f := range map[string]Format{"seconds": {}, "ietf": {Reset: AsDuration, IETF: true}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var shown [len(dimensions)]Quota
				n := 0
				f.Render(Choose(shown[:0], own, u.Quotas, Merge), noon, func(string, string) { n++ })
				if n < 9 {
					b.Fatal(n)
				}
			}
		})
	}
}

// Reading allocates the quotas, and nothing else.
func TestReadAllocatesTheQuotasOnly(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Read(typical, "openai", noon) }); n != 1 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { Read(typical[:4], "openai", noon) }); n != 0 {
		t.Errorf("%v allocations where no limit is told", n)
	}
}
