package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	const none = `"input_tokens":null,"output_tokens":null,"total_tokens":null,"cached_input_tokens":null,"cache_write_tokens":null,"reasoning_tokens":null,"source":"none"}`
	reported := `"input_tokens":5,"output_tokens":7,"total_tokens":12,"cached_input_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"source":"reported"}`
	chat := `{"model":"m","usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(chat))
	_ = w.Close()
	coded := quote(base64.StdEncoding.EncodeToString(zipped.Bytes()))
	message := `{"eventstream_headers":{":message-type":"event",":event-type":"metadata"},"payload":{"usage":{"inputTokens":5,"outputTokens":7,"totalTokens":12}}}`

	for name, c := range map[string]struct{ in, out string }{
		"JSON":               {`{"id":"a","provider":"openai","headers":{"Content-Type":"application/json"},"body":` + chat + `}`, `{"id":"a",` + reported},
		"no headers":         {`{"id":"a","body":` + chat + `}`, `{"id":"a",` + reported},
		"JSON in a string":   {`{"id":3,"body":` + quote(chat) + `}`, `{"id":3,` + reported},
		"events":             {`{"id":null,"headers":{"content-type":"text/event-stream"},"body":` + quote("data: "+chat+"\n\ndata: [DONE]\n\n") + `}`, `{"id":null,` + reported},
		"an array":           {`{"body":[{"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5}},{"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7,"totalTokenCount":12}}]}`, `{"id":null,` + reported},
		"xAI":                {`{"provider":"xai","body":{"usage":{"prompt_tokens":5,"completion_tokens":3,"completion_tokens_details":{"reasoning_tokens":4}}}}`, `{"id":null,` + strings.Replace(reported, `"reasoning_tokens":0`, `"reasoning_tokens":4`, 1)},
		"headers of Bedrock": {`{"headers":{"X-Amzn-Bedrock-Input-Token-Count":"5","x-amzn-bedrock-output-token-count":7},"body":{"content":[]}}`, `{"id":null,` + reported},
		"gzip":               {`{"headers":{"content-encoding":"gzip"},"body":` + coded + `}`, `{"id":null,` + reported},
		"decoded already":    {`{"headers":{"content-encoding":"br"},"body":` + chat + `}`, `{"id":null,` + reported},
		"a message":          {`{"headers":{"content-type":"application/vnd.amazon.eventstream"},"body":` + message + `}`, `{"id":null,` + reported},
		"messages":           {`{"headers":{"content-type":"application/vnd.amazon.eventstream"},"body":[` + message + `,` + message + `]}`, `{"id":null,` + reported},
		"a message, coded":   {`{"headers":{"content-type":"application/vnd.amazon.eventstream"},"body":` + quote(base64.StdEncoding.EncodeToString(describedMessages([]byte(message)))) + `}`, `{"id":null,` + reported},
		"no usage":           {`{"id":"x","body":{"choices":[]}}`, `{"id":"x",` + none},
		"no body":            {`{"id":"x"}`, `{"id":"x",` + none},
		"negative":           {`{"id":"x","body":{"usage":{"prompt_tokens":-5,"completion_tokens":7}}}`, `{"id":"x",` + none},
		"an unknown content": {`{"id":"x","headers":{"content-type":"text/html"},"body":"<html>"}`, `{"id":"x",` + none},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, err := runLines(usageCommand(), c.in+"\n")
			if err != nil || errs != "" {
				t.Fatalf("%v: %s", err, errs)
			}
			if out != c.out+"\n" {
				t.Errorf("got  %swant %s", out, c.out)
			}
		})
	}
}

func TestUsageNamesBadLines(t *testing.T) {
	out, errs, err := runLines(usageCommand(), "{\"id\":1}\n{oops\n{\"id\":2}\n")
	if err != errFound || strings.Count(out, "\n") != 2 || !strings.Contains(errs, "line 2: is not valid JSON") {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}
