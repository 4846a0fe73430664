package classify

// bedrockRules: the exception's name tells, in a header, in a stream's frame or
// in the body; only a day's tokens have the same name as a minute's.
// https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
var bedrockRules = []rule{
	{name: "ServiceQuotaExceededException", class: Quota, words: []string{"servicequotaexceededexception"}},
	{name: "tokens per day", class: Quota, says: []string{"tokens per day", "requests per day"}, also: longWindow},
	{name: "ServiceUnavailableException", class: Overload, words: []string{"serviceunavailableexception"}},
	{name: "ModelNotReadyException", class: Throttle, words: []string{"modelnotreadyexception"}},
	{name: "too many tokens", class: Throttle, says: []string{"too many tokens"}, dimension: "tokens"},
	{name: "too many requests", class: Throttle, status: 429, says: []string{"too many requests"}, dimension: "requests"},
	{name: "ThrottlingException", class: Throttle, words: []string{"throttlingexception", "toomanyrequestsexception", "throttledexception", "requestlimitexceeded"}},
}
