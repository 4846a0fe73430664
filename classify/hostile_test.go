package classify

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// hostile are bodies that cost a careless reader time or its stack.
func hostile() map[string][]byte {
	const n = 1 << 20
	return map[string][]byte{
		"arrays in arrays":      bytes.Repeat([]byte("["), n),
		"objects in objects":    bytes.Repeat([]byte(`{"error":`), n/9),
		"errors in lists":       []byte(strings.Repeat(`{"error":[`, n/10)),
		"one long message":      []byte(`{"error":{"message":"` + strings.Repeat("limit limit: ", n/13) + `","code":"x"}}`),
		"no end of a string":    []byte(`{"error":{"message":"` + strings.Repeat("try again in ", n/13)),
		"many members":          []byte(`{` + strings.Repeat(`"code":"c",`, n/11) + `"x":1}`),
		"many violations":       []byte(`{"error":{"details":[{"violations":[` + strings.Repeat(`{"quotaId":"PerDay"},`, n/21)),
		"many events":           bytes.Repeat([]byte("data: {\"error\":null}\n\n"), n/22),
		"one event of lines":    append([]byte("data:"), bytes.Repeat([]byte("\ndata:{"), n/7)...),
		"dicts of Python":       []byte(`{"error":{"message":"xException ` + strings.Repeat(`{'a': `, n/6)),
		"a page":                []byte("<html>" + strings.Repeat("<title>", n/7)),
		"exceptions":            []byte(strings.Repeat("exception", n/9)),
		"digits":                []byte(`{"error":{"message":"limit ` + strings.Repeat("9", n) + `"}}`),
		"a text of waits":       []byte(strings.Repeat("retry in 1.", n/11)),
		"broken UTF-8":          bytes.Repeat([]byte{0xff, 0xc0}, n/2),
		"a million in brackets": []byte(`{"error":{"message":` + strings.Repeat("[", n)),
	}
}

func TestHostileBodiesCostLittle(t *testing.T) {
	for name, body := range hostile() {
		for _, status := range []int{200, 429, 500} {
			best := time.Hour
			var got Refusal
			for range 20 { // the best of them is what it costs, whoever else is busy
				start := time.Now()
				got = Classify(&Response{Status: status, Body: body})
				best = min(best, time.Since(start))
			}
			if best > 5*time.Millisecond {
				t.Errorf("%s, %d: %v", name, status, best)
			}
			if len(got.Message) > 512 || len(got.Code) > 512 || len(got.RequestID) > 512 || !utf8.ValidString(got.Message+got.Code+got.Limit) {
				t.Errorf("%s, %d: %d bytes of message", name, status, len(got.Message))
			}
		}
	}
}

func TestHostileBodiesTakeLittleMemory(t *testing.T) {
	for name, body := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Classify(&Response{Status: 429, Body: body})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes", name, took)
		}
	}
}

func BenchmarkNoRefusal(b *testing.B) {
	body := []byte(`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"` + strings.Repeat("words ", 100) + `"},"finish_reason":null}],"usage":null}`)
	r := &Response{Provider: "openai", Status: 200, Body: body}
	b.ReportAllocs()
	for b.Loop() {
		Classify(r)
	}
}

func BenchmarkRefusal(b *testing.B) {
	r := &Response{Provider: "openai", Status: 429, Now: fixtureNow,
		Body: []byte(`{"error":{"message":"Rate limit reached for gpt-x in organization org-abcdefghij on tokens per min (TPM): Limit 40000, Used 39000, Requested 2000. Please try again in 1.5s. Visit the limits page.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`)}
	b.ReportAllocs()
	for b.Loop() {
		Classify(r)
	}
}

func FuzzClassify(f *testing.F) {
	for _, body := range []string{
		"", "{", `"text"`, "[{}]", `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"8s"}]}}]`,
		`{"error":{"message":"litellm.RateLimitError: AzureException - {'error': {'code': '429', 'message': \"it's\"}}"}}`,
		`{"base_resp":{"status_code":1002}}`, `{"code":"Throttling","message":"limit: 3, used 2, requested ~5"}`,
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
		`{"error":{"message":"resets at 2026-05-15T15:00:00Z (2056)","class":"quota","source":"upstream"}}`,
		"<html><title>503</title>", `{"message":"replenished in 2.03:00:00. 1,000 tokens per day"}`,
	} {
		f.Add("openrouter", 429, "retry-after", "7", []byte(body))
		f.Add("", 200, "grpc-status", "8", []byte(body))
	}
	f.Fuzz(func(t *testing.T, provider string, status int, name, value string, body []byte) {
		r := &Response{Provider: provider, Status: status, Headers: [][2]string{{name, value}}, Body: body, Now: fixtureNow}
		got := Classify(r)
		if int(got.Class) >= len(classes) {
			t.Errorf("class %d", got.Class)
		}
		if !got.Stated && got.Wait != 0 || got.Wait < 0 || got.Wait > maxWait {
			t.Errorf("wait %v %t", got.Wait, got.Stated)
		}
		if len(got.Message) > 512 || len(got.Code) > 512 || len(got.RequestID) > 512 ||
			!utf8.ValidString(got.Message+got.Code+got.RequestID+got.Dimension+got.Limit+got.Remaining+got.Requested) {
			t.Errorf("%+v", got)
		}
		if _, known := Canonical(got.Provider); !known {
			t.Errorf("provider %q", got.Provider)
		}
		if got.Class != NotRateLimit && got.Retryable != retryable(got.Class) {
			t.Errorf("%s is retryable: %t", got.Class, got.Retryable)
		}
		ErrorEvent(body)
		read(r, OpenAICompatible).detected()
	})
}
