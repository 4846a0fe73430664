package e2e

import (
	"fmt"
	"testing"
)

// Counters survive another number of subjects, up and down.
func TestCountersSurviveAnotherNumberOfSubjects(t *testing.T) {
	const keys, few = 30, 40
	g := startGateway(t, setup{config: limitAll("requests", 1)})
	for i, subjects := range []int{few, 100_000, 1000, 1 << 20, few} {
		if err := g.update(t, fmt.Sprintf(`{"state": {"namespace": %q, "max_subjects": %d}, "limits": [
			{"name": "rpm", "scope": ["key"], "dimension": "requests", "limit": 100, "window": "1h"}]}`, g.namespace, subjects)); err != nil {
			t.Fatal(err)
		}
		for k := range keys {
			res := g.do(t, request{key: fmt.Sprint("key-", k)}).is(t, 200)
			if left := res.number(t, "x-ratelimit-remaining-requests"); left != 99-i {
				t.Fatalf("with room for %d subjects %d requests remain for key %d, want %d", subjects, left, k, 99-i)
			}
		}
	}
}
