package main

import (
	"encoding/binary"
	"errors"
	"strconv"

	"sluice/limits"
	"sluice/tokens"
)

// lessons are what the answers of models have taught of what requests need, in
// shared data, for all workers to share. A worker gathers what it sees, and once
// a second hands it over and takes what others have.
type lessons struct {
	store  limits.Store
	seed   limits.Seed
	prefix string
	known  map[lessonKey]*lesson
	last   *lesson
}

// A lesson is of a model and an operation: embeddings answer nothing.
type lessonKey struct {
	model     string
	operation tokens.Operation
}

type lesson struct {
	lessonKey
	name   []byte // in shared data
	id     uint64 // of the model and the operation
	shared tokens.Learned
	fresh  tokens.Learned // seen here, and not handed over yet
	taught int            // of how many answers it is
	asked  bool           // since the last second
}

// Clients name the models. So there is room for so many, in a worker and in
// shared data, where whoever comes first has a place; and only an answer that
// reports its usage makes a lesson.
const (
	maxLessons  = 256
	lessonSlots = 1024
)

// enoughAnswers of one model in one second teach a worker as much as all.
const enoughAnswers = 64

func newLessons(store limits.Store, seed limits.Seed, namespace string) *lessons {
	return &lessons{store: store, seed: seed, prefix: "sluice/1/" + namespace + "/learned/", known: map[lessonKey]*lesson{}}
}

// of returns what was learned of a model, nil if nothing was.
func (ls *lessons) of(model string, operation tokens.Operation) *tokens.Learned {
	key := lessonKey{model, operation}
	l := ls.last
	if l == nil || l.lessonKey != key {
		if l = ls.known[key]; l == nil {
			l = ls.newLesson(key)
			if !l.load(ls.store) || !ls.keep(l) {
				return nil
			}
		}
		ls.last = l
	}
	l.asked = true
	return &l.shared
}

// observe learns from an answer, all in tokens.
func (ls *lessons) observe(model string, operation tokens.Operation, estimate, input, output, visible int64) {
	key := lessonKey{model, operation}
	l := ls.known[key]
	if l == nil {
		if l = ls.newLesson(key); !ls.keep(l) {
			return
		}
		l.load(ls.store)
	}
	if l.taught < enoughAnswers {
		l.fresh.Observe(estimate, input, output, visible)
		l.taught++
	}
}

func (ls *lessons) newLesson(key lessonKey) *lesson {
	id := ls.seed.Hash(append(append([]byte(key.operation), 0), key.model...))
	return &lesson{lessonKey: key, id: id, name: strconv.AppendUint([]byte(ls.prefix), id%lessonSlots, 10)}
}

// keep makes room for a lesson; false: there is none.
func (ls *lessons) keep(l *lesson) bool {
	if len(ls.known) >= maxLessons {
		return false
	}
	ls.known[l.lessonKey] = l
	return true
}

// share hands over what was seen, and takes what others have. Where there is no
// room left, what nobody asked for since the last time makes some.
func (ls *lessons) share() (err error) {
	full := len(ls.known) >= maxLessons
	for key, l := range ls.known {
		if full && l.taught == 0 && !l.asked {
			delete(ls.known, key)
			if ls.last == l {
				ls.last = nil
			}
			continue
		}
		switch {
		case l.taught > 0:
			err = errors.Join(err, l.merge(ls.store))
		case l.asked:
			l.load(ls.store)
		}
		l.asked = false
	}
	return err
}

// load reads what all have learned; false: nothing, or the place is another's.
func (l *lesson) load(store limits.Store) bool {
	value, _, err := store.Get(l.name)
	if err != nil {
		return false
	}
	learned, ok := l.decode(value)
	if ok {
		l.shared = learned
	}
	return ok
}

func (l *lesson) decode(value []byte) (tokens.Learned, bool) {
	if len(value) != 8+tokens.LearnedSize || binary.LittleEndian.Uint64(value) != l.id {
		return tokens.Learned{}, false
	}
	return tokens.DecodeLearned(value[8:])
}

// mergeAttempts bounds the retries of a merge. What could not be handed over
// waits for the next second.
const mergeAttempts = 20

// merge adds what was seen here to what all have learned. Where the place is
// another model's, it stays with this worker.
func (l *lesson) merge(store limits.Store) error {
	for range mergeAttempts {
		value, version, err := store.Get(l.name)
		missing := errors.Is(err, limits.ErrNotFound)
		if err != nil && !missing {
			return err
		}
		learned, ok := l.decode(value)
		if !missing && !ok && len(value) == 8+tokens.LearnedSize {
			if _, another := tokens.DecodeLearned(value[8:]); another {
				l.shared.Merge(l.fresh)
				l.fresh, l.taught = tokens.Learned{}, 0
				return nil
			}
		}
		learned.Merge(l.fresh)
		value = learned.AppendBinary(binary.LittleEndian.AppendUint64(nil, l.id))
		if missing {
			err = store.Create(l.name, value)
		} else {
			err = store.Swap(l.name, value, version)
		}
		if err == nil {
			l.shared, l.fresh, l.taught = learned, tokens.Learned{}, 0
			return nil
		}
		if !errors.Is(err, limits.ErrConflict) {
			return err
		}
	}
	return limits.ErrContention
}
