package classify

// xaiRules: the code is the name of a gRPC state, and the same for a limit that
// passes and for credits that are gone. Both are flat, with the text under
// "error". https://docs.x.ai/docs/key-information/debugging
var xaiRules = []rule{
	{name: "credits", class: Quota, says: []string{"used all available credits", "monthly spending limit", "run out of credits", "have any credits", "purchase more credits", "purchase those on"}},
	{name: "spending limit", class: Quota, words: []string{"*spending-limit*", "*spending_limit*"}},
	{name: "capacity", class: Overload, says: []string{"at capacity", "high demand", "overloaded"}},
	{name: "too many tokens", class: Throttle, says: []string{"too many tokens for team"}, dimension: "tokens"},
	{name: "too many requests", class: Throttle, says: []string{"too many requests for team"}, dimension: "requests"},
}
