package limitstest_test

import (
	"testing"

	"sluice/limits"
	"sluice/limits/limitstest"
)

func TestMemoryIsAStore(t *testing.T) {
	m := limitstest.NewMemory()
	limitstest.TestStore(t, func() limits.Store { return m })
}

// The traps of Envoy's shared data are what the engine must not fall into, so
// the store that it is tested on has them.
func TestMemoryHasTheTrapsOfEnvoy(t *testing.T) {
	m := limitstest.NewMemory()
	if err := m.Swap([]byte("missing"), []byte("a"), 7); err != nil {
		t.Errorf("a Swap of a missing key = %v; Envoy inserts it", err)
	}
	if err := m.Swap([]byte("missing"), []byte("b"), 0); err != nil {
		t.Errorf("a Swap at version 0 = %v; Envoy writes it blindly", err)
	}
	if value, _, _ := m.Get([]byte("missing")); string(value) != "b" {
		t.Errorf("%q", value)
	}
	if n := m.Len(); n != 1 {
		t.Errorf("%d keys", n)
	}
}
