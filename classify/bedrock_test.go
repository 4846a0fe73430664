package classify

import "testing"

func TestBedrock(t *testing.T) {
	const aws = "x-amzn-requestid: 7c1b\nx-amzn-errortype: "
	runFixtures(t, []fixture{
		{name: "requests", provider: "bedrock", status: 429, headers: aws + "ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/\n", body: `{"message":"Too many requests, please wait before trying again."}`, class: Throttle, dimension: "requests"},
		{name: "tokens", provider: "bedrock", status: 429, headers: aws + "ThrottlingException\n", body: `{"message":"Too many tokens, please wait before trying again."}`, class: Throttle, dimension: "tokens"},
		{name: "tokens a day", provider: "bedrock", status: 429, headers: aws + "ThrottlingException\n", body: `{"message":"Too many tokens per day, please wait before trying again."}`, class: Quota, dimension: "tokens"},
		{name: "your request rate", provider: "bedrock", status: 429, headers: aws + "ThrottlingException\n", body: `{"message":"Your request rate is too high. Reduce the frequency of requests."}`, class: Throttle, dimension: "requests"},
		{name: "name in the body", provider: "bedrock", status: 429, body: `{"__type":"com.amazon.coral.service#ThrottlingException","message":"Rate exceeded"}`, class: Throttle},
		{name: "name in capitals", provider: "bedrock", status: 400, body: `{"__type":"ThrottlingException","Message":"Rate exceeded"}`, class: Throttle},
		{name: "no name at all", provider: "bedrock", status: 429, body: `{"message":"Too many requests, please wait before trying again."}`, class: Throttle, dimension: "requests"},
		{name: "service quota", provider: "bedrock", status: 400, headers: aws + "ServiceQuotaExceededException\n", body: `{"message":"Over the quota."}`, class: Quota},
		{name: "not ready", provider: "bedrock", status: 429, headers: aws + "ModelNotReadyException:\n", body: `{"message":"Not ready."}`, class: Throttle},
		{name: "unavailable", provider: "bedrock", status: 503, headers: aws + "ServiceUnavailableException\n", body: `{"message":"Too many connections, please wait before trying again."}`, class: Overload},
		{name: "unavailable without a name", provider: "bedrock", status: 503, body: `{"message":"Bedrock is unable to process your request."}`, class: Overload},
		{name: "529", provider: "bedrock", status: 529, class: Overload},
		{name: "validation", provider: "bedrock", status: 400, headers: aws + "ValidationException\n", body: `{"message":"The maximum tokens you requested exceeds the model limit of 8192."}`, class: NotRateLimit},
		{name: "access", provider: "bedrock", status: 403, headers: aws + "AccessDeniedException\n", body: `{"message":"You don't have access to the model."}`, class: NotRateLimit},
		{name: "model timeout", provider: "bedrock", status: 408, headers: aws + "ModelTimeoutException\n", body: `{"message":"Too long."}`, class: NotRateLimit, passing: true},
		{name: "model error", provider: "bedrock", status: 424, headers: aws + "ModelErrorException\n", body: `{"message":"Failed."}`, class: NotRateLimit, passing: true},
		{name: "internal", provider: "bedrock", status: 500, headers: aws + "InternalServerException\n", body: `{"message":"Failed."}`, class: NotRateLimit, passing: true},
		{name: "frame, throttling", provider: "bedrock", status: 200, headers: ":message-type: exception\n:exception-type: throttlingException\n", body: `{"message":"Too many tokens, please wait before trying again."}`, class: Throttle, dimension: "tokens"},
		{name: "frame, unavailable", provider: "bedrock", status: 200, headers: ":exception-type: serviceUnavailableException\n", body: `{"message":"Wait."}`, class: Overload},
		{name: "frame, validation", provider: "bedrock", status: 200, headers: ":exception-type: validationException\n", body: `{"message":"Wrong."}`, class: NotRateLimit},
		{name: "frame, internal", provider: "bedrock", status: 200, headers: ":exception-type: internalServerException\n", body: `{"message":"Oh."}`, class: NotRateLimit, passing: true},
		{name: "frame, error", provider: "bedrock", status: 200, headers: ":message-type: error\n:error-code: throttlingException\n:error-message: Slower.\n", class: Throttle},
		{name: "an answer", provider: "bedrock", status: 200, headers: "x-amzn-requestid: 7c1b\n", body: `{"output":{"message":{"role":"assistant","content":[{"text":"ThrottlingException"}]}},"stopReason":"end_turn","usage":{"totalTokens":1}}`, class: NotRateLimit},
	})
}
