package classify

import (
	"strings"
)

// azureRules: code and type are often only "429", so that the text must tell.
// https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota and
// .../how-to/provisioned-get-started
var azureRules = []rule{
	{name: "request too large", class: TooLarge, says: []string{"request too large for"}},
	{name: "high demand", class: Overload, says: []string{"experiencing high demand", "temporarily unable to process", "during peak load"}},
	{name: "provisioned throughput in use", class: Overload, status: 429, also: fullyUtilized},
	{name: "call volume", class: Quota, says: []string{"out of call volume quota", "quota will be replenished"}},
	// What the free tier says for a day or longer is not for a client to wait.
	{name: "a day's wait", class: Quota, status: 429, also: dayWait},
	// The same words stand for a minute's limit: then there is a wait.
	{name: "insufficient_quota without a wait", class: Quota, words: []string{"insufficient_quota"}, also: noReturn},
	{name: "insufficient_quota with a wait", class: Throttle, status: 429, words: []string{"insufficient_quota"}},
	{name: "call rate", class: Throttle, status: 429, says: []string{"exceeded call rate limit"}, dimension: "requests"},
	{name: "token rate", class: Throttle, status: 429, says: []string{"exceeded token rate limit"}, dimension: "tokens"},
}

// fullyUtilized: a deployment with provisioned throughput has none left.
func fullyUtilized(x *reading) bool {
	n, used := leadingNumber(strings.TrimSpace(x.response.header("azure-openai-deployment-utilization")))
	return used > 0 && n >= 100 || x.says([]string{"provisioned-managed", "provisioned throughput units", "utilization is at", "utilization exceeds", "exceeded 100%"})
}
