package classify

import (
	"strings"

	"github.com/tidwall/gjson"
)

// googleRules are those of the Gemini API and of Vertex AI. Their texts speak of
// quota and billing whatever the limit is: the quota's name decides, and where
// there is none the reason. A RetryInfo beside a day's quota is only when its
// minute ends. https://ai.google.dev/gemini-api/docs/rate-limits,
// https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429
var googleRules = []rule{
	{name: "MODEL_CAPACITY_EXHAUSTED", class: Overload, words: []string{"model_capacity_exhausted"}},
	{name: "no capacity", class: Overload, says: []string{"no capacity available", "model is overloaded", "experiencing high demand"}},
	{name: "a day's quotaId", class: Quota, also: func(x *reading) bool { return x.hasGoogleQuota("perday") }},
	{name: "a month's quotaId", class: Quota, also: func(x *reading) bool { return x.hasGoogleQuota("permonth") }},
	{name: "a limit of 0", class: Quota, also: zeroGoogleQuota},
	{name: "QUOTA_EXHAUSTED", class: Quota, words: []string{"quota_exhausted"}},
	{name: "billing", class: Quota, words: []string{"billing_disabled", "billing_not_active", "consumer_suspended"}},
	{name: "spend", class: Quota, says: []string{"prepayment credits are depleted", "monthly spending cap", "spending cap"}},
	{name: "a minute's quotaId", class: Throttle, also: func(x *reading) bool { return x.hasGoogleQuota("perminute") || x.hasGoogleQuota("persecond") }},
	{name: "RATE_LIMIT_EXCEEDED", class: Throttle, words: []string{"rate_limit_exceeded"}},
	{name: "a day's limit, no return stated", class: Quota, words: []string{"resource_exhausted"}, also: longWindow},
	{name: "RESOURCE_EXHAUSTED", class: Throttle, words: []string{"resource_exhausted"}},
	{name: "UNAVAILABLE", class: Overload, words: []string{"unavailable"}},
}

// A googleQuota is a violation of google.rpc.QuotaFailure. Name is its id and
// metric in lower case, without underscores.
type googleQuota struct {
	name, value string
}

// readViolations reads the list of a google.rpc.QuotaFailure.
func (x *reading) readViolations(list gjson.Result) {
	list.ForEach(func(_, v gjson.Result) bool {
		x.addGoogleQuota(v.Get("quotaId").String()+" "+v.Get("quotaMetric").String(), v.Get("quotaValue").String())
		x.say(v.Get("description").String())
		return len(x.quotas) < maxEntries
	})
}

func (x *reading) addGoogleQuota(name, value string) {
	name = strings.ReplaceAll(strings.ToLower(clip(name, 2*maxWord)), "_", "")
	x.quotas = append(x.quotas, googleQuota{name, clip(value, maxWord)})
}

func (x *reading) hasGoogleQuota(window string) bool {
	for _, q := range x.quotas {
		if strings.Contains(q.name, window) {
			return true
		}
	}
	return false
}

// zeroGoogleQuota: the plan has none of it at all.
func zeroGoogleQuota(x *reading) bool {
	for _, q := range x.quotas {
		if q.value == "0" {
			return true
		}
	}
	return len(x.quotas) > 0 && x.numbers.limit == 0
}

// limitOfGoogle reads the limit that a violation names: the longest window's.
func (x *reading) limitOfGoogle() (dimension, limit string) {
	for _, q := range x.quotas {
		if dimension != "" && !strings.Contains(q.name, "perday") {
			continue
		}
		switch {
		case strings.Contains(q.name, "inputtoken"), strings.Contains(q.name, "prompttoken"):
			dimension = "input_tokens"
		case strings.Contains(q.name, "outputtoken"):
			dimension = "output_tokens"
		case strings.Contains(q.name, "token"):
			dimension = "tokens"
		case strings.Contains(q.name, "request"):
			dimension = "requests"
		default:
			continue
		}
		limit = q.value
	}
	return dimension, limit
}
