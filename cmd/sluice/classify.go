package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/classify"
	"sluice/headers"
)

func classifyCommand() *cobra.Command {
	var http, why bool
	var provider, path string
	command := &cobra.Command{
		Use:   "classify [FILE...]",
		Short: "Tell what recorded refusals mean, and what a client would get",
		Long: `Tell what recorded refusals mean, and what a client would get. Each line of the
FILEs, or of the standard input, is a response in JSON:

  {"id": …, "provider": "openai", "status": 429, "headers": {"retry-after": "7"}, "body": …, "path": "/v1/messages"}

The body is a string, as it was on the wire (JSON, server-sent events, HTML), or
JSON; of AWS's messages {"eventstream_headers": {…}, "payload": …}. Without a
provider it is found out; the path is that of the request, by which the client's
dialect is known.

Prints one line for each, in order: the class, what was exceeded, whether a retry
can help, the wait that the upstream states; and the status, headers and body that
a client would get by the default configuration.

With -http, a FILE is one response as "curl -i" prints it.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			answer := func(r recorded) (any, error) { return classifyRecorded(r, time.Now(), why), nil }
			if !http {
				if provider != "" || path != "" {
					return fmt.Errorf("-provider and -path are for -http: a line names its own")
				}
				return eachLine(cmd, files, answer)
			}
			return eachHTTP(cmd, files, func(r recorded) (any, error) {
				r.Provider, r.Path = provider, path
				return answer(r)
			})
		},
	}
	flags := command.Flags()
	flags.BoolVar(&http, "http", false, "a FILE is one HTTP response, as curl -i prints it")
	flags.BoolVar(&why, "why", false, "add the rule that decided")
	flags.StringVar(&provider, "provider", "", "whose response it is, with -http")
	flags.StringVar(&path, "path", "", "the path of the request, with -http")
	return command
}

// classifiedLine is what is printed of a response.
type classifiedLine struct {
	ID        json.RawMessage   `json:"id"`
	Class     string            `json:"class"`
	Dimension *string           `json:"dimension"`
	Retryable bool              `json:"retryable"`
	Wait      *float64          `json:"retry_after_seconds"`
	Status    int               `json:"status"`
	Provider  string            `json:"provider"`
	Why       string            `json:"why,omitempty"`
	Headers   map[string]string `json:"headers"`
	Body      any               `json:"body"`
}

// classifyRecorded classifies a response that came now.
func classifyRecorded(r recorded, now time.Time, why bool) classifiedLine {
	response := responseOf(r, now)
	refusal := classify.Classify(response)
	line := classifiedLine{ID: r.ID, Class: refusal.Class.String(), Retryable: refusal.Retryable, Provider: refusal.Provider}
	if refusal.Dimension != "" {
		line.Dimension = &refusal.Dimension
	}
	if refusal.Stated {
		seconds := refusal.Wait.Seconds()
		line.Wait = &seconds
	}
	if why {
		line.Why = refusal.Rule
	}
	line.Status, line.Headers, line.Body = clients(r, response, &refusal, now)
	return line
}

// responseOf is the response as Classify reads it: of a stream the event that
// tells an error, of an AWS message its headers and what it carries.
func responseOf(r recorded, now time.Time) *classify.Response {
	response := &classify.Response{Provider: r.Provider, Status: r.Status, Body: r.Body, Now: now}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		response.Headers = append(response.Headers, [2]string{name, r.Headers[name]})
	}
	var message struct {
		Headers map[string]string `json:"eventstream_headers"`
		Payload json.RawMessage   `json:"payload"`
	}
	switch {
	case json.Unmarshal(r.Body, &message) == nil && message.Headers != nil:
		for _, name := range slices.Sorted(maps.Keys(message.Headers)) {
			response.Headers = append(response.Headers, [2]string{name, message.Headers[name]})
		}
		response.Body = message.Payload
	case strings.HasPrefix(r.Headers["content-type"], "text/event-stream"), hasEventField(r.Body):
		if event := classify.ErrorEvent(r.Body); event != nil || r.Status < 400 {
			response.Body = event
		}
	}
	return response
}

// hasEventField says whether a text begins as an event stream does.
func hasEventField(body []byte) bool {
	text := strings.TrimLeft(string(body[:min(len(body), 64)]), "\r\n")
	return strings.HasPrefix(text, "data:") || strings.HasPrefix(text, "event:")
}

// clients is what the client of a gateway with the default configuration gets.
func clients(r recorded, response *classify.Response, refusal *classify.Refusal, now time.Time) (status int, fields map[string]string, body any) {
	refused := refusal.Class != classify.NotRateLimit
	fields = map[string]string{}
	for name, value := range r.Headers {
		if !headers.Normalized(name) && !headers.Account(name) && !(refused && replaced(name)) {
			fields[name] = value
		}
	}
	set := func(name, value string) { fields[name] = value }
	upstream := headers.Read(response.Headers, refusal.Provider, now)
	headers.Format{}.Render(headers.Choose(nil, nil, upstream.Quotas, headers.Merge), now, set)
	if !refused {
		return r.Status, fields, jsonOrText(r.Body)
	}
	policy := classify.DefaultPolicy()
	told := policy.FromUpstream(refusal, r.Status, now)
	path, _, _ := strings.Cut(r.Path, "?")
	grpc := strings.HasPrefix(r.Headers["content-type"], "application/grpc")
	answer := policy.Answer(&told, classify.DialectOf(refusal.Provider, path, grpc), 0, nil)
	for _, h := range answer.Headers {
		set(h[0], h[1])
	}
	if grpc {
		set("content-type", r.Headers["content-type"])
		set("grpc-status", fmt.Sprint(answer.GRPCStatus))
		set("grpc-message", answer.GRPCMessage)
	}
	return answer.Status, fields, jsonOrText(answer.Body)
}

// replaced says whether a header goes with the body and the wait of a refusal,
// which the client gets anew.
func replaced(name string) bool {
	switch name {
	case "content-type", "content-length", "content-encoding", "transfer-encoding", "etag",
		"retry-after", "retry-after-ms", "x-should-retry", "x-amzn-errortype", "x-amz-retry-after", "grpc-status", "grpc-message":
		return true
	}
	return false
}

// jsonOrText is a body as JSON, if it is that, else as a text.
func jsonOrText(body []byte) any {
	if json.Valid(body) {
		return json.RawMessage(body)
	}
	return string(body)
}
