package classify

// mistralRules: errors are flat; a code is a number.
// https://docs.mistral.ai/resources/error-glossary
var mistralRules = []rule{
	{name: "service tier capacity", class: Overload, words: []string{"service_tier_capacity_exceeded", "3505"}},
	{name: "service tier capacity", class: Overload, says: []string{"service tier capacity exceeded"}},
	{name: "subscription", class: Quota, says: []string{"inactive subscription or usage limit reached", "monthly"}, also: refused},
	{name: "rate_limited", class: Throttle, words: []string{"rate_limited", "1300"}},
}

// refused: the status is one that a limit comes with.
func refused(x *reading) bool {
	return x.status == 401 || x.status == 402 || x.status == 403 || x.status == 429
}
