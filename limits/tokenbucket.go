package limits

import "math/bits"

// tokenBucket holds up to a burst of units, and refills by the ceiling in each
// window. What is kept is how much is missing.
type tokenBucket struct {
	window int64 // ms
	burst  int64 // 0: the ceiling
}

const (
	bucketFull    = iota // when nothing will be missing
	bucketMissing        // at the time of bucketSince
	bucketSince          // ns since 1970: the time of the last whole unit
	bucketBegan          // ms: when it was last full
	bucketWords
)

const nanosPerMilli = 1_000_000

func (b *tokenBucket) words() int { return bucketWords }

func (b *tokenBucket) capacity(ceiling int64) int64 {
	if b.burst > 0 {
		return b.burst
	}
	return ceiling
}

// missing says how much is missing now, and since when it is exactly that.
func (b *tokenBucket) missing(c cell, ceiling, now int64) (missing, since int64) {
	now *= nanosPerMilli
	if c == nil {
		return 0, now
	}
	missing, since = max(0, c.word(bucketMissing)), c.word(bucketSince)
	if since >= now {
		return missing, since
	}
	refilled := mulDiv(now-since, ceiling, b.window*nanosPerMilli, false)
	if refilled >= missing {
		return 0, now
	}
	return missing - refilled, since + b.time(refilled, ceiling)
}

// time is how long (ns) some units take to refill, rounded up.
func (b *tokenBucket) time(units, ceiling int64) int64 {
	return mulDiv(units, b.window*nanosPerMilli, ceiling, true)
}

func (b *tokenBucket) used(c cell, ceiling, now int64) (used, reset int64) {
	missing, since := b.missing(c, ceiling, now)
	if missing == 0 {
		return 0, 0
	}
	return missing, ceilMillis(saturatingAdd(since, b.time(missing, ceiling)))
}

func (b *tokenBucket) wait(c cell, ceiling, amount, now int64) int64 {
	missing, since := b.missing(c, ceiling, now)
	// An amount of 0 wants anything to be left.
	over := missing + max(amount, 1) - b.capacity(ceiling)
	return ceilMillis(saturatingAdd(since, b.time(over, ceiling))) - now
}

func (b *tokenBucket) add(c cell, ceiling, amount, now int64) (window int64) {
	missing, since := b.missing(c, ceiling, now)
	if missing == 0 {
		c.set(bucketBegan, now)
	}
	b.put(c, ceiling, saturatingAdd(missing, amount), since)
	return now
}

// take fills in what was taken, unless the bucket has been full since then: what
// is missing now was taken by others.
func (b *tokenBucket) take(c cell, ceiling, amount, window, now int64) {
	missing, since := b.missing(c, ceiling, now)
	if missing > 0 && window >= c.word(bucketBegan) {
		b.put(c, ceiling, max(0, missing-amount), since)
	}
}

func (b *tokenBucket) put(c cell, ceiling, missing, since int64) {
	c.set(bucketMissing, missing)
	c.set(bucketSince, since)
	c.set(bucketFull, ceilMillis(saturatingAdd(since, b.time(missing, ceiling))))
}

func (b *tokenBucket) repair(c cell, now int64) bool {
	if c.word(bucketSince) <= (now+clockSlack)*nanosPerMilli {
		return false
	}
	c.set(bucketFull, c.word(bucketFull)-(c.word(bucketSince)/nanosPerMilli-now))
	c.set(bucketSince, now*nanosPerMilli)
	c.set(bucketBegan, min(c.word(bucketBegan), now))
	return true
}

func ceilMillis(ns int64) int64 {
	if ns%nanosPerMilli == 0 {
		return ns / nanosPerMilli
	}
	return ns/nanosPerMilli + 1
}

// mulDiv is a·b/c for numbers of at least 0, c above 0, rounded up or down, in
// 128 bits, and no more than an int64 holds.
func mulDiv(a, b, c int64, up bool) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if up {
		var carry uint64
		low, carry = bits.Add64(low, uint64(c)-1, 0)
		high += carry
	}
	if high >= uint64(c) {
		return never
	}
	q, _ := bits.Div64(high, low, uint64(c))
	return int64(min(q, never))
}
