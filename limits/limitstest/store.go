// Package limitstest has what every limits.Store must do, as a test, and a
// Store in memory that does it as Envoy's shared data does.
package limitstest

import (
	"maps"
	"math"
	"sync"

	"sluice/limits"
)

// Memory is a Store with the semantics of Envoy's shared data (P15), safe for
// concurrent use: workers race on it as they do there.
type Memory struct {
	mutex sync.Mutex
	data  map[string]item

	// BeforeSet, where set, runs before every write, without the lock: a test
	// plays another worker there.
	BeforeSet func(key string)
}

type item struct {
	value   []byte
	version uint32
}

// NewMemory makes an empty Store.
func NewMemory() *Memory { return &Memory{data: map[string]item{}} }

func (m *Memory) Get(key []byte) ([]byte, uint32, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	it, ok := m.data[string(key)]
	if !ok {
		return nil, 0, limits.ErrNotFound
	}
	return append([]byte(nil), it.value...), it.version, nil
}

func (m *Memory) Create(key, value []byte) error { return m.set(key, value, math.MaxUint32) }

func (m *Memory) Swap(key, value []byte, version uint32) error { return m.set(key, value, version) }

// set is Envoy's set_shared_data: version 0 writes blindly, and on a missing
// key any version inserts.
func (m *Memory) set(key, value []byte, version uint32) error {
	if m.BeforeSet != nil {
		m.BeforeSet(string(key))
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	it, exists := m.data[string(key)]
	if exists && version != 0 && version != it.version {
		return limits.ErrConflict
	}
	m.data[string(key)] = item{append([]byte(nil), value...), it.version + 1}
	return nil
}

// Clone is a Store that holds the same and goes its own way from here on.
func (m *Memory) Clone() *Memory {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return &Memory{data: maps.Clone(m.data)} // values are never changed in place
}

// Len is the number of keys.
func (m *Memory) Len() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return len(m.data)
}

// Keys lists the keys.
func (m *Memory) Keys() []string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	keys := make([]string, 0, len(m.data))
	for k := range m.data {
		keys = append(keys, k)
	}
	return keys
}
