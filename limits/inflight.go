package limits

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"time"
)

// InFlight sums up over all who share a Store how many streams each of them has
// in flight. Everyone's share is a lease that it renews by reporting: of who
// crashed, nothing is left after a few seconds. It is not safe for concurrent
// use: each worker has one of its own.
type InFlight struct {
	store Store
	name  uint64 // a name that nobody else has
	value []byte // scratch
}

// InFlightLease is how long a share counts that is not reported again.
const InFlightLease = 5 * time.Second

// The shares are one value, since everyone needs all of them: a version byte,
// and of each its name, time (ms since 1970) and number, 8 bytes each.
const (
	inFlightKey     = keyPrefix + "in-flight"
	inFlightVersion = 1
	shareSize       = 3 * 8

	// maxShares is more than there are workers. It keeps garbage from growing.
	maxShares = 4096
)

// NewInFlight makes one that has reported nothing yet.
func NewInFlight(store Store) *InFlight { return &InFlight{store: store, name: rand.Uint64()} }

// Report says that this worker has so many streams in flight, at least 0, and
// returns the sum of all. An error is the Store's, or ErrContention.
func (f *InFlight) Report(now time.Time, own int64) (all int64, err error) {
	for range maxAttempts {
		value, version, err := f.store.Get([]byte(inFlightKey))
		missing := errors.Is(err, ErrNotFound)
		if err != nil && !missing {
			return 0, err
		}
		all, changed := f.merge(value, now.UnixMilli(), own)
		switch {
		case !changed:
			return all, nil
		case missing:
			err = f.store.Create([]byte(inFlightKey), f.value)
		default:
			err = f.store.Swap([]byte(inFlightKey), f.value, version)
		}
		if !errors.Is(err, ErrConflict) {
			return all, err
		}
	}
	return 0, ErrContention
}

// merge lays the shares anew: the own one as it is now, and those of others that
// still count. Garbage holds none.
func (f *InFlight) merge(value []byte, now, own int64) (all int64, changed bool) {
	f.value = append(f.value[:0], inFlightVersion)
	if len(value) == 0 || value[0] != inFlightVersion || len(value)%shareSize != 1 || len(value) > maxShares*shareSize {
		value, changed = []byte{inFlightVersion}, len(value) > 0
	}
	for s := value[1:]; len(s) > 0; s = s[shareSize:] {
		name := binary.LittleEndian.Uint64(s)
		at := int64(binary.LittleEndian.Uint64(s[8:]))
		n := int64(binary.LittleEndian.Uint64(s[16:]))
		// A time far ahead is of a clock that was wrong.
		lease := InFlightLease.Milliseconds()
		if name == f.name || n <= 0 || at <= now-lease || at >= now+lease {
			changed = true
			continue
		}
		all = saturatingAdd(all, n)
		f.value = append(f.value, s[:shareSize]...)
	}
	if own > 0 {
		changed = true
		all = saturatingAdd(all, own)
		f.value = binary.LittleEndian.AppendUint64(f.value, f.name)
		f.value = binary.LittleEndian.AppendUint64(f.value, uint64(now))
		f.value = binary.LittleEndian.AppendUint64(f.value, uint64(own))
	}
	return all, changed
}
