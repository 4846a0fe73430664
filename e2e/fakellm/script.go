package fakellm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Script says how one request is answered. The zero Script answers as a healthy
// provider does.
//
// FromHeaders reads the same from a request's headers, which are named after
// the fields: x-fake-status, x-fake-header-NAME, x-fake-headers (a JSON object),
// x-fake-body, x-fake-prompt-tokens, x-fake-completion-tokens, x-fake-no-usage,
// x-fake-delay, x-fake-chunks, x-fake-chunk-delay, x-fake-gzip and
// x-fake-cut-after.
type Script struct {
	Status  int         // 0: 200
	Header  http.Header // added to the answer's own; a name given here wins
	Trailer http.Header // sent behind the body

	// Body is sent as it stands instead of a chat completion. Parts is the
	// same in pieces, each flushed by itself, so that events can be split
	// anywhere.
	Body  string
	Parts []string

	PromptTokens     int  // 0: counted, see PromptTokens
	CompletionTokens int  // 0: DefaultCompletionTokens, or what the request allows
	NoUsage          bool // The answer reports no usage.

	Chunks     int             // pieces of content: 0 is one a token when streaming, and one otherwise
	Delay      time.Duration   // before the status line
	ChunkDelay time.Duration   // before every piece but the first
	Gate       <-chan struct{} // one receive before every piece but the first, nil: none
	CutAfter   int             // The connection is cut after so many pieces. 0: never
	Gzip       bool            // The body is sent with content-encoding gzip.
}

// FromHeaders reads a script from a request's x-fake-* headers.
func FromHeaders(h http.Header) (Script, error) {
	var s Script
	for name, values := range h {
		option, ok := strings.CutPrefix(strings.ToLower(name), "x-fake-")
		if !ok {
			continue
		}
		if err := s.set(option, values[0]); err != nil {
			return Script{}, fmt.Errorf("%s: %w", strings.ToLower(name), err)
		}
	}
	return s, nil
}

// set reads one option.
func (s *Script) set(option, value string) (err error) {
	switch option {
	case "status":
		s.Status, err = strconv.Atoi(value)
	case "headers":
		headers := map[string]string{}
		err = json.Unmarshal([]byte(value), &headers)
		for name, v := range headers {
			s.setHeader(name, v)
		}
	case "body":
		s.Body = value
	case "prompt-tokens":
		s.PromptTokens, err = strconv.Atoi(value)
	case "completion-tokens":
		s.CompletionTokens, err = strconv.Atoi(value)
	case "no-usage":
		s.NoUsage, err = strconv.ParseBool(value)
	case "delay":
		s.Delay, err = time.ParseDuration(value)
	case "chunks":
		s.Chunks, err = strconv.Atoi(value)
	case "chunk-delay":
		s.ChunkDelay, err = time.ParseDuration(value)
	case "gzip":
		s.Gzip, err = strconv.ParseBool(value)
	case "cut-after":
		s.CutAfter, err = strconv.Atoi(value)
	default:
		name, ok := strings.CutPrefix(option, "header-")
		if !ok {
			return fmt.Errorf("no such option")
		}
		s.setHeader(name, value)
	}
	return err
}

func (s *Script) setHeader(name, value string) {
	if s.Header == nil {
		s.Header = http.Header{}
	}
	s.Header.Set(name, value)
}
