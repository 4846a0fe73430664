package classify

// groqRules: https://console.groq.com/docs/errors
var groqRules = []rule{
	{name: "request too large", class: TooLarge, says: []string{"request too large for"}},
	{name: "413", class: TooLarge, status: 413},
	{name: "498", class: Overload, status: 498}, // flex tier
	{name: "over capacity", class: Overload, says: []string{"over capacity"}},
	{name: "spend limit", class: Quota, words: []string{"blocked_api_access", "*spend_limit*"}},
}
