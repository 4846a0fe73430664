// Package shareddata is Envoy's shared data as a limits.Store. It is common to
// all workers and all plugins with the same vm_id (P17), and survives a new
// configuration and a crashed VM (P18).
package shareddata

import (
	"errors"
	"math"
	"unsafe"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/limits"
)

// Store is the shared data of the VM that it is used in.
type Store struct{}

func (Store) Get(key []byte) ([]byte, uint32, error) {
	value, version, err := proxywasm.GetSharedData(text(key))
	if errors.Is(err, types.ErrorStatusNotFound) {
		err = limits.ErrNotFound
	}
	return value, version, err
}

// impossible is a version that no value ever has. Envoy accepts any version for
// a key that is missing, and compares it for one that is not: so this one makes
// a put-if-absent. 0 would overwrite blindly (P15).
const impossible = math.MaxUint32

func (Store) Create(key, value []byte) error { return set(key, value, impossible) }

func (Store) Swap(key, value []byte, version uint32) error { return set(key, value, version) }

func set(key, value []byte, version uint32) error {
	err := proxywasm.SetSharedData(text(key), value, version)
	if errors.Is(err, types.ErrorStatusCasMismatch) {
		return limits.ErrConflict
	}
	return err
}

// text is b as a string without a copy: the host has copied it when the call
// returns.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
