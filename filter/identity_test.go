package main

import (
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

// Who has the key "aKey" is found out by counting: after a request of that key,
// any other that counts for the same one leaves one less.
func TestTheKeyIsWhatTheProviderReads(t *testing.T) {
	const bare, bearer = aKey, "Bearer " + aKey
	for name, c := range map[string]struct {
		path    string
		headers []string
		key     string // "": none
	}{
		"bearer":                          {"/v1/chat/completions", []string{"authorization", bearer}, aKey},
		"the scheme in another case":      {"/v1/chat/completions", []string{"authorization", "bEaReR " + aKey}, aKey},
		"another scheme":                  {"/v1/chat/completions", []string{"authorization", "Token " + aKey}, aKey},
		"no scheme":                       {"/v1/chat/completions", []string{"authorization", bare}, aKey},
		"spaces":                          {"/v1/chat/completions", []string{"authorization", "  Bearer   " + aKey + " "}, aKey},
		"x-api-key of an OpenAI path":     {"/v1/chat/completions", []string{"x-api-key", bare}, ""},
		"x-api-key beside the key":        {"/v1/chat/completions", []string{"authorization", bearer, "x-api-key", "fresh"}, aKey},
		"api-key beside the key":          {"/v1/chat/completions", []string{"authorization", bearer, "api-key", "fresh"}, aKey},
		"x-goog-api-key beside the key":   {"/v1/chat/completions", []string{"authorization", bearer, "x-goog-api-key", "fresh"}, aKey},
		"a query's key beside the key":    {"/v1/chat/completions?key=fresh", []string{"authorization", bearer}, aKey},
		"Anthropic":                       {"/v1/messages", []string{"x-api-key", bare}, aKey},
		"Anthropic, bearer":               {"/v1/messages", []string{"authorization", bearer}, aKey},
		"Anthropic, twice the same":       {"/v1/messages", []string{"x-api-key", bare, "authorization", bearer}, aKey},
		"Azure":                           {"/openai/deployments/d/chat/completions", []string{"api-key", bare}, aKey},
		"Gemini, header":                  {"/v1beta/models/gemini-pro:generateContent", []string{"x-goog-api-key", bare}, aKey},
		"Gemini, query":                   {"/v1beta/models/gemini-pro:generateContent?alt=sse&key=" + aKey, nil, aKey},
		"Gemini, query escaped":           {"/v1beta/models/gemini-pro:generateContent?key=" + strings.ReplaceAll(aKey, "-", "%2D"), nil, aKey},
		"Gemini, its name escaped":        {"/v1beta/models/gemini-pro:generateContent?k%65y=" + aKey, nil, aKey},
		"Vertex":                          {"/v1/projects/p/locations/l/publishers/google/models/gemini-pro:generateContent", []string{"authorization", bearer}, aKey},
		"an AWS signature":                {"/model/m/converse", []string{"authorization", "AWS4-HMAC-SHA256 Credential=" + aKey + "/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=fe5f80f7"}, aKey},
		"an AWS signature without spaces": {"/model/m/converse", []string{"authorization", "AWS4-HMAC-SHA256 Credential=" + aKey + "/20260101/us-east-1/bedrock/aws4_request,SignedHeaders=host,Signature=other"}, aKey},
		"an authority's provider":         {"/v1/anything", []string{":authority", "api.anthropic.com:443", "x-api-key", bare}, aKey},
		"nothing":                         {"/v1/chat/completions", nil, ""},
		"an empty header":                 {"/v1/chat/completions", []string{"authorization", ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, one(`"limit":10`))
				has(t, g.Do(keyed("authorization", bearer), ok), 200, "x-ratelimit-remaining", "9")
				left, hash := "9", ""
				if c.key == aKey {
					left, hash = "8", hashed(aKey)
				}
				r := g.Do(with(post("/v1/chat/completions", `{"model":"m"}`, c.headers...), ":path", c.path), ok)
				has(t, r, 200, "x-ratelimit-remaining", left)
				if got := state(r, "key"); got != hash {
					t.Errorf("sluice_key is %q, want %q", got, hash)
				}
			})
		})
	}
}

func TestTwoIdentitiesAreRefused(t *testing.T) {
	aws := "AWS4-HMAC-SHA256 Credential=a/x, SignedHeaders=host, Signature=1"
	for name, c := range map[string]struct {
		path    string
		headers []string
		plain   bool // it is not refused
	}{
		"two credentials":               {"/v1/messages", []string{"x-api-key", aKey, "authorization", "Bearer " + anotherKey}, false},
		"a header twice":                {"/v1/messages", []string{"x-api-key", aKey, "x-api-key", anotherKey}, false},
		"a header twice, the same":      {"/v1/messages", []string{"x-api-key", aKey, "x-api-key", aKey}, false},
		"authorization twice":           {"/v1/chat/completions", []string{"authorization", "Bearer a", "authorization", "Bearer b"}, false},
		"authorization joined":          {"/v1/chat/completions", []string{"authorization", "Bearer a,Bearer b"}, false},
		"authorization joined, spaces":  {"/v1/chat/completions", []string{"authorization", "Bearer a, Bearer b"}, false},
		"signatures joined":             {"/model/m/converse", []string{"authorization", aws + "," + strings.Replace(aws, "=a/", "=b/", 1)}, false},
		"signature and bearer joined":   {"/model/m/converse", []string{"authorization", aws + ",Bearer b"}, false},
		"bearer and signature joined":   {"/model/m/converse", []string{"authorization", "Bearer b," + aws}, false},
		"a query and a header":          {"/v1beta/models/gemini-pro:generateContent?key=a", []string{"x-goog-api-key", "b"}, false},
		"a query twice":                 {"/v1beta/models/gemini-pro:generateContent?key=a&key=b", nil, false},
		"an attribute's header twice":   {"/v1/chat/completions", []string{"authorization", "Bearer a", "x-org", "1", "x-org", "2"}, false},
		"an attribute's two headers":    {"/v1/chat/completions", []string{"authorization", "Bearer a", "x-org", "1", "x-old-org", "2"}, false},
		"an attribute's headers, equal": {"/v1/chat/completions", []string{"authorization", "Bearer a", "x-org", "1", "x-old-org", "1"}, true},
		"one signature":                 {"/model/m/converse", []string{"authorization", aws}, true},
		"another provider's header":     {"/v1/chat/completions", []string{"authorization", "Bearer a", "x-api-key", "b", "x-api-key", "c"}, true},
		"an attribute no limit uses":    {"/v1/chat/completions", []string{"authorization", "Bearer a", "x-team", "1", "x-team", "2"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(`"errors":{"dialect":"openai"},"attributes":{"org":{"headers":["x-org","x-old-org"],"verified":true},"team":{"headers":["x-team"]}}`,
					`"scope":["key"],"limit":10`, `"scope":["org"],"limit":10`, `"scope":[],"limit":10`))
				r := g.Do(with(post("/", `{"model":"m"}`, c.headers...), ":path", c.path), ok)
				if c.plain {
					has(t, r, 200)
					return
				}
				has(t, r, 400, "content-type", "application/json", "retry-after", "-", "x-should-retry", "false",
					"x-ratelimit-remaining", "-") // nothing was looked up
				if p := problem(t, r); p["type"] != "invalid_request_error" || p["code"] != "ambiguous_identity" {
					t.Errorf("error %v", p)
				}
				if r.Upstream != nil {
					t.Error("it reached the upstream")
				}
				has(t, g.Do(chat("other"), ok), 200, "x-ratelimit-remaining", "9")
			})
		})
	}
}

// An identity is asked for only where a limit that applies uses it.
func TestALimitThatDoesNotApplyAsksForNoIdentity(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"on_missing":"deny","match":{"path":["/public/*"]}`))
		has(t, g.Do(get("/v1/models", "authorization", "Bearer a,Bearer b"), ok), 200)
		has(t, g.Do(get("/v1/models"), ok), 200)
		has(t, g.Do(get("/public/x", "authorization", "Bearer a,Bearer b"), ok), 400)
		has(t, g.Do(get("/public/x"), ok), 400)
	})
}

func TestAMissingIdentity(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		t.Run("deny", func(t *testing.T) {
			g := start(t, withLimits("", `"name":"k","on_missing":"deny","limit":5`, `"scope":[],"limit":10`))
			r := g.Do(keyed(), ok)
			has(t, r, 400, "retry-after", "-", "x-should-retry", "false", "x-ratelimit-remaining", "-")
			if p := problem(t, r); p["type"] != "invalid_request_error" || p["code"] != "missing_identity" || !strings.Contains(p["message"].(string), "key") {
				t.Errorf("error %v", p)
			}
			if state(r, "decision") != "denied" {
				t.Errorf("filter state %v", r.FilterState)
			}
			has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "4") // of the other limit nine: no charge was left
			g.reconfigure(t, withLimits("", `"scope":[],"limit":10`, `"name":"k","limit":50`))
			has(t, g.Do(chat(aKey), ok), 200)
		})
		t.Run("shared", func(t *testing.T) {
			for _, config := range []string{one(`"limit":2`), one(`"limit":2,"on_missing":"shared"`)} {
				g := start(t, config)
				has(t, g.Do(keyed(), ok), 200)
				has(t, g.Do(keyed("x-api-key", "fresh"), ok), 200)
				r := g.Do(keyed(), ok)
				has(t, r, 429)
				if p := problem(t, r); p["scope_target_id"] != "-" {
					t.Errorf("error %v", p)
				}
				has(t, g.Do(chat(aKey), ok), 200)
			}
		})
		t.Run("skip", func(t *testing.T) {
			g := start(t, one(`"on_missing":"skip"`))
			for range 3 {
				has(t, g.Do(keyed(), ok), 200, "x-ratelimit-limit", "-")
			}
			has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-limit", "1")
		})
	})
}

// A client's own headers never choose whose counter it is.
func TestAConfiguredKeyReplacesTheBuiltInOne(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"attributes":{"key":{"headers":["X-Gateway-Key"],"secret":true,"verified":true}}`, `"limit":5`))
		has(t, g.Do(keyed("x-gateway-key", aKey, "authorization", "Bearer a"), ok), 200, "x-ratelimit-remaining", "4")
		r := g.Do(keyed("x-gateway-key", aKey, "authorization", "Bearer b"), ok)
		has(t, r, 200, "x-ratelimit-remaining", "3")
		if got := state(r, "key"); got != hashed(aKey) {
			t.Errorf("sluice_key is %q", got)
		}
		has(t, g.Do(keyed("authorization", "Bearer a"), ok), 200, "x-ratelimit-remaining", "4")
	})
}

func TestTheClientsAddress(t *testing.T) {
	for name, c := range map[string]struct {
		ip            string // the attribute's configuration
		first, second string // source.address
		forwarded     string // of the second
		one           bool   // they are one client
	}{
		"the port does not count":             {`{}`, "10.0.0.1:1", "10.0.0.1:2", "", true},
		"another address":                     {`{}`, "10.0.0.1:1", "10.0.0.2:1", "", false},
		"the header is not trusted":           {`{}`, "10.0.0.1:1", "10.0.0.2:1", "10.0.0.1, 10.0.0.2", false},
		"IPv4 in IPv6":                        {`{}`, "10.0.0.1:1", "[::ffff:10.0.0.1]:1", "", true},
		"one IPv6 network":                    {`{}`, "[2001:db8:0:1::1]:1", "[2001:db8:0:1:ffff::2]:9", "", true},
		"another IPv6 network":                {`{}`, "[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", "", false},
		"a longer prefix":                     {`{"v6_prefix":128}`, "[2001:db8:0:1::1]:1", "[2001:db8:0:1::2]:1", "", false},
		"a shorter prefix":                    {`{"v6_prefix":48}`, "[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", "", true},
		"behind one proxy":                    {`{"trusted_hops":1}`, "10.0.0.1:1", "10.9.9.9:1", "1.2.3.4, 10.0.0.1, 10.9.9.9", true},
		"behind one proxy, forged":            {`{"trusted_hops":1}`, "10.0.0.1:1", "10.9.9.9:1", "10.0.0.1, 10.0.0.2, 10.9.9.9", false},
		"behind two proxies":                  {`{"trusted_hops":2}`, "10.0.0.1:1", "10.9.9.9:1", "10.0.0.1, 10.9.9.8, 10.9.9.9", true},
		"behind a proxy, the header is short": {`{"trusted_hops":1}`, "10.0.0.1:1", "10.0.0.1:2", "10.0.0.1", true},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(`"attributes":{"ip":`+c.ip+`}`, `"scope":["ip"],"limit":5`))
				from := func(address string, headers ...string) *envoytest.Result {
					r := get("/", headers...)
					r.Properties = map[string]string{"source.address": address}
					return g.Do(r, ok)
				}
				from(c.first)
				var headers []string
				if c.forwarded != "" {
					headers = []string{"x-forwarded-for", c.forwarded}
				}
				left := "4"
				if c.one {
					left = "3"
				}
				has(t, from(c.second, headers...), 200, "x-ratelimit-remaining", left)
			})
		})
	}
}
