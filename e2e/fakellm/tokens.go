package fakellm

import "encoding/json"

// DefaultCompletionTokens is the length of an answer that nobody limits.
const DefaultCompletionTokens = 16

// BytesPerToken is the rule by which the provider counts: a token for every
// four bytes of the messages' text, the last one begun counted whole.
const BytesPerToken = 4

// PromptTokens counts a prompt's text, at least 1.
func PromptTokens(text string) int {
	return max(1, (len(text)+BytesPerToken-1)/BytesPerToken)
}

// content is a message's text: a string, or the text parts of a list.
type content string

// UnmarshalJSON takes the text and leaves images, audio and files aside.
func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text)
	}
	return nil
}

// count is the usage of a request, and why its answer ended.
func count(req chatRequest, s Script) (usage, string) {
	var text string
	for _, m := range req.Messages {
		text += string(m.Content)
	}
	u := usage{PromptTokens: PromptTokens(text), CompletionTokens: DefaultCompletionTokens}
	if s.PromptTokens > 0 {
		u.PromptTokens = s.PromptTokens
	}
	finish := "stop"
	if s.CompletionTokens > 0 {
		u.CompletionTokens = s.CompletionTokens
	} else if limit := max(req.MaxTokens, req.MaxCompletionTokens); limit > 0 && limit < u.CompletionTokens {
		u.CompletionTokens, finish = limit, "length"
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u, finish
}
