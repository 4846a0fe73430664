package classify

// cohereRules: there is a text only. 498 is a token that Cohere blocks, no flex
// tier. https://docs.cohere.com/reference/errors
var cohereRules = []rule{
	{name: "a month's calls", class: Quota, status: 429, says: []string{"/ month", "per month", "/month"}},
	{name: "498", class: NotRateLimit, status: 498},
	{name: "429", class: Throttle, status: 429},
}
