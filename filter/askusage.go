package main

import (
	"strconv"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/classify"
	"sluice/tokens"
)

// asking is a stream's question for the usage of a stream, where the client did
// not ask itself: the answer to it is kept from the client.
type asking struct {
	hider  tokens.UsageHider
	asked  bool
	hiding bool // the answer is a stream from which it can be taken out
}

// takesStreamOptions says whether a provider is known to accept
// stream_options.include_usage, which others refuse as an unknown field.
func takesStreamOptions(provider string) bool {
	switch provider {
	case "openai", "azure_openai", "xai", "dashscope", "deepseek", "moonshot", "groq", "together",
		"fireworks", "cerebras", "openrouter":
		return true
	}
	return false
}

// askForUsage asks for the usage of a stream whose request Envoy holds, by an
// edit of its body.
func (s *stream) askForUsage(body []byte) {
	r := &s.request
	if !s.p.config.AskForUsage || !r.Stream || r.HasIncludeUsage || !takesStreamOptions(s.head.provider) ||
		s.head.dialect != classify.OpenAI || !strings.HasSuffix(s.head.path, "/completions") {
		return
	}
	for i := range s.head.pairs {
		switch s.head.pairs[i][0] {
		case "content-md5", "content-digest", "digest", "x-amz-content-sha256":
			return // they would be another body's
		}
	}
	edited, ok := tokens.IncludeUsage(body)
	if !ok {
		return
	}
	if err := proxywasm.ReplaceHttpRequestBody(edited); err != nil {
		s.p.check(err)
		return
	}
	s.asking.asked = true
	if s.head.contentLength >= 0 { // P12
		s.p.check(proxywasm.ReplaceHttpRequestHeader("content-length", strconv.Itoa(len(edited))))
	}
	// Of a compressed answer nothing could be taken out.
	for i := range s.head.pairs {
		if s.head.pairs[i][0] == "accept-encoding" {
			s.p.check(proxywasm.RemoveHttpRequestHeader("accept-encoding"))
			break
		}
	}
}

// mayHide finds out from the response's headers whether the usage has to be
// taken out of the answer. Then its length is not what it says (P12).
func (s *stream) mayHide() {
	r := &s.reply
	if !s.asking.asked || r.failed() || !strings.HasPrefix(r.header("content-type"), "text/event-stream") ||
		r.encoding != "" && r.encoding != "identity" {
		return
	}
	s.asking.hiding = true
	if r.header("content-length") != "" {
		s.p.check(proxywasm.RemoveHttpResponseHeader("content-length"))
	}
}

// hideUsage takes the answer to the filter's own question out of a piece of the
// stream. What is not there yet of an event is held until it is.
func (s *stream) hideUsage(piece []byte, end bool) {
	if !s.asking.hiding {
		return
	}
	passing := s.asking.hider.Write(piece, end)
	if len(passing) != len(piece) || len(piece) > 0 && &passing[0] != &piece[0] {
		s.p.check(proxywasm.ReplaceHttpResponseBody(passing))
	}
}
