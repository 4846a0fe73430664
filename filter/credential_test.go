package main

import (
	"strings"
	"testing"

	"sluice/classify"
	"sluice/limits"
)

func TestBareCredential(t *testing.T) {
	for name, c := range map[string]struct {
		value, want string // "-": there are two
	}{
		"bearer":                       {"Bearer sk-1", "sk-1"},
		"another scheme":               {"Basic dTpw", "dTpw"},
		"in another case":              {"BEARER sk-1", "sk-1"},
		"no scheme":                    {"sk-1", "sk-1"},
		"empty":                        {"", ""},
		"two joined":                   {"Bearer a,Bearer b", "-"},
		"two joined with a space":      {"Bearer a, Bearer b", "-"},
		"the same twice":               {"Bearer a,Bearer a", "-"},
		"without schemes, joined":      {"a,b", "-"},
		"a signature":                  {"AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=fe5f", "AKIA"},
		"a signature, no spaces":       {"AWS4-HMAC-SHA256 Credential=AKIA/x,SignedHeaders=host,Signature=fe5f", "AKIA"},
		"a signature, another order":   {"AWS4-HMAC-SHA256 Signature=fe5f, Credential=AKIA/x", "AKIA"},
		"an asymmetric signature":      {"AWS4-ECDSA-P256-SHA256 Credential=AKIA/x, Signature=fe5f", "AKIA"},
		"a signature without its key":  {"AWS4-HMAC-SHA256 Signature=fe5f", ""},
		"a signature with two keys":    {"AWS4-HMAC-SHA256 Credential=a/x, Credential=b/x", "-"},
		"two signatures joined":        {"AWS4-HMAC-SHA256 Credential=a/x, Signature=1,AWS4-HMAC-SHA256 Credential=b/x, Signature=2", "-"},
		"a signature, a bearer joined": {"AWS4-HMAC-SHA256 Credential=a/x, Signature=1,Bearer b", "-"},
		"a bearer, a signature joined": {"Bearer b,AWS4-HMAC-SHA256 Credential=a/x, Signature=1", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := bareCredential(c.value)
			if !ok {
				got = "-"
			}
			if got != c.want {
				t.Errorf("bareCredential(%q) = %q, want %q", c.value, got, c.want)
			}
		})
	}
}

func TestCredential(t *testing.T) {
	headers := [][2]string{{"authorization", "Bearer a"}, {"x-api-key", "x"}, {"api-key", "z"}, {"x-goog-api-key", "g"}}
	for name, c := range map[string]struct {
		provider string
		headers  [][2]string
		query    string
		want     string // "-": ambiguous
	}{
		"OpenAI reads authorization only":     {"openai", headers, "key=q", "a"},
		"so does an unknown provider":         {classify.OpenAICompatible, headers, "key=q", "a"},
		"and Bedrock":                         {"bedrock", headers, "key=q", "a"},
		"Anthropic":                           {"anthropic", headers[1:], "key=q", "x"},
		"Anthropic, both":                     {"anthropic", headers, "", "-"},
		"Azure":                               {"azure_openai", headers[1:], "key=q", "z"},
		"Azure, both":                         {"azure_openai", headers, "", "-"},
		"Gemini, header":                      {"gemini", headers[1:], "", "g"},
		"Gemini, query":                       {"gemini", nil, "alt=sse&key=q", "q"},
		"Gemini, query, escaped":              {"gemini", nil, "k%65y=a%2db", "a-b"},
		"Gemini, query and header":            {"gemini", headers[3:], "key=q", "-"},
		"Gemini, query and header, the same":  {"gemini", headers[3:], "key=g", "g"},
		"Gemini, a name that only ends so":    {"gemini", nil, "monkey=q", ""},
		"Gemini, an empty query":              {"gemini", nil, "key=", ""},
		"Vertex":                              {"vertex_ai", headers[:1], "", "a"},
		"none":                                {"openai", headers[1:], "", ""},
		"an empty header is none":             {"anthropic", [][2]string{{"x-api-key", " "}, {"authorization", "Bearer a"}}, "", "a"},
		"a header twice":                      {"anthropic", [][2]string{{"x-api-key", "x"}, {"x-api-key", "x"}}, "", "-"},
		"a header twice, the first one empty": {"anthropic", [][2]string{{"x-api-key", ""}, {"x-api-key", "x"}}, "", "-"},
		"ambiguous stays ambiguous":           {"anthropic", [][2]string{{"x-api-key", "x"}, {"x-api-key", "y"}, {"authorization", "Bearer a"}}, "", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			h := head{pairs: c.headers, query: c.query, target: target{provider: c.provider}}
			f := h.credential()
			got := f.Value
			if f.Status == limits.Ambiguous {
				got = "-"
			}
			if got != c.want || (f.Status == limits.Absent) != (c.want == "") {
				t.Errorf("%+v, want %q", f, c.want)
			}
		})
	}
}

func FuzzCredential(f *testing.F) {
	f.Add("Bearer a", "x", "key=q&k%65y=")
	f.Add("AWS4-HMAC-SHA256 Credential=a/x, Signature=1,Bearer b", "", "&&=&key")
	f.Add(" ,", "\x00", "%")
	f.Fuzz(func(t *testing.T, authorization, apiKey, query string) {
		providers := classify.Providers()
		for _, provider := range providers {
			h := head{pairs: [][2]string{{"authorization", authorization}, {"x-api-key", apiKey}}, query: query, target: target{provider: provider}}
			got := h.credential()
			if got.Status == limits.Known && (got.Value == "" || strings.TrimSpace(got.Value) != got.Value) {
				t.Errorf("%s: %+v", provider, got)
			}
			if got.Status != limits.Known && got.Value != "" {
				t.Errorf("%s: %+v", provider, got)
			}

			// What another provider reads changes nothing.
			if provider != "anthropic" {
				h.pairs = h.pairs[:1]
				if without := h.credential(); without != got {
					t.Errorf("%s: x-api-key turns %+v into %+v", provider, without, got)
				}
			}

			// A second authorization is never taken for one.
			h.pairs = [][2]string{{"authorization", authorization}, {"authorization", "Bearer other"}}
			if twice := h.credential(); twice.Status != limits.Ambiguous {
				t.Errorf("%s: two are %+v", provider, twice)
			}
			h.pairs = [][2]string{{"authorization", authorization + ",Bearer other"}}
			if joined := h.credential(); joined.Status == limits.Known && joined.Value != "other" {
				t.Errorf("%s: two joined are %+v", provider, joined)
			}
		}
	})
}
