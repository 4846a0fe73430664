package limits

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/dchest/siphash"
)

// A Seed is a secret that keys the fingerprints.
type Seed [2]uint64

// Hash is a number of 64 bits that nobody can aim at without the seed.
func (s Seed) Hash(b []byte) uint64 { return siphash.Hash(s[0], s[1], b) }

// fingerprint is a subject's name in the store: 128 bits that nobody can aim at
// without the seed. The zero one is the overflow's.
type fingerprint struct{ hi, lo uint64 }

// SharedSeed returns the seed of a namespace, which the first caller makes.
func SharedSeed(store Store, namespace string) (Seed, error) {
	key := []byte(keyPrefix + namespace + "/seed")
	for range maxAttempts {
		value, version, err := store.Get(key)
		if err == nil && len(value) == 16 {
			return Seed{binary.LittleEndian.Uint64(value), binary.LittleEndian.Uint64(value[8:])}, nil
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return Seed{}, err
		}
		// The generator behind these is ChaCha8, seeded by the system.
		fresh := binary.LittleEndian.AppendUint64(nil, rand.Uint64())
		fresh = binary.LittleEndian.AppendUint64(fresh, rand.Uint64())
		if err == nil {
			err = store.Swap(key, fresh, version) // garbage was there
		} else {
			err = store.Create(key, fresh)
		}
		if err != nil && !errors.Is(err, ErrConflict) {
			return Seed{}, err
		}
	}
	return Seed{}, ErrContention
}

// fingerprint names the subject that the facts are in a scope. Lengths keep
// ("ab","c") and ("a","bc") apart, and an absent value is no empty one.
func (e *Engine) fingerprint(scope []int, facts []Fact) fingerprint {
	b := e.key[:0]
	for _, a := range scope {
		f := &facts[a]
		if f.Status != Known {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(f.Value)))
		b = append(b, f.Value...)
	}
	e.key = b
	hi, lo := siphash.Hash128(e.seed[0], e.seed[1], b)
	return fingerprint{hi, lo | 1} // never the overflow's
}

// HashSecret is the form in which a secret value may be shown or written in a
// configuration: the first 12 hex digits of its SHA-256.
func HashSecret(value string) string {
	sum := sha256.Sum256([]byte(value))
	var digits [12]byte
	hex.Encode(digits[:], sum[:6])
	return string(digits[:])
}

// ScopeKind names a limit's scope: its attributes joined by "+", or "all".
func (e *Engine) ScopeKind(l *Limit) string {
	return e.joined(l, func(a int) string { return e.attributes[a].Name })
}

// ScopeTarget names the subject likewise by its values: a secret one as its
// hash, an absent one as "-".
func (e *Engine) ScopeTarget(l *Limit, facts []Fact) string {
	return e.joined(l, func(a int) string {
		switch {
		case facts[a].Status != Known:
			return "-"
		case e.attributes[a].Secret:
			return HashSecret(facts[a].Value)
		}
		return facts[a].Value
	})
}

func (e *Engine) joined(l *Limit, name func(attribute int) string) string {
	if len(l.Scope) == 0 {
		return "all"
	}
	var b strings.Builder
	for i, a := range l.Scope {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(name(a))
	}
	return b.String()
}
