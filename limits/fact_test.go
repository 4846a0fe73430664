package limits_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/limits"
)

func globs(patterns ...string) []limits.Glob {
	var out []limits.Glob
	for _, p := range patterns {
		out = append(out, limits.NewGlob(p))
	}
	return out
}

// Every state of a fact, in a scope and in a matcher.
func TestFactsInScopesAndMatchers(t *testing.T) {
	value := limits.Fact{Value: "pro", Status: limits.Known}
	for _, test := range []struct {
		name      string
		fact      limits.Fact
		onMissing limits.OnMissing
		scope     limits.Outcome
		counted   bool // in the scope
		matches   bool
	}{
		{"known", value, limits.DenyMissing, limits.Admitted, true, true},
		{"known, another", limits.Fact{Value: "free", Status: limits.Known}, limits.DenyMissing, limits.Admitted, true, false},
		{"empty", limits.Fact{Status: limits.Known}, limits.DenyMissing, limits.Admitted, true, false},
		{"absent, shared", limits.Fact{}, limits.ShareMissing, limits.Admitted, true, false},
		{"absent, skipped", limits.Fact{}, limits.SkipMissing, limits.Admitted, false, false},
		{"absent, denied", limits.Fact{}, limits.DenyMissing, limits.Missing, false, false},
		{"unreadable, shared", limits.Fact{Status: limits.Unreadable}, limits.ShareMissing, limits.Admitted, true, true},
		{"unreadable, denied", limits.Fact{Status: limits.Unreadable}, limits.DenyMissing, limits.Missing, false, true},
		{"unseen, skipped", limits.Fact{Status: limits.Unseen}, limits.SkipMissing, limits.Admitted, false, false},
		{"unseen, denied", limits.Fact{Status: limits.Unseen}, limits.DenyMissing, limits.Missing, false, false},
		{"ambiguous", limits.Fact{Status: limits.Ambiguous}, limits.ShareMissing, limits.Identity, false, true},
		{"ambiguous, skipped if missing", limits.Fact{Status: limits.Ambiguous}, limits.SkipMissing, limits.Identity, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute, Scope: []int{key, org}, OnMissing: test.onMissing})
			w.facts[org] = test.fact
			d, r := w.reserve()
			if d.Outcome != test.scope || (r.Len() > 0) != test.counted {
				t.Errorf("scope: %+v, %d limits", d, r.Len())
			}
			if d.Refused() && (d.Attribute != "org" || d.Limit.Name != "l") {
				t.Errorf("scope: %+v", d)
			}

			w = newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute, Match: []limits.Matcher{{Attribute: org, Globs: globs("x", "pr*")}}})
			w.facts[org] = test.fact
			if _, r := w.reserve(); (r.Len() > 0) != test.matches {
				t.Errorf("matcher: %d limits apply", r.Len())
			}
		})
	}
}

func TestAmbiguityIsNamedBeforeWhatIsMissing(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute, Scope: []int{key, org}, OnMissing: limits.DenyMissing})
	w.facts = known()
	w.facts[org] = limits.Fact{Status: limits.Ambiguous}
	if d := w.refuse(limits.Identity); d.Attribute != "org" {
		t.Errorf("%+v", d)
	}
}

func TestAmbiguityThatIsOnlyObservedIsChargedNothing(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute, Scope: []int{key}, Shadow: true})
	w.facts[key] = limits.Fact{Status: limits.Ambiguous}
	if d, _ := w.reserve(); d.Refused() || !d.Observed || d.Outcome != limits.Identity {
		t.Errorf("%+v", d)
	}
	w.used("l", 0)
}

func TestMissingAttributesShareOneSubject(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 2, Window: time.Minute, Scope: []int{key, org}})
	w.facts = known("", "o")
	w.admit()
	w.admit()
	w.refuse(limits.Throttled)
	w.facts = known("", "p") // another org is another subject
	w.admit()
	w.facts = known("o", "") // and so is another attribute with that value
	w.admit()
	w.facts[org] = limits.Fact{Status: limits.Known} // and the empty value
	w.admit()
	w.used("l", 1)
}

func TestAllMatchersMustHold(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute, Match: []limits.Matcher{
		{Attribute: org, Globs: globs("a*")}, {Attribute: model, Globs: globs("*mini*", "x")}}})
	for _, test := range []struct {
		org, model string
		applies    int
	}{{"abc", "gpt-mini-1", 1}, {"abc", "x", 1}, {"abc", "gpt", 0}, {"b", "x", 0}, {"", "x", 0}} {
		w.facts = known("k", test.org, test.model)
		if _, r := w.reserve(); r.Len() != test.applies {
			t.Errorf("%q, %q: %d limits apply", test.org, test.model, r.Len())
		}
	}
}

func TestSecretIsMatchedByItsHash(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute, Match: []limits.Matcher{{Attribute: key, Globs: globs(limits.HashSecret("sk-1"))}}})
	for secret, applies := range map[string]int{"sk-1": 1, "sk-2": 0, limits.HashSecret("sk-1"): 0} {
		w.facts = known(secret)
		if _, r := w.reserve(); r.Len() != applies {
			t.Errorf("%q: %d limits apply", secret, r.Len())
		}
	}
}

func TestFirstOverrideThatMatchesGivesTheCeiling(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 100, Window: time.Minute, Scope: []int{org}, Overrides: []limits.Override{
		{Match: []limits.Matcher{{Attribute: org, Globs: globs("pro", "max-*")}}, Max: 600},
		{Match: []limits.Matcher{{Attribute: org, Globs: globs("max-1", "trial")}, {Attribute: model, Globs: globs("m")}}, Max: 5},
	}})
	for _, test := range []struct {
		fact limits.Fact
		want int64
	}{
		{limits.Fact{Value: "free", Status: limits.Known}, 100},
		{limits.Fact{Value: "pro", Status: limits.Known}, 600},
		{limits.Fact{Value: "max-1", Status: limits.Known}, 600},
		{limits.Fact{Value: "trial", Status: limits.Known}, 5},
		{limits.Fact{}, 100},
		// Who makes a fact unreadable gets the least that it could mean.
		{limits.Fact{Status: limits.Unreadable}, 5},
	} {
		w.facts[org] = test.fact
		if s := w.state("l"); s.Max != test.want {
			t.Errorf("%+v: a ceiling of %d; want %d", test.fact, s.Max, test.want)
		}
	}
	// One that may match counts beside the one that does.
	w.facts = known("k", "max-1")
	w.facts[model] = limits.Fact{Status: limits.Unreadable}
	w.limits[0].Overrides[0], w.limits[0].Overrides[1] = w.limits[0].Overrides[1], w.limits[0].Overrides[0]
	w.Engine = w.engine()
	if s := w.state("l"); s.Max != 5 {
		t.Errorf("half known: a ceiling of %d", s.Max)
	}
	w.facts = known("k", "trial", "other")
	if s := w.state("l"); s.Max != 100 {
		t.Errorf("half a match: a ceiling of %d", s.Max)
	}
}

func TestOverrideThatCanOnlyBeGuessedNeverRaises(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 100, Window: time.Minute, Overrides: []limits.Override{
		{Match: []limits.Matcher{{Attribute: org, Globs: globs("pro")}}, Max: 600}}})
	w.facts[org] = limits.Fact{Status: limits.Ambiguous}
	if s := w.state("l"); s.Max != 100 {
		t.Errorf("a ceiling of %d", s.Max)
	}
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true}, {"a", "a", true}, {"a", "ab", false},
		{"a*", "a", true}, {"a*", "ba", false}, {"*a", "ba", true}, {"*a", "ab", false},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"ab*ba", "aba", false}, {"ab*ba", "abba", true},
		{"*a*b*", "xaxbx", true}, {"*a*b*", "xbxax", false}, {"a**b", "ab", true},
		{"*-mini*", "gpt-4o-mini-2024", true}, {"a.b", "axb", false}, {"é*", "école", true},
	} {
		if got := limits.NewGlob(test.pattern).Match(test.s); got != test.want {
			t.Errorf("%q matches %q: %v", test.pattern, test.s, got)
		}
	}
	if n := limits.NewGlob("a*bc*").Literals(); n != 3 {
		t.Errorf("%d literals", n)
	}
	if s := limits.NewGlob("a*bc*").String(); s != "a*bc*" {
		t.Errorf("%q", s)
	}
	if (limits.Glob{}).Match("a") || !(limits.Glob{}).Match("") {
		t.Error("the zero Glob is the empty pattern")
	}
}

func TestScopeIsNamedWithoutSecrets(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		scope        []int
		facts        []limits.Fact
		kind, target string
	}{
		{nil, known("sk-1", "o"), "all", "all"},
		{[]int{org}, known("sk-1", "o"), "org", "o"},
		{[]int{key, org}, known("sk-1", "o"), "key+org", limits.HashSecret("sk-1") + "+o"},
		{[]int{key, org}, known("", "o"), "key+org", "-+o"},
	} {
		l := &limits.Limit{Scope: test.scope}
		if kind, target := w.ScopeKind(l), w.ScopeTarget(l, test.facts); kind != test.kind || target != test.target {
			t.Errorf("%v: %q, %q", test.scope, kind, target)
		}
	}
	if h := limits.HashSecret("abc"); h != "ba7816bf8f01" {
		t.Errorf("%q are not the first digits of the SHA-256", h)
	}
}

func TestDimensionsHaveTheirNames(t *testing.T) {
	if got := fmt.Sprint(limits.DimensionNames(), limits.Cost, limits.NumDimensions); got != "[requests tokens input_tokens output_tokens cost_usd concurrency] cost_usd 6" {
		t.Error(got)
	}
}
