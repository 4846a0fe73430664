package headers

import (
	"testing"
	"time"
)

func TestSubjects(t *testing.T) {
	const day = 24 * time.Hour
	for subject, want := range map[string]struct {
		dimension string
		window    time.Duration
	}{
		"requests": {requests, 0}, "request": {requests, 0}, "req": {requests, 0}, "reqs": {requests, 0}, "call": {requests, 0}, "calls": {requests, 0},
		"tokens": {tokens, 0}, "token": {tokens, 0}, "total-tokens": {tokens, 0}, "total_tokens": {tokens, 0},
		"input-tokens": {inputTokens, 0}, "input_tokens": {inputTokens, 0}, "prompt-tokens": {inputTokens, 0}, "tokens-prompt": {inputTokens, 0},
		"output-tokens": {outputTokens, 0}, "completion_tokens": {outputTokens, 0}, "tokens-generated": {outputTokens, 0},
		"cost": {cost, 0}, "concurrency": {concurrency, 0}, "concurrent-requests": {concurrency, 0},
		"rps": {requests, time.Second}, "rpm": {requests, time.Minute}, "rpd": {requests, day}, "tpm": {tokens, time.Minute}, "tpd": {tokens, day},
		"itpm": {inputTokens, time.Minute}, "otpm": {outputTokens, time.Minute},
		"req-second": {requests, time.Second}, "tokens-minute": {tokens, time.Minute}, "requests-hour": {requests, time.Hour}, "requests-day": {requests, day},
		"tokens-week": {tokens, 7 * day}, "tokens-month": {tokens, 30 * day}, "input-tokens-year": {inputTokens, 365 * day},
		"req-10-second": {requests, 10 * time.Second}, "requests-per-minute": {requests, time.Minute}, "tokens-5h": {tokens, 5 * time.Hour},
		"minute": {"", time.Minute}, "10-second": {"", 10 * time.Second}, "7d": {"", 7 * day}, "per-day": {"", day}, "": {"", 0},
		// of other dimensions
		"input-images": {"input-images", 0}, "audio-seconds": {"audio-seconds", 0}, "audio-seconds-day": {"audio-seconds", day},
		"project-tokens": {"project-tokens", 0}, "tokens_usage_based": {"tokens_usage_based", 0}, "gpt-4": {"gpt-4", 0}, "over": {"over", 0},
		// no windows
		"tokens-99999999999999999999-day": {"tokens-99999999999999999999", day}, "tokens-99999-year": {"tokens-99999", 365 * day}, "requests-": {"requests-", 0},
	} {
		if dimension, window := counted(subject); dimension != want.dimension || window != want.window {
			t.Errorf("%q: %q of %v, want %q of %v", subject, dimension, window, want.dimension, want.window)
		}
	}
}

func TestFields(t *testing.T) {
	for name, want := range map[string]struct {
		field   field
		subject string
	}{
		"limit": {limitField, ""}, "limit-tokens": {limitField, "tokens"}, "remaining-req-10-second": {remainingField, "req-10-second"},
		"tokens-limit": {limitField, "tokens"}, "input-tokens-reset": {resetField, "input-tokens"}, "unified-5h-status": {statusField, "unified-5h"},
		"renewalperiod-tokens": {windowField, "tokens"}, "over-limit": {limitField, "over"}, "limit-limit": {limitField, "limit"},
		"tokens-query-cost": {noField, "tokens-query"}, "key": {noField, ""}, "": {noField, ""}, "-": {noField, ""},
	} {
		if f, subject := cutField(name); f != want.field || f != noField && subject != want.subject {
			t.Errorf("%q: %d, %q", name, f, subject)
		}
	}
}
