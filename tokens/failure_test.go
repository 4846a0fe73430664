package tokens

import (
	"fmt"
	"strings"
	"testing"
)

func TestFailure(t *testing.T) {
	const refusal = `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`
	content := "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
	long := `{"error":{"message":"` + strings.Repeat("x", 2*maxFailure) + `"}}`
	for name, c := range map[string]struct {
		contentType, body string
		want              string // name, status, whether content came before, body
	}{
		"first event":             {sse, "data: " + refusal + "\n\n", " 0 false " + refusal},
		"named":                   {sse, "event: error\ndata: " + refusal + "\n\n", "error 0 false " + refusal},
		"behind comments":         {sse, ": hi\n\n: hi\n\ndata: " + refusal + "\n\n", " 0 false " + refusal},
		"behind a ping":           {sse, "event: ping\ndata: {\"type\":\"ping\"}\n\nevent: error\ndata: " + refusal + "\n\n", "error 0 false " + refusal},
		"behind content":          {sse, content + "data: " + refusal + "\n\n", " 0 true " + refusal},
		"two":                     {sse, "data: " + refusal + "\n\ndata: {\"error\":\"another\"}\n\n", " 0 false " + refusal},
		"beside choices":          {sse, content + "data: {\"choices\":[],\"error\":{\"code\":502}}\n\n", ` 0 true {"choices":[],"error":{"code":502}}`},
		"no last blank line":      {sse, "data: " + refusal, " 0 false " + refusal},
		"a text":                  {sse, "event: error\ndata: upstream timed out\n\n", "error 0 false upstream timed out"},
		"broken JSON":             {sse, "event: error\ndata: {\"error\":\n\n", "error 0 false {\"error\":"},
		"Anthropic":               {sse, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n", `error 0 false {"type":"error","error":{"type":"overloaded_error"}}`},
		"Responses, flat":         {sse, "data: {\"type\":\"error\",\"code\":\"server_is_overloaded\",\"message\":\"m\"}\n\n", `error 0 false {"type":"error","code":"server_is_overloaded","message":"m"}`},
		"Responses, failed":       {sse, "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"rate_limit_exceeded\"},\"usage\":null}}\n\n", `response.failed 0 false {"error":{"code":"rate_limit_exceeded"}}`},
		"Responses, without why":  {sse, "data: {\"type\":\"response.failed\",\"response\":{}}\n\n", `response.failed 0 false {"type":"response.failed","response":{}}`},
		"DashScope":               {sse, "id:1\nevent:error\n:HTTP_STATUS/429\ndata:{\"code\":\"Throttling.RateQuota\",\"message\":\"m\"}\n\n", `error 429 false {"code":"Throttling.RateQuota","message":"m"}`},
		"DashScope, no status":    {sse, "event:error\n:HTTP_STATUS/4290\ndata:{\"code\":\"Throttling\"}\n\n", `error 0 false {"code":"Throttling"}`},
		"Groq":                    {sse, "data: {\"choices\":[],\"x_groq\":{\"error\":\"over capacity\"}}\n\n", ` 0 false {"error":"over capacity"}`},
		"MiniMax":                 {jsonType, `{"id":"1","choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`, ` 0 false {"id":"1","choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`},
		"MiniMax, streamed":       {sse, "data: {\"base_resp\":{\"status_code\":1008,\"status_msg\":\"balance\"}}\n\n", ` 0 false {"base_resp":{"status_code":1008,"status_msg":"balance"}}`},
		"JSON":                    {jsonType, refusal, " 0 false " + refusal},
		"JSON for events":         {sse, refusal, " 0 false " + refusal},
		"Gemini's array":          {jsonType, `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]`, ` 0 false {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`},
		"Gemini's array, later":   {jsonType, `[{"candidates":[]},{"error":{"code":503}}]`, ` 0 true {"error":{"code":503}}`},
		"lines":                   {"application/x-ndjson", "{\"done\":false}\n{\"error\":\"out of memory\"}\n", ` 0 true {"error":"out of memory"}`},
		"Bedrock":                 {aws, string(encodeMessage(map[string]string{":message-type": "exception", ":exception-type": "throttlingException"}, []byte(`{"message":"m"}`))), `throttlingException 0 false {"message":"m"}`},
		"Bedrock, later":          {aws, converse("messageStart", `{"role":"assistant"}`) + string(encodeMessage(map[string]string{":message-type": "exception", ":exception-type": "modelStreamErrorException"}, nil)), `modelStreamErrorException 0 true {"message":""}`},
		"Bedrock, an error":       {aws, string(encodeMessage(map[string]string{":message-type": "error", ":error-code": "internal", ":error-message": `a "b"`}, nil)), `internal 0 false {"message":"a \"b\""}`},
		"InvokeModel":             {aws, chunk(`{"type":"error","error":{"type":"overloaded_error"}}`), `error 0 false {"type":"error","error":{"type":"overloaded_error"}}`},
		"too long":                {sse, "data: " + long + "\n\n", " 0 false " + (`{"error":` + long[len(`{"error":`):])[:maxFailure]},
		"none":                    {sse, content + "data: {\"error\":null}\n\ndata: [DONE]\n\n", ""},
		"none in Responses":       {jsonType, `{"object":"response","error":null,"status":"completed"}`, ""},
		"none in MiniMax's":       {jsonType, `{"choices":[],"base_resp":{"status_code":0,"status_msg":""}}`, ""},
		"a text of one":           {sse, "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"error\\\":{}}\"}}]}\n\n", ""},
		"a tool's result":         {sse, "data: {\"choices\":[{\"delta\":{\"error\":\"x\"}}]}\n\n", ""},
		"another event's failure": {sse, "event: tool\ndata: failed\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(encoding string, pieces ...[]byte) string {
				a := NewAnswer("", c.contentType, encoding)
				for _, piece := range pieces {
					a.Write(piece)
				}
				a.End()
				_, _ = a.Usage()
				if f := a.Failure(); f != nil {
					return fmt.Sprintf("%s %d %v %s", f.Name, f.Status, f.AfterContent, f.Body)
				}
				return ""
			}
			body := []byte(c.body)
			if got := read("", body); got != c.want {
				t.Fatalf("got  %s\nwant %s", got, c.want)
			}
			for at := 0; at < len(body); at += 1 + len(body)/500 {
				if got := read("", body[:at], body[at:]); got != c.want {
					t.Fatalf("split at %d: %s", at, got)
				}
			}
			for coding, packed := range compressed(t, body) {
				if got := read(coding, packed); got != c.want {
					t.Errorf("%s: %s", coding, got)
				}
			}
		})
	}
}

// Headers wait for the first event, and no longer than it takes to see that it
// is no failure.
func TestStarted(t *testing.T) {
	for name, c := range map[string]struct {
		contentType string
		waits       []string // pieces after each of which the headers wait
		starts      string   // one after which they do not
	}{
		"an event":                  {sse, []string{"da", "ta: {\"cho"}, "ices\":[]"},
		"an event at once":          {sse, nil, "data: {\"choices\":[]}\n\n"},
		"a named event":             {sse, []string{"event", ": message_sta"}, "rt\n"},
		"a failure in parts":        {sse, []string{"event: err", "or\nda", "ta: {\"type\":\"error\",\"err", "or\":{}}\n"}, "\n"},
		"a failure without name":    {sse, []string{"data: {\"error\":", "{\"message\":\"m\"}}", "\n"}, "\n"},
		"a type that is none":       {sse, []string{"data: {\"ty", "pe\":\"respon"}, "se.created\",\"resp"},
		"a type that is one":        {sse, []string{"data: {\"type\":\"response.failed\",\"response\":{\"error\":"}, "null}}\n\n"},
		"a comment":                 {sse, []string{": keep"}, "-alive\n"},
		"blank lines":               {sse, nil, "\n"},
		"done":                      {sse, []string{"data: "}, "[DONE]\n\n"},
		"JSON":                      {jsonType, []string{"{", "\"id"}, "\":1,"},
		"a failure in JSON":         {jsonType, []string{"{\"error\":", "{}"}, "}"},
		"a failure and a line end":  {jsonType, []string{"{\"error\":{}"}, "}\r\n"},
		"white space before JSON":   {jsonType, nil, "\r\n"},
		"an array":                  {jsonType, []string{"[", "{\n  \"candi"}, "dates\": ["},
		"a failure in an array":     {jsonType, []string{"[{\n  \"error\": {", "\"code\": 429}\n"}, "}"},
		"a message":                 {aws, []string{converse("messageStart", "{}")[:40]}, converse("messageStart", "{}")[40:]},
		"another type":              {"image/png", nil, ""},
		"no end of a first event":   {sse, []string{"data: {\"error\":\""}, strings.Repeat("x", maxFailure)},
		"no end of a first comment": {sse, []string{": "}, strings.Repeat("x", maxField)},
	} {
		t.Run(name, func(t *testing.T) {
			a := NewAnswer("", c.contentType, "")
			for i, piece := range c.waits {
				a.Write([]byte(piece))
				if a.Started() {
					t.Fatalf("started after piece %d", i)
				}
			}
			a.Write([]byte(c.starts))
			if !a.Started() {
				t.Error("has not started")
			}
		})
	}
	a := NewAnswer("", sse, "")
	a.End()
	if !a.Started() {
		t.Error("an empty body has not started")
	}
}

// What a failure's end tells is known as soon as the body ends.
func TestFailureAtTheEnd(t *testing.T) {
	for contentType, body := range map[string]string{sse: "data: {\"error\":\"x\"}", jsonType: "{\"error\":\"x\"}\n\n"} {
		a := NewAnswer("", contentType, "")
		a.Write([]byte(body))
		a.End()
		if a.Failure() == nil {
			t.Errorf("%s: no failure", contentType)
		}
	}
}

// A compressed failure is known from its first piece too.
func TestFailureIsKnownBeforeACompressedBodyEnds(t *testing.T) {
	for coding, packed := range compressed(t, []byte("event: error\ndata: {\"error\":{\"code\":\"slow\"}}\n\n"+strings.Repeat(": hi\n\n", 100))) {
		a := NewAnswer("", sse, coding)
		a.Write(packed[:2])
		if a.Started() {
			t.Errorf("%s: started", coding)
		}
		a.Write(packed[2:])
		if f := a.Failure(); f == nil || string(f.Body) != `{"error":{"code":"slow"}}` || !a.Started() {
			t.Errorf("%s: %+v", coding, f)
		}
	}
}
