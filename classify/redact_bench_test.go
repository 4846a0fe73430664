package classify

import "testing"

func BenchmarkRedact(b *testing.B) {
	const said = "Limit reached for gpt-4o-mini in organization org-Ab12 on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. " +
		"Visit https://platform.openai.com/account/rate-limits to learn more."
	b.ReportAllocs()
	for b.Loop() {
		Redact(said)
	}
}
