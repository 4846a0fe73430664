package limits

import "errors"

// A Store keeps counters where every worker of one Envoy process sees them.
//
// Keys and values given to a Store are valid only during the call. A value that
// Get returns belongs to the caller, who may change it. Values are never
// deleted.
type Store interface {
	// Get returns the value of key and its version, or ErrNotFound.
	Get(key []byte) (value []byte, version uint32, err error)

	// Create stores value only if key has none, else it returns ErrConflict.
	Create(key, value []byte) error

	// Swap stores value only if key's version is still the given one, else it
	// returns ErrConflict.
	Swap(key, value []byte, version uint32) error
}

var (
	// ErrNotFound says that a key has no value.
	ErrNotFound = errors.New("limits: no such key")
	// ErrConflict says that another worker was faster; read again and retry.
	ErrConflict = errors.New("limits: changed meanwhile")
	// ErrContention says that every retry met a conflict.
	ErrContention = errors.New("limits: too much contention")
)
