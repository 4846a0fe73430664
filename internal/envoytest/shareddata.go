package envoytest

import (
	"slices"
	"sync"
)

// SharedData is the key-value store that all VMs with one vm_id share (P17).
// Nothing in it is ever deleted (P16).
type SharedData struct {
	// BeforeSet, if any, is called before each write of the filter. A test can
	// write there itself, to play a worker that came first.
	BeforeSet func(key string)

	// Broken, if any, says for which keys each read and write of the filter fails.
	Broken func(key string) bool

	mu      sync.Mutex
	entries map[string]sharedEntry
	lastCAS uint32
}

type sharedEntry struct {
	value string
	cas   uint32
}

// NewSharedData returns an empty store.
func NewSharedData() *SharedData { return &SharedData{entries: map[string]sharedEntry{}} }

// Get returns the value of a key, and whether there is one.
func (d *SharedData) Get(key string) (value []byte, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	entry, ok := d.entries[key]
	return []byte(entry.value), ok
}

// Set overwrites the value of a key.
func (d *SharedData) Set(key string, value []byte) { d.compareAndSet(key, string(value), 0) }

// Keys returns all keys, sorted.
func (d *SharedData) Keys() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	keys := make([]string, 0, len(d.entries))
	for key := range d.entries {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// compareAndSet has the semantics of P15: a cas of 0 overwrites blindly, and any
// cas creates a key that is missing.
func (d *SharedData) compareAndSet(key, value string, cas uint32) status {
	d.mu.Lock()
	defer d.mu.Unlock()
	if entry, ok := d.entries[key]; ok && cas != 0 && cas != entry.cas {
		return statusCasMismatch
	}
	if d.lastCAS++; d.lastCAS == 0 {
		d.lastCAS = 1
	}
	d.entries[key] = sharedEntry{value, d.lastCAS}
	return statusOK
}

func (w *worker) getSharedData(key string) (value string, cas uint32, s status) {
	d := w.envoy.shared
	if d.Broken != nil && d.Broken(key) {
		return "", 0, statusInternalFailure
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	entry, ok := d.entries[key]
	if !ok {
		return "", 0, statusNotFound
	}
	return entry.value, entry.cas, statusOK
}

func (w *worker) setSharedData(key, value string, cas uint32) status {
	if before := w.envoy.shared.BeforeSet; before != nil {
		before(key)
	}
	if broken := w.envoy.shared.Broken; broken != nil && broken(key) {
		return statusInternalFailure
	}
	return w.envoy.shared.compareAndSet(key, value, cas)
}
