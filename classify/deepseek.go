package classify

// deepSeekRules: the code says invalid_request_error of an empty account too,
// so that the status decides. https://api-docs.deepseek.com/quick_start/error_codes
var deepSeekRules = []rule{
	{name: "402", class: Quota, status: 402},
	{name: "429", class: Throttle, status: 429},
	{name: "503", class: Overload, status: 503},
}
