package limitstest

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"

	"sluice/limits"
)

// TestStore holds a Store to its contract, and the engine over it to its counts.
// Everything that open returns must reach one common store; each worker has one
// of its own. What the store holds already does no harm.
func TestStore(t *testing.T, open func() limits.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, place)
	}{
		{"a key without a value is not found", notFound},
		{"a value is created only once", create},
		{"a value is swapped only at its version", swap},
		{"each write has a version of its own", versions},
		{"keys and values are copied", ownership},
		{"any bytes are a value", values},
		{"many keys stay apart", manyKeys},
		{"of parallel creators one wins", parallelCreate},
		{"no parallel swap is lost", parallelSwap},

		{"all workers find one seed", seed},
		{"parallel workers admit exactly what fits", admission},
		{"parallel workers admit exactly what fits three scopes", threeScopes},
		{"parallel settlements are all counted", settlement},
		{"parallel slots are all given back", slots},
		{"a retry is admitted after the wait, and not earlier", retry},
		{"garbage is replaced", garbage},
		{"another engine goes on counting", another},
		{"a changed ceiling applies to the use so far", changedCeiling},
		{"another number of subjects keeps the counts", changedSubjects},
		{"parallel workers with room for different numbers of subjects admit exactly what fits", differentSubjects},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newPlace(open)) })
	}
}

// place is a part of the store that nobody else uses.
type place struct {
	open func() limits.Store
	name string
}

func newPlace(open func() limits.Store) place {
	var b [8]byte
	rand.Read(b[:])
	return place{open, "limitstest-" + hex.EncodeToString(b[:])}
}

func (p place) key(s string) []byte { return []byte(p.name + "/" + s) }

// The store

func notFound(t *testing.T, p place) {
	value, _, err := p.open().Get(p.key("missing"))
	if !errors.Is(err, limits.ErrNotFound) {
		t.Errorf("Get = %q, %v; want ErrNotFound", value, err)
	}
}

func create(t *testing.T, p place) {
	s := p.open()
	must(t, s.Create(p.key("a"), []byte("first")))
	if err := s.Create(p.key("a"), []byte("second")); !errors.Is(err, limits.ErrConflict) {
		t.Errorf("the second Create = %v; want ErrConflict", err)
	}
	wantValue(t, p.open(), p.key("a"), "first")
}

func swap(t *testing.T, p place) {
	s := p.open()
	must(t, s.Create(p.key("a"), []byte("one")))
	_, version, err := s.Get(p.key("a"))
	must(t, err)
	must(t, s.Swap(p.key("a"), []byte("two"), version))
	if err := s.Swap(p.key("a"), []byte("three"), version); !errors.Is(err, limits.ErrConflict) {
		t.Errorf("Swap at an old version = %v; want ErrConflict", err)
	}
	wantValue(t, p.open(), p.key("a"), "two")
}

// versions would show a store that compares values: a worker that missed two
// writes must not take the second for what it has seen.
func versions(t *testing.T, p place) {
	s, seen := p.open(), map[uint32]bool{}
	must(t, s.Create(p.key("a"), []byte("same")))
	for range 20 {
		_, version, err := s.Get(p.key("a"))
		must(t, err)
		if seen[version] {
			t.Fatalf("version %d comes again", version)
		}
		seen[version] = true
		must(t, s.Swap(p.key("a"), []byte("same"), version))
	}
}

func ownership(t *testing.T, p place) {
	s := p.open()
	key, value := p.key("a"), []byte("value")
	must(t, s.Create(key, value))
	key[len(key)-1], value[0] = 'b', 'X'
	got, version, err := s.Get(p.key("a"))
	must(t, err)
	if string(got) != "value" {
		t.Fatalf("the store keeps the caller's bytes: %q", got)
	}
	got[0] = 'Y'
	wantValue(t, s, p.key("a"), "value")

	value = []byte("other")
	must(t, s.Swap(p.key("a"), value, version))
	value[0] = 'X'
	wantValue(t, s, p.key("a"), "other")
	if string(got) != "Yalue" {
		t.Errorf("a value that was read has become %q", got)
	}
}

func values(t *testing.T, p place) {
	big := make([]byte, 64<<10)
	for i := range big {
		big[i] = byte(i * 7)
	}
	for i, value := range []string{"", "\x00", "a\x00b", "\xff\xfe\xfd", "\r\n", string(big)} {
		s, key := p.open(), p.key(fmt.Sprint(i))
		must(t, s.Create(key, []byte(value)))
		wantValue(t, s, key, value)
		if err := s.Create(key, []byte("new")); !errors.Is(err, limits.ErrConflict) {
			t.Errorf("Create over a value of %d bytes = %v; want ErrConflict", len(value), err)
		}
		_, version, err := s.Get(key)
		must(t, err)
		must(t, s.Swap(key, []byte("x"+value), version))
		wantValue(t, s, key, "x"+value)
	}
}

func manyKeys(t *testing.T, p place) {
	s := p.open()
	for i := range 1000 {
		must(t, s.Create(p.key(fmt.Sprint(i)), fmt.Append(nil, i)))
	}
	for i := range 1000 {
		wantValue(t, s, p.key(fmt.Sprint(i)), fmt.Sprint(i))
	}
}

const workers = 8

// parallel runs a function in as many workers, and adds up what they return.
func parallel(run func(worker int) int) int {
	var wait sync.WaitGroup
	var results [workers]int
	for w := range workers {
		wait.Go(func() { results[w] = run(w) })
	}
	wait.Wait()
	sum := 0
	for _, n := range results {
		sum += n
	}
	return sum
}

func parallelCreate(t *testing.T, p place) {
	for round := range 20 {
		key := p.key(fmt.Sprint(round))
		won := parallel(func(worker int) int {
			switch err := p.open().Create(key, fmt.Append(nil, worker)); {
			case err == nil:
				return 1
			case !errors.Is(err, limits.ErrConflict):
				t.Error(err)
			}
			return 0
		})
		if won != 1 {
			t.Fatalf("%d workers created one key", won)
		}
	}
}

func parallelSwap(t *testing.T, p place) {
	const each = 25
	must(t, p.open().Create(p.key("a"), nil))
	parallel(func(int) int {
		s := p.open()
		for done := 0; done < each; {
			value, version, err := s.Get(p.key("a"))
			if err == nil {
				err = s.Swap(p.key("a"), append(value, '.'), version)
			}
			if err == nil {
				done++
			} else if !errors.Is(err, limits.ErrConflict) {
				t.Error(err)
				return 0
			}
		}
		return 0
	})
	wantValue(t, p.open(), p.key("a"), string(bytes.Repeat([]byte("."), workers*each)))
}

// must reports an error without ending the test: workers are goroutines.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func wantValue(t *testing.T, s limits.Store, key []byte, want string) {
	t.Helper()
	value, _, err := s.Get(key)
	if err != nil || string(value) != want {
		t.Errorf("Get = %.40q, %v; want %.40q", value, err, want)
	}
}
