package classify

// miniMaxRules: a code in base_resp, often inside a 200, or in parentheses at the
// end of a text, tells; the status comes as it may.
// https://platform.minimax.io/docs/api-reference/errorcode
var miniMaxRules = []rule{
	{name: "1008", class: Quota, words: []string{"1008"}},
	{name: "insufficient_balance_error", class: Quota, words: []string{"insufficient_balance_error"}},
	{name: "2056", class: Quota, words: []string{"2056"}},
	{name: "usage limit", class: Quota, says: []string{"usage limit exceeded", "usage limit reached"}},
	{name: "2045", class: Acceleration, words: []string{"2045"}},
	{name: "1002", class: Throttle, words: []string{"1002"}},
	{name: "1039", class: Throttle, words: []string{"1039"}, dimension: "tokens"},
	{name: "1041", class: Throttle, words: []string{"1041"}, dimension: "concurrency"},
}
