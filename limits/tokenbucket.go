package limits

import "math/bits"

// tokenBucket refills by the ceiling in each window, up to the burst. What is
// kept is how much is missing.
//
// A refill is counted in whole milliseconds and in parts of a unit, of which
// the window's length in milliseconds make one: in these, every millisecond
// refills exactly the ceiling, and nothing is ever rounded away.
type tokenBucket struct {
	window int64 // ms
}

const (
	bucketFull    = iota // when nothing will be missing
	bucketMissing        // at the time of bucketSince
	bucketPart           // of what is missing, the parts that are there already
	bucketSince          // ms since 1970
	bucketCharge         // number of the last charge
	bucketCharged        // in all, less what was refunded; up to a constant
	bucketMarks

	markWords   = 3
	bucketWords = bucketMarks + markWords*maxMarks
)

func (b *tokenBucket) words() int { return bucketWords }

// level says how much is missing now, how many parts of it are there already,
// and since when that is so.
func (b *tokenBucket) level(c cell, ceiling, now int64) (missing, part, since int64) {
	if c == nil {
		return 0, 0, now
	}
	missing, part, since = max(0, c.word(bucketMissing)), c.word(bucketPart), c.word(bucketSince)
	part = min(max(0, part), b.window-1)
	if since >= now {
		return missing, part, since
	}
	refilled, part := mulAddDiv(now-since, ceiling, part, b.window)
	if refilled >= missing {
		return 0, 0, now
	}
	return missing - refilled, part, now
}

// time is how long some units, at least 1, take to refill, of which a part is
// there already.
func (b *tokenBucket) time(units, part, ceiling int64) int64 {
	ms, rest := mulAddDiv(units-1, b.window, b.window-part, ceiling)
	if rest > 0 {
		ms = saturatingAdd(ms, 1)
	}
	return ms
}

func (b *tokenBucket) used(c cell, ceiling, now int64) (used, reset int64) {
	missing, part, since := b.level(c, ceiling, now)
	if missing == 0 {
		return 0, 0
	}
	return missing, saturatingAdd(since, b.time(missing, part, ceiling))
}

func (b *tokenBucket) wait(c cell, ceiling, most, now int64) int64 {
	missing, part, since := b.level(c, ceiling, now)
	return saturatingAdd(since-now, b.time(missing-most, part, ceiling))
}

func (b *tokenBucket) add(c cell, ceiling, amount, now int64) (window int64) {
	missing, part, since := b.level(c, ceiling, now)
	charge, charged := max(now, c.word(bucketCharge)+1), c.word(bucketCharged)
	low := missing
	if part > 0 {
		low-- // whole units alone can be given back
	}
	var room [maxMarks + 1]mark
	writeMarks(c, marked(readMarks(c, room[:0]), mark{charge, low, charged - low}))
	c.set(bucketCharge, charge)
	c.set(bucketCharged, charged+amount)
	b.put(c, ceiling, saturatingAdd(missing, amount), part, since)
	return charge
}

func (b *tokenBucket) take(c cell, ceiling, amount, window, now int64) (taken int64) {
	if window > c.word(bucketCharge) {
		return 0 // it was made in a cell that is no more
	}
	missing, part, since := b.level(c, ceiling, now)
	var room [maxMarks]mark
	taken, left := refunded(readMarks(c, room[:0]), window, min(amount, missing))
	writeMarks(c, left)
	c.set(bucketCharged, c.word(bucketCharged)-taken)
	b.put(c, ceiling, missing-taken, part, since)
	return taken
}

func (b *tokenBucket) put(c cell, ceiling, missing, part, since int64) {
	full := since
	if missing > 0 {
		full = saturatingAdd(since, b.time(missing, part, ceiling))
	} else {
		part = 0
	}
	c.set(bucketFull, full)
	c.set(bucketMissing, missing)
	c.set(bucketPart, part)
	c.set(bucketSince, since)
}

func (b *tokenBucket) repair(c cell, ceiling, now int64) bool {
	if c.word(bucketSince) <= now+clockSlack {
		return false
	}
	missing, part, _ := b.level(c, ceiling, now)
	b.put(c, ceiling, missing, part, now)
	return true
}

// mulAddDiv is (a·b+add)/c and the rest, for numbers of at least 0, c above 0,
// in 128 bits; never, if an int64 does not hold it.
func mulAddDiv(a, b, add, c int64) (quotient, rest int64) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	low, carry := bits.Add64(low, uint64(add), 0)
	high += carry
	if high >= uint64(c) {
		return never, 0
	}
	q, r := bits.Div64(high, low, uint64(c))
	if q > never {
		return never, 0
	}
	return int64(q), int64(r)
}
