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

// oldest is the first slice of a cell that still counts now.
func (s *sliding) oldest(c cell, now int64) int64 {
	return max(0, c.word(slidingNewest)-slices, (now-s.window)/s.slice)
}

func count(slice int64) int { return slidingCounts + int(slice%ring) }

func (s *sliding) used(c cell, _, now int64) (used, reset int64) {
	if c == nil || now >= c.word(slidingIdle) {
		return 0, 0
	}
	newest, slice := c.word(slidingNewest), s.oldest(c, now)
	last := slice
	// A division for each slice would be most of the work.
	for i := count(slice); slice <= newest; slice++ {
		if n := c.word(i); n > 0 {
			used, last = saturatingAdd(used, n), slice
		}
		if i++; i == slidingWords {
			i = slidingCounts
		}
	}
	if used == 0 {
		return 0, 0
	}
	return used, s.ends(last)
}

func (s *sliding) wait(c cell, _, most, now int64) int64 {
	used, end := s.used(c, 0, now)
	newest := c.word(slidingNewest)
	for slice := s.oldest(c, now); slice <= newest && used > most; slice++ {
		if n := c.word(count(slice)); n > 0 {
			used, end = used-n, s.ends(slice)
		}
	}
	return end - now
}

func (s *sliding) add(c cell, _, amount, now int64) (window int64) {
	newest := c.word(slidingNewest)
	// Another worker may have been a little later.
	slice := max(now/s.slice, newest)
	for i := max(newest+1, slice-slices); i <= slice; i++ {
		c.set(count(i), 0)
	}
	c.set(slidingNewest, slice)
	c.set(slidingIdle, s.ends(slice))
	c.set(count(slice), saturatingAdd(max(0, c.word(count(slice))), amount))
	return slice
}

func (s *sliding) take(c cell, _, amount, window, now int64) (taken int64) {
	if window < s.oldest(c, now) || window > c.word(slidingNewest) {
		return 0
	}
	used := c.word(count(window))
	taken = max(0, min(amount, used))
	c.set(count(window), used-taken)
	if left, _ := s.used(c, 0, now); left == 0 {
		c.set(slidingIdle, 0) // it says nothing any more, and must not hold its room
	}
	return taken
}

// repair gathers all that counts in the slice of now: it stays counted, for one
// window at most.
func (s *sliding) repair(c cell, _, now int64) bool {
	if c.word(slidingNewest) <= (now+clockSlack)/s.slice {
		return false
	}
	used := int64(0)
	for i := range ring {
		used = saturatingAdd(used, max(0, c.word(slidingCounts+i)))
		c.set(slidingCounts+i, 0)
	}
	c.set(slidingNewest, now/s.slice)
	s.add(c, 0, used, now)
	return true
}
