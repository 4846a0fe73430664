package classify

import (
	"testing"
	"time"
)

func TestDashScope(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "tokens, in OpenAI's words", provider: "dashscope", status: 429, body: `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null}}`, class: Throttle, dimension: "tokens"},
		{name: "tokens, in a stream", provider: "dashscope", status: 200, body: `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota.","type":"insufficient_quota"}}`, class: Throttle, dimension: "tokens"},
		{name: "tokens, native", provider: "dashscope", status: 429, body: `{"code":"Throttling.AllocationQuota","message":"Allocated quota exceeded, please increase your quota limit.","request_id":"r"}`, class: Throttle, dimension: "tokens"},
		{name: "requests, native", provider: "dashscope", status: 429, body: `{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded.","request_id":"r"}`, class: Throttle, dimension: "requests"},
		{name: "requests, compatible", provider: "dashscope", status: 429, body: `{"error":{"code":"limit_requests","message":"You exceeded your current requests list.","type":"limit_requests"}}`, class: Throttle, dimension: "requests"},
		{name: "throttling", provider: "dashscope", status: 429, body: `{"code":"Throttling","message":"Requests throttling triggered.","request_id":"r"}`, class: Throttle},
		{name: "burst, native", provider: "dashscope", status: 429, body: `{"code":"Throttling.BurstRate","message":"Request rate increased too quickly.","request_id":"r"}`, class: Acceleration, dimension: "requests"},
		{name: "burst, compatible", provider: "dashscope", status: 429, body: `{"error":{"code":"limit_burst_rate","message":"Request rate increased too quickly.","type":"limit_burst_rate"}}`, class: Acceleration, dimension: "requests"},
		{name: "capacity", provider: "dashscope", status: 503, body: `{"code":"ModelServingError","message":"Too many requests. Your requests are being throttled due to system capacity limits. Please try again later.","request_id":"r"}`, class: Overload},
		{name: "capacity of batches", provider: "dashscope", status: 429, body: `{"code":"Throttling","message":"Too many requests. Batch requests are being throttled due to system capacity limits.","request_id":"r"}`, class: Overload},
		{name: "arrears", provider: "dashscope", status: 400, body: `{"code":"Arrearage","message":"Access denied.","request_id":"r"}`, class: Quota},
		{name: "bill", provider: "dashscope", status: 429, body: `{"code":"PrepaidBillOverdue","message":"The prepaid bill is overdue.","request_id":"r"}`, class: Quota},
		{name: "bill of the month", provider: "dashscope", status: 429, body: `{"code":"PostpaidBillOverdue","message":"The postpaid bill is overdue.","request_id":"r"}`, class: Quota},
		{name: "not bought", provider: "dashscope", status: 429, body: `{"code":"CommodityNotPurchased","message":"Commodity has not purchased yet.","request_id":"r"}`, class: Quota},
		{name: "free tier, native", provider: "dashscope", status: 403, body: `{"code":"AllocationQuota.FreeTierOnly","message":"Exhausted.","request_id":"r"}`, class: Quota},
		{name: "free tier, compatible", provider: "dashscope", status: 403, body: `{"error":{"code":"AllocationQuota.FreeTierOnly","message":"The free tier of the model has been exhausted.","type":"AllocationQuota.FreeTierOnly"}}`, class: Quota},
		{name: "free quota", provider: "dashscope", status: 429, body: `{"code":"Throttling.AllocationQuota","message":"Free allocated quota exceeded.","request_id":"r"}`, class: Quota},
		{name: "event of a stream", provider: "dashscope", status: 200, body: `{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded.","request_id":"r"}`, class: Throttle, dimension: "requests"},
		{name: "answer", provider: "dashscope", status: 200, body: `{"output":{"text":"Throttling"},"usage":{"total_tokens":1},"request_id":"r"}`, class: NotRateLimit},
		{name: "inspection", provider: "dashscope", status: 400, body: `{"code":"DataInspectionFailed","message":"Inappropriate content.","request_id":"r"}`, class: NotRateLimit},
		{name: "algorithm", provider: "dashscope", status: 500, body: `{"code":"InternalError.Algo","message":"Failed.","request_id":"r"}`, class: NotRateLimit, passing: true},
		{name: "detected", status: 429, body: `{"code":"Throttling.AllocationQuota","message":"Allocated quota exceeded.","request_id":"r"}`, class: Throttle, dimension: "tokens"},
	})
}

func TestDeepSeek(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "balance", provider: "deepseek", status: 402, body: `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, class: Quota},
		{name: "limit", provider: "deepseek", status: 429, body: `{"error":{"message":"Rate Limit Reached","type":"rate_limit_reached","code":"invalid_request_error"}}`, class: Throttle},
		{name: "at once", provider: "deepseek", status: 429, body: `{"error":{"message":"Too many concurrent requests.","type":"rate_limit_error","code":"rate_limit_exceeded"}}`, class: Throttle, dimension: "concurrency"},
		{name: "busy", provider: "deepseek", status: 503, body: `{"error":{"message":"Service is too busy.","type":"service_unavailable_error"}}`, class: Overload},
		{name: "busy, without a body", provider: "deepseek", status: 503, class: Overload},
		{name: "anthropic's endpoint", provider: "deepseek", status: 402, body: `{"type":"error","error":{"type":"invalid_request_error","message":"Insufficient Balance"}}`, class: Quota},
		{name: "500", provider: "deepseek", status: 500, body: `{"error":{"message":"Server error"}}`, class: NotRateLimit, passing: true},
		{name: "422", provider: "deepseek", status: 422, body: `{"error":{"message":"Invalid parameters.","type":"invalid_request_error"}}`, class: NotRateLimit},
	})
}

func TestMiniMax(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "1002 in a 200", provider: "minimax", status: 200, body: `{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`, class: Throttle},
		{name: "1039 in a 200", provider: "minimax", status: 200, body: `{"base_resp":{"status_code":1039,"status_msg":"token limit"}}`, class: Throttle, dimension: "tokens"},
		{name: "1008 in a 200", provider: "minimax", status: 200, body: `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, class: Quota},
		{name: "1008 as 500", provider: "minimax", status: 500, body: `{"type":"error","error":{"type":"api_error","message":"insufficient balance (1008)"},"request_id":"r"}`, class: Quota},
		{name: "1002 as 429", provider: "minimax", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"rate limit exceeded(RPM) (1002)","http_code":"429"},"request_id":"r"}`, class: Throttle, dimension: "requests"},
		{name: "2045", provider: "minimax", status: 200, body: `{"base_resp":{"status_code":2045,"status_msg":"rate growth limit"}}`, class: Acceleration},
		{name: "2045 as 429", provider: "minimax", status: 429, body: `{"error":{"message":"rate growth limit (2045)","type":"rate_limit_error"}}`, class: Acceleration},
		{name: "plan's window", provider: "minimax", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"usage limit exceeded, 5-hour usage limit reached, resets at 2026-11-30T13:30:00Z (2056)"}}`, class: Quota, wait: 90 * time.Minute},
		{name: "plan's window, past", provider: "minimax", status: 429, body: `{"error":{"type":"rate_limit_error","message":"usage limit exceeded, resets at 2026-11-29T13:30:00Z (2056)"}}`, class: Quota},
		{name: "1000", provider: "minimax", status: 200, body: `{"base_resp":{"status_code":1000,"status_msg":"unknown error"}}`, class: NotRateLimit, passing: true},
		{name: "1004", provider: "minimax", status: 200, body: `{"base_resp":{"status_code":1004,"status_msg":"not authorized"}}`, class: NotRateLimit},
		{name: "1026", provider: "minimax", status: 200, body: `{"base_resp":{"status_code":1026,"status_msg":"input sensitive"}}`, class: NotRateLimit},
		{name: "2013 as 400", provider: "minimax", status: 400, body: `{"type":"error","error":{"type":"bad_request_error","message":"invalid params (2013)","http_code":"400"}}`, class: NotRateLimit},
		{name: "0", provider: "minimax", status: 200, body: `{"choices":[{"message":{"content":"x"}}],"base_resp":{"status_code":0,"status_msg":""}}`, class: NotRateLimit},
		{name: "529", provider: "minimax", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"High traffic. (2064)"}}`, class: Overload},
	})
}

func TestMoonshot(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "requests", provider: "kimi", status: 429, body: `{"error":{"message":"Your account org-1<ak-1> request reached organization max RPM: 20, please try again after 1 seconds","type":"rate_limit_reached_error"}}`, class: Throttle, dimension: "requests", numbers: "20 - -", wait: time.Second},
		{name: "tokens", provider: "moonshot", status: 429, body: `{"error":{"message":"Your account org-1 / proj-1 <ak-1> request reached project TPM rate limit, current: 1410, limit: 100","type":"rate_limit_reached_error"}}`, class: Throttle, dimension: "tokens", numbers: "100 0 -"},
		{name: "tokens a day", provider: "moonshot", status: 429, body: `{"error":{"message":"request reached organization TPD rate limit, current: 1500001, limit: 1500000","type":"rate_limit_reached_error"}}`, class: Quota, dimension: "tokens"},
		{name: "tokens a day with a return", provider: "moonshot", status: 429, headers: "retry-after: 600\n", body: `{"error":{"message":"request reached organization TPD rate limit, current: 1500001, limit: 1500000","type":"rate_limit_reached_error"}}`, class: Throttle, dimension: "tokens", wait: 10 * time.Minute},
		{name: "at once", provider: "moonshot", status: 429, body: `{"error":{"message":"request reached max organization concurrency: 3, please try again after 2 seconds","type":"rate_limit_reached_error"}}`, class: Throttle, dimension: "concurrency", wait: 2 * time.Second},
		{name: "overloaded", provider: "moonshot", status: 429, body: `{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}`, class: Overload},
		{name: "overloaded, anthropic's endpoint", provider: "", status: 429, body: `{"error":{"type":"rate_limit_error","message":"The engine is currently overloaded, please try again later"},"type":"error"}`, class: Overload},
		{name: "suspended", provider: "moonshot", status: 429, body: `{"error":{"message":"Your account org-1<ak-1> is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}`, class: Quota},
		{name: "not active", provider: "moonshot", status: 403, body: `{"error":{"message":"Your account is not active","type":"exceeded_current_quota_error"}}`, class: Quota},
		{name: "cycle of the coding plan", provider: "moonshot", status: 403, body: `{"error":{"message":"You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.","type":"access_terminated_error"}}`, class: Quota},
		{name: "another agent", provider: "moonshot", status: 403, body: `{"error":{"message":"Only available for Coding Agents.","type":"access_terminated_error"}}`, class: NotRateLimit},
		{name: "filter", provider: "moonshot", status: 400, body: `{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}`, class: NotRateLimit},
		{name: "500", provider: "moonshot", status: 500, body: `{"error":{"message":"Oops.","type":"server_error"}}`, class: NotRateLimit, passing: true},
	})
}

func TestGLMAndQianfan(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "1302", provider: "zai", status: 429, body: `{"error":{"code":"1302","message":"Rate limit reached for requests"}}`, class: Throttle},
		{name: "1303", provider: "", status: 429, body: `{"error":{"code":"1303","message":"High frequency usage of this API."}}`, class: Throttle},
		{name: "1113", provider: "zai", status: 429, body: `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, class: Quota},
		{name: "1113, anthropic's endpoint", provider: "anthropic", status: 429, body: `{"type":"error","error":{"type":"1113","message":"Insufficient balance or no resource package."},"request_id":"r"}`, class: Quota},
		{name: "balance, in Chinese", provider: "zai", status: 429, body: `{"error":{"message":"余额不足或无可用资源包,请充值。"}}`, class: Quota},
		{name: "1308", provider: "zai", status: 429, body: `{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-11-30 14:00:00"}}`, class: Quota},
		{name: "1310", provider: "zai", status: 429, body: `{"error":{"code":"1310","message":"Weekly limit exhausted."}}`, class: Quota},
		{name: "1304", provider: "zai", status: 429, body: `{"error":{"code":1304,"message":"Daily call limit for this API reached."}}`, class: Quota},
		{name: "1305", provider: "zai", status: 429, body: `{"error":{"code":"1305","message":"The service may be temporarily overloaded, please try again later"}}`, class: Overload},
		{name: "1301", provider: "zai", status: 400, body: `{"error":{"code":"1301","message":"Unsafe content."}}`, class: NotRateLimit},
		{name: "Qianfan, requests", provider: "qianfan", status: 429, body: `{"error":{"code":"rpm_rate_limit_exceeded","message":"Rate limit reached for RPM","type":"rate_limit_exceeded"}}`, class: Throttle, dimension: "requests"},
		{name: "Qianfan, tokens", provider: "qianfan", status: 429, body: `{"error":{"code":"tpm_rate_limit_exceeded","message":"Rate limit reached for TPM","type":"rate_limit_exceeded"}}`, class: Throttle, dimension: "tokens"},
		{name: "Qianfan, native in a 200", provider: "qianfan", status: 200, body: `{"error_code":18,"error_msg":"Open api qps request limit reached"}`, class: Throttle, dimension: "requests"},
		{name: "Qianfan, a day's", provider: "qianfan", status: 200, body: `{"error_code":17,"error_msg":"Open api daily request limit reached"}`, class: Quota, dimension: "requests"},
		{name: "Qianfan, token", provider: "qianfan", status: 200, body: `{"error_code":110,"error_msg":"Access token invalid or no longer valid"}`, class: NotRateLimit},
	})
}
