package limits

// sliding counts in slices of a window. A slice counts until the whole of it is
// more than a window ago, so that no interval of a window's length ever holds
// more than the ceiling; what was used at a slice's start counts for up to one
// slice longer than it need.
type sliding struct {
	window int64 // ms
	slice  int64 // ms
}

// slices is how many there are in a window; with the one that has begun, one
// more counts.
const (
	slices = 32
	ring   = slices + 1
)

const (
	slidingIdle   = iota // when the newest slice counts no more
	slidingNewest        // slice, by its number since 1970
	slidingCounts        // of the slices, by number modulo ring
	slidingWords  = slidingCounts + ring
)

func newSliding(window int64) *sliding {
	return &sliding{window: window, slice: (window + slices - 1) / slices}
}

func (s *sliding) words() int { return slidingWords }

// ends is when a slice counts no more.
func (s *sliding) ends(slice int64) int64 { return (slice+1)*s.slice + s.window }

func count(slice int64) int { return slidingCounts + int(slice%ring) }

// live visits the slices that count, the oldest first.
func (s *sliding) live(c cell, now int64, visit func(slice, used int64) bool) {
	if c == nil {
		return
	}
	newest := c.word(slidingNewest)
	for slice := max(0, newest-slices); slice <= newest; slice++ {
		if used := c.word(count(slice)); used > 0 && s.ends(slice) > now && !visit(slice, used) {
			return
		}
	}
}

func (s *sliding) used(c cell, _, now int64) (used, reset int64) {
	s.live(c, now, func(slice, n int64) bool {
		used, reset = saturatingAdd(used, n), s.ends(slice)
		return true
	})
	return used, reset
}

func (s *sliding) wait(c cell, ceiling, amount, now int64) (wait int64) {
	used, _ := s.used(c, ceiling, now)
	s.live(c, now, func(slice, n int64) bool {
		used -= n
		wait = s.ends(slice) - now
		// An amount of 0 wants anything to be left.
		return used+max(amount, 1) > ceiling
	})
	return wait
}

func (s *sliding) add(c cell, _, amount, now int64) (window int64) {
	slice, newest := now/s.slice, c.word(slidingNewest)
	if slice < newest { // another worker was a little later
		slice = newest
	}
	for i := max(newest+1, slice-slices); i <= slice; i++ {
		c.set(count(i), 0)
	}
	c.set(slidingNewest, slice)
	c.set(slidingIdle, s.ends(slice))
	c.set(count(slice), saturatingAdd(c.word(count(slice)), amount))
	return slice
}

func (s *sliding) take(c cell, _, amount, window, _ int64) {
	if newest := c.word(slidingNewest); window <= newest && window > newest-ring {
		c.set(count(window), max(0, c.word(count(window))-amount))
	}
}

// repair gathers all that counts in the slice of now: it stays counted, for one
// window at most.
func (s *sliding) repair(c cell, now int64) bool {
	if c.word(slidingNewest)*s.slice <= now+clockSlack {
		return false
	}
	used, _ := s.used(c, 0, now)
	for i := range slidingWords {
		c.set(i, 0)
	}
	s.add(c, 0, used, now)
	return true
}
