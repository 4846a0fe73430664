package classify

import (
	"strconv"
	"strings"
	"time"
)

const (
	day   = 24 * time.Hour
	month = 30 * day
)

// numbers are those that a text states of a limit; -1: it does not.
type numbers struct{ limit, used, requested float64 }

// phrases of dimensions, and of the time a limit is for. Of those in a text the
// first counts: what comes later is advice. Abbreviations stand alone.
var dimensionPhrases = []struct {
	phrase, dimension string
}{
	{"concurren", "concurrency"}, {"parallel request", "concurrency"},
	{"input tokens", "input_tokens"}, {"input token", "input_tokens"}, {"input_token", "input_tokens"}, {"prompt tokens per", "input_tokens"}, {"itpm", "input_tokens"},
	{"output tokens", "output_tokens"}, {"output token", "output_tokens"}, {"output_token", "output_tokens"}, {"otpm", "output_tokens"},
	{"request tokens", "tokens"}, {"tokens per", "tokens"}, {"tokens / ", "tokens"}, {"tokens/", "tokens"}, {"token rate limit", "tokens"}, {"token limit", "tokens"}, {"too many tokens", "tokens"}, {"tpm", "tokens"}, {"tpd", "tokens"}, {"tps", "tokens"},
	{"requests per", "requests"}, {"requests / ", "requests"}, {"requests/", "requests"}, {"request rate", "requests"}, {"requests rate limit", "requests"}, {"request limit", "requests"}, {"call rate limit", "requests"},
	{"number of requests", "requests"}, {"too many requests for", "requests"}, {"api calls", "requests"}, {"queries per", "requests"}, {"_requests_per", "requests"}, {"requests list", "requests"}, {"max request", "requests"},
	{"rpm", "requests"}, {"rpd", "requests"}, {"rps", "requests"}, {"qps", "requests"}, {"qpm", "requests"},
}

var windowPhrases = []struct {
	phrase string
	window time.Duration
}{
	{"per month", month}, {"/ month", month}, {"/month", month}, {"per-month", month}, {"monthly limit", month}, {"monthly quota", month}, {"monthly token", month}, {"monthly usage", month},
	{"weekly", 7 * day}, {"per week", 7 * day},
	{"per day", day}, {"/ day", day}, {"/day", day}, {"per-day", day}, {"per_day", day}, {"perday", day}, {"daily", day}, {"tpd", day}, {"rpd", day},
}

// readLimit reads which limit the texts speak of, and its numbers.
func (x *reading) readLimit() {
	x.numbers = numbers{numberAfter(x.text, "limit"), max(numberAfter(x.text, "used"), numberAfter(x.text, "current")), numberAfter(x.text, "requested")}
	at := len(x.text)
	for _, p := range dimensionPhrases {
		if i := indexPhrase(x.text, p.phrase); i >= 0 && i < at {
			at, x.dimension = i, p.dimension
		}
	}
	if x.dimension == "" {
		x.dimension = dimensionOfWords(x.words)
	}
	x.readRate(at)
	for _, p := range windowPhrases {
		if indexPhrase(x.text, p.phrase) >= 0 {
			x.window = max(x.window, p.window)
		}
	}
	if x.hasWord([]string{"*_daily", "*_per_day"}) {
		x.window = max(x.window, day)
	}
}

// dimensionOfWords is what a type tells, as OpenAI's "tokens" and "requests".
func dimensionOfWords(words []string) string {
	for _, w := range words {
		switch {
		case w == "tokens", matchesWord("*token_quota_exceeded", w), matchesWord("*token_limited", w), matchesWord("tpm_*", w):
			return "tokens"
		case w == "requests", matchesWord("*request_quota_exceeded", w), matchesWord("*request_limited", w), matchesWord("rpm_*", w),
			w == "request_rate_limit_exceeded", w == "limit_requests":
			return "requests"
		}
	}
	return ""
}

// readRate reads the number of a limit that has no name: before its dimension,
// as in "of 200,000 input tokens per minute", after it, as in "max RPM: 20", and
// of a pair, as in "(actual/limit): 65605/16000". At is where the dimension is.
func (x *reading) readRate(at int) {
	const pair = "(actual/limit): "
	if i := strings.Index(x.text, pair); i >= 0 {
		rest := x.text[i+len(pair):]
		used, n := leadingNumber(rest)
		if n > 0 && n < len(rest) && rest[n] == '/' {
			if limit, m := leadingNumber(rest[n+1:]); m > 0 {
				x.numbers.used, x.numbers.limit = used, limit
			}
		}
		return
	}
	if x.numbers.limit >= 0 || at >= len(x.text) {
		return
	}
	head := strings.TrimRight(x.text[:at], " ")
	start := len(head)
	for start > 0 && (digit(head[start-1]) || head[start-1] == ',' || head[start-1] == '.') {
		start--
	}
	if n, used := leadingNumber(head[start:]); used > 0 && used == len(head)-start {
		x.numbers.limit = n
		return
	}
	end := at
	for end < len(x.text) && letter(x.text[end]) {
		end++
	}
	if rest, ok := strings.CutPrefix(x.text[end:], ": "); ok {
		if n, used := leadingNumber(rest); used > 0 {
			x.numbers.limit = n
		}
	}
}

// numberAfter is the number that follows a name directly, as in "limit 30000",
// "limit: 30000" and "requested ~12903"; -1 where none does.
func numberAfter(text, name string) float64 {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		from += i + len(name)
		rest := strings.TrimLeft(text[from:min(len(text), from+8)], ":=~ ")
		rest = text[from+len(text[from:min(len(text), from+8)])-len(rest):]
		if n, used := leadingNumber(rest); used > 0 {
			return n
		}
	}
}

// leadingNumber is the number that text begins with, and how long it is there.
func leadingNumber(text string) (float64, int) {
	var b []byte
	i := 0
	for ; i < len(text) && len(b) < 20; i++ {
		c := text[i]
		next := i+1 < len(text) && digit(text[i+1])
		switch {
		case digit(c):
			b = append(b, c)
		case c == ',' && len(b) > 0 && next: // of thousands
		case c == '.' && len(b) > 0 && next:
			b = append(b, c)
		default:
			goto end
		}
	}
end:
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return -1, 0
	}
	return n, i
}

// indexPhrase is where a phrase stands; one of a few letters only as a word.
func indexPhrase(text, phrase string) int {
	if len(phrase) > 4 || strings.IndexByte(phrase, '/') >= 0 {
		return strings.Index(text, phrase)
	}
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(phrase)
		if (i == 0 || !alphanumeric(text[i-1])) && (from == len(text) || !alphanumeric(text[from])) {
			return i
		}
	}
}

// written writes a number of a limit; "" for one that was not stated.
func written(n float64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
