package headers

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBinding(t *testing.T) {
	less, more := Quota{Remaining: Amount{Value: 1}}, Quota{Remaining: Amount{Value: 2}, Reset: time.Hour}
	longer := Quota{Remaining: Amount{Value: 1}, Reset: time.Minute}
	unstated := Quota{Remaining: Amount{Value: 1}, Reset: Unstated}
	for name, c := range map[string]struct {
		a, b Quota
		want bool
	}{
		"less remaining": {less, more, true}, "more remaining": {more, less, false},
		"as much, for longer": {longer, less, true}, "as much, for less long": {less, longer, false}, "the same": {less, less, false},
		"as much, and it says for how long": {less, unstated, true},
	} {
		if got := c.a.Binding(c.b); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestChoose(t *testing.T) {
	quota := func(dimension string, limit, remaining int64) Quota {
		return Quota{Dimension: dimension, Limit: whole(limit), Remaining: whole(remaining), Reset: time.Second}
	}
	own := []Quota{quota(concurrency, 9, 8), quota(requests, 10, 5), quota(tokens, 100, 50)}
	noLimit := Quota{Dimension: tokens, Remaining: whole(40), Reset: Unstated}
	upstream := []Quota{
		quota("input-images", 3, 0), quota(requests, 1000, 900), quota(requests, 60, 6),
		noLimit, {Dimension: inputTokens, Limit: whole(7), Reset: 0}, quota(outputTokens, 8, 3),
	}
	for name, c := range map[string]struct {
		source Source
		want   []Quota
	}{
		"merge": {Merge, []Quota{own[1], noLimit, upstream[5], own[0]}},
		"hide":  {Hide, []Quota{own[1], own[2], own[0]}},
		"only":  {Only, []Quota{upstream[2], noLimit, upstream[5]}},
	} {
		if got := Choose(nil, own, upstream, c.source); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%v\nwant\n%v", name, got, c.want)
		}
	}
	if got := Choose(own[:1:1], nil, nil, Merge); !slices.Equal(got, own[:1]) {
		t.Errorf("it does not append: %v", got)
	}
}

func TestChooseTakesTheLeast(t *testing.T) {
	one := rapid.Custom(func(t *rapid.T) Quota {
		q := Quota{
			Dimension: rapid.SampledFrom(append(dimensions[:], "input-images", "")).Draw(t, "dimension"),
			Reset:     time.Duration(rapid.Int64Range(-1, 3).Draw(t, "reset")),
		}
		if rapid.Bool().Draw(t, "states remaining") {
			q.Remaining = whole(rapid.Int64Range(0, 3).Draw(t, "remaining"))
		}
		return q
	})
	rapid.Check(t, func(t *rapid.T) {
		own := rapid.SliceOf(one).Draw(t, "own")
		upstream := rapid.SliceOf(one).Draw(t, "upstream")
		got := Choose(nil, own, upstream, Merge)
		all := slices.Concat(own, upstream)
		for _, d := range dimensions {
			candidates := 0
			i := slices.IndexFunc(got, func(q Quota) bool { return q.Dimension == d })
			for _, q := range all {
				if q.Dimension != d || !q.Remaining.Stated() {
					continue
				}
				candidates++
				if i < 0 || q.Binding(got[i]) {
					t.Fatalf("%v is shown, %v binds", got, q)
				}
			}
			if candidates == 0 && i >= 0 {
				t.Fatalf("%v comes from nowhere", got[i])
			}
		}
		if len(got) > len(dimensions) {
			t.Fatalf("%d are shown", len(got))
		}
	})
}
