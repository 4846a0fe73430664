package limits

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// A table of depth d has 2^d buckets; a subject's is named by the lowest d bits
// of its fingerprint. All tables of a namespace have one depth, which only
// grows: where there is room for more subjects than before, every bucket is
// split when it is needed (see fetch), and no count is lost. Fewer subjects find
// less room in the buckets that there are.
const (
	maxDepth     = 20 // for 16 million subjects
	unknownDepth = -1

	// A bucket has room for so many more subjects than it gets on average that
	// chance overflows are rare: one in a million buckets of a full table.
	meanRecords = 16
	maxRecords  = 40 // of a table that has only one bucket
)

// depthFor is the depth of a table with room for so many subjects.
func depthFor(subjects int) int {
	if subjects <= maxRecords {
		return 0
	}
	return min(bits.Len(uint((subjects-1)/meanRecords)), maxDepth)
}

// room is how many subjects a bucket holds.
func (e *Engine) room() int {
	if e.depth == 0 {
		return max(1, e.subjects)
	}
	mean := math.Ldexp(float64(e.subjects), -e.depth)
	return int(math.Ceil(mean + 6*math.Sqrt(mean))) // six standard deviations
}

// share says whether two fingerprints have the same bucket in a table.
func share(a, b uint64, depth int) bool { return bucketOf(a, depth) == bucketOf(b, depth) }

func bucketOf(print uint64, depth int) uint64 { return print & (1<<depth - 1) }

// bucketKey writes the key of a bucket into the scratch.
func (e *Engine) bucketKey(t *table, print uint64, depth int) []byte {
	e.key = append(e.key[:0], t.prefix...)
	e.key = strconv.AppendUint(e.key, bucketOf(print, depth), 10)
	return e.key
}

// levels are the depths that the tables of a namespace have had, by their bits.
type levels uint32

const levelsVersion = 1

func parseLevels(b []byte) levels {
	if len(b) != 5 || b[0] != levelsVersion {
		return 0
	}
	return levels(binary.LittleEndian.Uint32(b[1:])) & (1<<(maxDepth+1) - 1)
}

// top is the greatest of the levels, or unknownDepth.
func (l levels) top() int { return bits.Len32(uint32(l)) - 1 }

// below are those of the levels that are less than a depth.
func (l levels) below(depth int) levels { return l & (1<<depth - 1) }

// agree finds the depth on which all engines agree, which is the greatest that
// one of them needs.
func (e *Engine) agree() error {
	key, own := []byte(keyPrefix+e.namespace+"/depths"), depthFor(e.subjects)
	for range maxAttempts {
		value, version, err := e.store.Get(key)
		exists := err == nil
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		l := parseLevels(value)
		if l.top() < own {
			l |= 1 << own
			fresh := binary.LittleEndian.AppendUint32([]byte{levelsVersion}, uint32(l))
			if exists {
				err = e.store.Swap(key, fresh, version)
			} else {
				err = e.store.Create(key, fresh)
			}
			if errors.Is(err, ErrConflict) {
				continue
			}
			if err != nil {
				return err
			}
		}
		e.levels, e.depth = l, l.top()
		return nil
	}
	return ErrContention
}
