package main

import (
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

// Neither a credential nor a prompt leaves the request: not in logs, errors,
// headers, metrics, filter state or shared data.
func TestNoSecretLeaks(t *testing.T) {
	const credential, prompt = "sk-SECRETcredential", "SECRETprompt"
	body := func(more string) string {
		return `{"model":"gpt-4o","messages":[{"role":"user","content":"` + prompt + `"}]` + more
	}
	requests := map[string]envoytest.Request{
		"allowed":               post("/v1/chat/completions", body("}"), "authorization", "Bearer "+credential),
		"too large":             post("/v1/chat/completions", body(`,"max_tokens":999999}`), "authorization", "Bearer "+credential),
		"unreadable":            post("/v1/chat/completions", body(""), "authorization", "Bearer "+credential),
		"two credentials":       post("/v1/messages", body("}"), "authorization", "Bearer "+credential, "x-api-key", credential+"2"),
		"two joined":            post("/v1/chat/completions", body("}"), "authorization", "Bearer "+credential+",Bearer "+credential),
		"Anthropic":             post("/v1/messages", body("}"), "x-api-key", credential),
		"Azure":                 post("/openai/deployments/d/chat/completions", body("}"), "api-key", credential),
		"in the query":          post("/v1beta/models/m:generateContent?key="+credential, body("}")),
		"an AWS signature":      post("/model/m/converse", body("}"), "authorization", "AWS4-HMAC-SHA256 Credential="+credential+"/x, Signature="+credential),
		"a secret attribute":    post("/v1/chat/completions", body("}"), "authorization", "Bearer a", "x-secret", credential),
		"a secret in the body":  post("/v1/chat/completions", body(`,"token":"`+credential+`"}`), "authorization", "Bearer b"),
		"a secret twice":        post("/v1/chat/completions", body("}"), "authorization", "Bearer a", "x-secret", credential, "x-secret", credential),
		"a header it must have": get("/required", "x-secret", credential),
		"oversize":              large(20_000, `"x":"`+credential+prompt+`"`),
	}
	config := withLimits(`"attributes":{"token":{"headers":["x-secret"],"secret":true,"verified":true},"inside":{"body":"token","secret":true}},
		"body":{"max_bytes":10000,"unreadable":"deny","oversize":"deny"}`,
		`"limit":2`, `"scope":["token"],"limit":3,"on_missing":"skip"`, `"scope":["inside"],"limit":2,"on_missing":"skip"`,
		`"scope":["key"],"on_missing":"deny","match":{"path":["/required"]}`,
		`"dimension":"tokens","limit":20000`)
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, config)
		clean := func(where, text string) {
			t.Helper()
			if strings.Contains(text, "SECRET") {
				t.Errorf("%s: %.300q", where, text)
			}
		}
		statuses := map[int]bool{}
		for name, r := range requests {
			for range 4 {
				result := g.Do(r, ok)
				statuses[result.Status] = true
				clean(name+", body", string(result.Body))
				for _, line := range result.Headers {
					clean(name+", header "+line[0], line[1])
				}
				for key, value := range result.FilterState {
					clean(name+", filter state "+key, value)
				}
			}
		}
		for _, status := range []int{200, 400, 413, 429} {
			if !statuses[status] {
				t.Errorf("no request got %d: this looked at less than it should", status)
			}
		}
		g.SharedData().Broken = func(string) bool { return true }
		g.Do(requests["allowed"], ok)
		g.Tick()
		if len(g.Logs()) == 0 {
			t.Error("a broken store is not logged: this looked at less than it should")
		}
		for _, log := range g.Logs() {
			clean("log", log.Message)
		}
		for _, name := range g.Metrics() {
			clean("metric", name)
		}
		for _, key := range g.SharedData().Keys() {
			value, _ := g.SharedData().Get(key)
			clean("shared data", key+string(value))
		}
	})
}
