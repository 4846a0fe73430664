package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"sluice/tokens"
)

func usageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "usage [FILE...]",
		Short: "Read the tokens that recorded responses report",
		Long: `Read the tokens that recorded responses report. Each line of the FILEs, or of the
standard input, is a response in JSON:

  {"id": …, "provider": "openai", "headers": {"content-type": "application/json"}, "body": …}

The body is a string, as it was on the wire (JSON, server-sent events, a JSON
array), or JSON. Bytes that are no text, compressed ones or AWS's messages, are
given in base64; AWS's messages also as {"eventstream_headers": {…}, "payload": …},
or a list of these.

Prints one line for each, in order: all input tokens, those from and to the cache
included; all output tokens, reasoning included; "source" is "reported", or "none"
where the response has no credible report, and the numbers are null.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			return eachLine(cmd, files, func(r recorded) (any, error) { return readUsage(r), nil })
		},
	}
}

// usageLine is what is printed of a response.
type usageLine struct {
	ID         json.RawMessage `json:"id"`
	Input      *int64          `json:"input_tokens"`
	Output     *int64          `json:"output_tokens"`
	Total      *int64          `json:"total_tokens"`
	Cached     *int64          `json:"cached_input_tokens"`
	CacheWrite *int64          `json:"cache_write_tokens"`
	Reasoning  *int64          `json:"reasoning_tokens"`
	Source     string          `json:"source"`
}

func readUsage(r recorded) usageLine {
	body, encoding := onTheWire(r)
	answer := tokens.NewAnswer(strings.ToLower(r.Provider), r.Headers["content-type"], encoding)
	for name, value := range r.Headers {
		answer.Header(name, value)
	}
	answer.Write(body)
	answer.End()
	line := usageLine{ID: r.ID, Source: "none"}
	if u, reason := answer.Usage(); reason == "" {
		line.Source = "reported"
		line.Input, line.Output, line.Total = &u.Input, &u.Output, &u.Total
		line.Cached, line.CacheWrite, line.Reasoning = &u.CachedInput, &u.CacheWrite, &u.Reasoning
	}
	return line
}
