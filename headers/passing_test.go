package headers

import "testing"

func TestWhichHeadersPass(t *testing.T) {
	const (
		normalized = 1 << iota
		native
		account
	)
	for name, want := range map[string]int{
		"x-ratelimit-limit-requests": normalized, "x-ratelimit-reset": normalized, "x-ratelimit-key": normalized, "x-ratelimitbysize-limit-minute": normalized,
		"x-ratelimit-abusepenalty-active": normalized, "x-rate-limit-reset-tokens": normalized, "x-rate-limit": normalized, "ratelimit": normalized,
		"ratelimit-policy": normalized, "ratelimit-limit": normalized, "ratelimitbysize-reset": normalized, "rate-limit-remaining": normalized,
		"llm_provider-x-ratelimit-limit-requests": normalized | native, "llm_provider-ratelimit": normalized | native,

		"anthropic-ratelimit-requests-limit": native, "anthropic-ratelimit-unified-status": native, "anthropic-priority-input-tokens-limit": native,
		"anthropic-fast-input-tokens-reset": native, "x-ms-region": native, "x-ms-deployment-name": native, "apim-request-id": native,
		"azureml-model-session": native, "x-request-id": native, "request-id": native, "x-amzn-requestid": native, "x-amz-retry-after": native,
		"x-amzn-bedrock-input-token-count": native, "openai-processing-ms": native, "openai-version": native, "msh-request-id": native,
		"x-dashscope-call-gateway": native, "req-cost-time": native, "resp-start-time": native, "cf-ray": native, "x-groq-region": native,
		"x-trial-endpoint-call-limit": native, "x-endpoint-monthly-call-limit": native, "num_tokens": native, "x-tokenlimit-limit": native,
		"x-litellm-call-id": native, "x-debug-trace-id": native, "x-max-retry-attempts-reached": native, "x-tt-logid": native, "llm_provider-server": native,
		"llm_provider-llm_provider-x-ratelimit-limit": native, "trace-id": native,

		"openai-organization": native | account, "openai-project": native | account, "anthropic-organization-id": native | account,
		"anthropic-workspace-id": native | account, "msh-org-id": native | account, "msh-project-id": native | account, "msh-uid": native | account,
		"msh-gid": native | account, "x-fireworks-account-id": native | account, "x-fireworks-developer-email": native | account,
		"x-organization-id": account, "x-account-id": account, "x-ms-subscription-id": native | account, "x-ms-tenant-id": native | account,
		"llm_provider-openai-organization": native | account, "llm_provider-msh-uid": native | account, "x-litellm-team-id": native | account,
		"organization-id": account, "account_id": account, "x-org": account, "new-vendor-workspace-name": account,

		"": 0, "x": 0, "x-": 0, "l": 0, "r": 0, "-": 0, "llm_provider": 0, "date": 0, "server": 0, "content-type": 0, "content-length": 0, "retry-after": 0,
		"retry-after-ms": 0, "x-should-retry": 0, "x-envoy-upstream-service-time": 0, "x-amzn-errortype": 0, "x-amzn-bedrock-content-type": 0,
		"strict-transport-security": 0, "alt-svc": 0, "x-content-type-options": 0, "access-control-expose-headers": 0, "x-id": 0, "x-uid": 0, "uid": 0,
		"traceparent": 0, "request-limit": 0, "grpc-status": 0, ":status": 0, "set-cookie": 0, "vary": 0, "x-rate": 0, "rate": 0, "x-request-priority": 0,
	} {
		got := 0
		if Normalized(name) {
			got |= normalized
		}
		if Native(name) {
			got |= native
		}
		if Account(name) {
			got |= account
		}
		if got != want {
			t.Errorf("%s: %03b, want %03b", name, got, want)
		}
	}
}

func TestNamesAreToldApartWithoutGarbage(t *testing.T) {
	found := 0
	allocations := testing.AllocsPerRun(100, func() {
		for _, name := range []string{"x-ratelimit-limit-tokens", "llm_provider-x-ratelimit-reset", "anthropic-organization-id", "x-ms-region", "content-type"} {
			if Normalized(name) || Native(name) || Account(name) {
				found++
			}
		}
	})
	if allocations != 0 || found == 0 {
		t.Errorf("%v allocations", allocations)
	}
}
