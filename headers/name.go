package headers

import (
	"strings"
	"time"
)

// field is what of a limit a header tells.
type field uint8

const (
	noField field = iota
	limitField
	remainingField
	resetField
	windowField // the period after which the limit is free again, in seconds
	statusField
)

func fieldOf(word string) field {
	switch word {
	case "limit":
		return limitField
	case "remaining":
		return remainingField
	case "reset":
		return resetField
	case "renewalperiod":
		return windowField
	case "status":
		return statusField
	}
	return noField
}

// cutField finds the field in the part of a name that is behind the family's
// prefix. It is the first word, as in "limit-tokens-minute", or with Anthropic
// the last, as in "tokens-limit". The subject is the rest of it.
func cutField(name string) (f field, subject string) {
	first, rest, _ := strings.Cut(name, "-")
	if f = fieldOf(first); f != noField {
		return f, rest
	}
	i := strings.LastIndexByte(name, '-')
	return fieldOf(name[i+1:]), name[:max(0, i)]
}

// counted is the dimension and the window that a subject names; each can be
// missing.
func counted(subject string) (dimension string, window time.Duration) {
	dimension, window = dimensionOf(subject)
	if configured(dimension) {
		return dimension, window
	}
	subject, window = cutWindow(subject)
	dimension, implied := dimensionOf(subject)
	if window == 0 {
		window = implied
	}
	return dimension, window
}

// cutWindow cuts a window off the end of a subject, as in "tokens-minute",
// "req-10-second" or "unified-5h"; 0 where it has none.
func cutWindow(subject string) (rest string, window time.Duration) {
	i := strings.LastIndexByte(subject, '-')
	before, word := subject[:max(0, i)], subject[i+1:]
	if unit := period(word); unit > 0 {
		i := strings.LastIndexByte(before, '-')
		switch last := before[i+1:]; {
		case last == "per":
			return before[:max(0, i)], unit
		case last != "" && digit(last[0]):
			if n, left, ok := cutDecimal(last); ok && left == "" {
				if window, ok := n.times(unit); ok {
					return before[:max(0, i)], window
				}
			}
		}
		return before, unit
	}
	if word != "" && digit(word[0]) {
		if window, ok := duration(word); ok {
			return before, window
		}
	}
	return subject, 0
}

// period is the window that a word names; a plural is what is counted, as in
// "audio-seconds". Months and years are those of the
// configuration.
func period(word string) time.Duration {
	const day = 24 * time.Hour
	switch word {
	case "second":
		return time.Second
	case "minute":
		return time.Minute
	case "hour":
		return time.Hour
	case "day":
		return day
	case "week":
		return 7 * day
	case "month":
		return 30 * day
	case "year":
		return 365 * day
	}
	return 0
}

// dimensionOf is the dimension of the configuration that a provider's name for
// it means, and the window that such a name implies. Any other name is a
// dimension of its own: what it counts is not known, or not counted here.
func dimensionOf(name string) (dimension string, window time.Duration) {
	switch name {
	case "requests", "request", "reqs", "req", "calls", "call":
		return requests, 0
	case "tokens", "token", "total-tokens", "total_tokens":
		return tokens, 0
	case "input-tokens", "input_tokens", "prompt-tokens", "prompt_tokens", "tokens-input", "tokens-prompt":
		return inputTokens, 0
	case "output-tokens", "output_tokens", "completion-tokens", "completion_tokens",
		"tokens-output", "tokens-completion", "tokens-generated":
		return outputTokens, 0
	case "cost", "cost_usd":
		return cost, 0
	case "concurrency", "concurrent", "concurrent-requests", "concurrent_requests":
		return concurrency, 0
	case "rps":
		return requests, time.Second
	case "rpm":
		return requests, time.Minute
	case "rpd":
		return requests, 24 * time.Hour
	case "tpm":
		return tokens, time.Minute
	case "tpd":
		return tokens, 24 * time.Hour
	case "itpm":
		return inputTokens, time.Minute
	case "otpm":
		return outputTokens, time.Minute
	}
	return name, 0
}
