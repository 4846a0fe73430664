package main

import (
	"strings"
	"testing"
)

func TestEstimate(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		in, out string
	}{
		"chat": {in: `{"id":"a","body":"{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}],\"max_tokens\":9,\"n\":2}"}`,
			out: `{"id":"a","tokens":8,"max_output_tokens":18,"model":"gpt-4o","operation":"chat","tokenizer":"o200k"}`},
		"an object": {in: `{"id":7,"body":{"prompt":[1,2,3]}}`,
			out: `{"id":7,"tokens":3,"max_output_tokens":null,"model":null,"operation":"completions","tokenizer":"o200k"}`},
		"the path's model": {in: `{"body":{"messages":[{"content":[]}]},"path":"/model/anthropic.claude-3-haiku/converse"}`,
			out: `{"id":null,"tokens":7,"max_output_tokens":null,"model":"anthropic.claude-3-haiku","operation":"chat","tokenizer":"claude"}`},
		"the provider": {in: `{"body":{"contents":[]},"provider":"gemini"}`,
			out: `{"id":null,"tokens":0,"max_output_tokens":null,"model":null,"operation":"chat","tokenizer":"gemini"}`},
		"a tokenizer": {args: []string{"--tokenizer", "llama"}, in: `{"body":{"model":"gpt-4o"}}`,
			out: `{"id":null,"tokens":0,"max_output_tokens":null,"model":"gpt-4o","operation":"other","tokenizer":"llama"}`},
		"nothing": {in: `{"id":"x"}`,
			out: `{"id":"x","tokens":0,"max_output_tokens":null,"model":null,"operation":"other","tokenizer":"o200k"}`},
		"no JSON": {in: `{"id":"x","body":"\u0000\u0000"}`,
			out: `{"id":"x","tokens":1,"max_output_tokens":null,"model":null,"operation":"other","tokenizer":"o200k"}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, err := runLines(estimateCommand(), c.in+"\n", c.args...)
			if err != nil || errs != "" {
				t.Fatalf("%v: %s", err, errs)
			}
			if out != c.out+"\n" {
				t.Errorf("got  %swant %s", out, c.out)
			}
		})
	}
	if _, _, err := runLines(estimateCommand(), "", "--tokenizer", "none"); err == nil || !strings.Contains(err.Error(), "o200k") {
		t.Errorf("an unknown tokenizer: %v", err)
	}
}
