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
	bucketMarks          // pairs: number of a charge, low
	bucketWords   = bucketMarks + 2*maxMarks

	maxMarks = 6
)

// A mark says that just before some charge no more was missing than low. A charge
// that is refunded can't give back more than the least that has been missing
// since: the rest of it was refilled, and had it never been charged, the bucket
// would have been full for a while, and the refill lost. Without this, charges
// that are held open and refunded later would save up more than a burst.
//
// Of the marks only those are kept that are lower than all that follow, so both
// their charges and their lows ascend.
type mark struct{ charge, low int64 }

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
	charge := max(now, c.word(bucketCharge)+1)
	c.set(bucketCharge, charge)
	var room [maxMarks + 1]mark
	low := missing
	if part > 0 {
		low-- // whole units alone can be given back
	}
	marks := append(lower(readMarks(c, room[:0]), low), mark{charge, low})
	writeMarks(c, thinned(marks))
	b.put(c, ceiling, saturatingAdd(missing, amount), part, since)
	return charge
}

func (b *tokenBucket) take(c cell, ceiling, amount, window, now int64) (taken int64) {
	if window > c.word(bucketCharge) {
		return 0 // it was made in a cell that is no more
	}
	missing, part, since := b.level(c, ceiling, now)
	taken = min(amount, missing)
	var room [maxMarks]mark
	marks := readMarks(c, room[:0])
	later := len(marks)
	for later > 0 && marks[later-1].charge > window {
		later--
	}
	if later < len(marks) {
		taken = min(taken, marks[later].low)
		kept := lower(marks[:later], marks[later].low-taken)
		for _, m := range marks[later:] {
			kept = append(kept, mark{m.charge, m.low - taken})
		}
		writeMarks(c, kept)
	}
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

// readMarks appends a cell's marks to some.
func readMarks(c cell, marks []mark) []mark {
	for i := bucketMarks; i < bucketWords && c.word(i) > 0; i += 2 {
		marks = append(marks, mark{c.word(i), max(0, c.word(i+1))})
	}
	return marks
}

func writeMarks(c cell, marks []mark) {
	for i := range maxMarks {
		var m mark
		if i < len(marks) {
			m = marks[i]
		}
		c.set(bucketMarks+2*i, m.charge)
		c.set(bucketMarks+2*i+1, m.low)
	}
}

// lower are the first of some marks, those that are below low.
func lower(marks []mark, low int64) []mark {
	for len(marks) > 0 && marks[len(marks)-1].low >= low {
		marks = marks[:len(marks)-1]
	}
	return marks
}

// thinned makes one mark of the two whose lows differ least, if there are too
// many. The lower one then counts for both: a refund may be a little too small.
func thinned(marks []mark) []mark {
	if len(marks) <= maxMarks {
		return marks
	}
	least := 0
	for i := range len(marks) - 1 {
		if marks[i+1].low-marks[i].low < marks[least+1].low-marks[least].low {
			least = i
		}
	}
	marks[least+1].low = marks[least].low
	return append(marks[:least], marks[least+1:]...)
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
