package classify

// fireworksRules: 412 is an account that is suspended, and of an adapter that
// did not load. https://docs.fireworks.ai/guides/inference-error-codes
var fireworksRules = []rule{
	{name: "suspended", class: Quota, status: 412, says: []string{"suspended", "spending limit", "past invoices"}},
	{name: "spending limit", class: Quota, says: []string{"monthly spending limit", "failure to pay past invoices"}},
}
