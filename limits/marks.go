package limits

// A refund gives a token bucket what it would hold had the charge been smaller
// from the first. Where the bucket would have been full for a while, that is
// less than the refund: without the charge, the refill of that while would have
// been lost. Else charges that are held open and refunded later would save up
// more than a burst.
//
// A mark is what has to be known for that: just before a charge no more was
// missing than low, so all refunds of earlier charges together can be no more.
// Only those are kept that say something:
//
//   - An earlier mark that is not lower says nothing beside a later one.
//   - A later mark says nothing if nothing was refilled since an earlier one. It
//     is higher by what was charged between the two, and refunds of that are no
//     more than it. So of charges that come at once only the first needs a mark.
//
// So from mark to mark all three numbers ascend.
type mark struct {
	charge   int64 // number of the charge
	low      int64
	refilled int64 // in all so far, up to a constant
}

// maxMarks is how many marks a bucket has room for.
const maxMarks = 8

// marked adds a mark for the newest charge.
func marked(marks []mark, m mark) []mark {
	marks = lower(marks, m.low)
	if n := len(marks); n > 0 && marks[n-1].refilled >= m.refilled {
		return marks
	}
	if marks = append(marks, m); len(marks) > maxMarks {
		marks = joined(marks)
	}
	return marks
}

// lower are the first of some marks, those that are below low.
func lower(marks []mark, low int64) []mark {
	for len(marks) > 0 && marks[len(marks)-1].low >= low {
		marks = marks[:len(marks)-1]
	}
	return marks
}

// joined makes one mark of two neighbours that says at least as much as both.
// Some refunds then come out too small, by no more than was refilled between
// the two: those are chosen for which it is the least.
func joined(marks []mark) []mark {
	best, least := 0, int64(never)
	for i := range len(marks) - 1 {
		if _, cost := marks[i].join(marks[i+1]); cost < least {
			best, least = i, cost
		}
	}
	both, _ := marks[best].join(marks[best+1])
	rest := marks[best+2:]
	for len(rest) > 0 && rest[0].refilled <= both.refilled {
		rest = rest[1:]
	}
	return append(append(lower(marks[:best], both.low), both), rest...)
}

// join makes one mark of two, and says by how much refunds may come out too
// small.
func (m mark) join(next mark) (both mark, cost int64) {
	refill, gap := next.refilled-m.refilled, next.low-m.low
	if refill <= gap && refill <= m.low {
		// As if what was charged between the two had come at the later.
		return mark{m.charge, m.low - refill, next.refilled}, refill
	}
	// As if it had come before the earlier.
	return mark{next.charge, m.low, next.refilled + gap}, gap
}

// refunded is how much of an amount a charge can be refunded, and the marks then.
func refunded(marks []mark, charge, amount int64) (taken int64, left []mark) {
	later := len(marks)
	for later > 0 && marks[later-1].charge > charge {
		later--
	}
	if later == len(marks) {
		return amount, marks
	}
	taken = min(amount, marks[later].low)
	left = lower(marks[:later], marks[later].low-taken)
	for _, m := range marks[later:] {
		m.low -= taken
		left = append(left, m)
	}
	return taken, left
}

// readMarks appends a cell's marks to some.
func readMarks(c cell, marks []mark) []mark {
	for i := bucketMarks; i < bucketWords && c.word(i) > 0; i += markWords {
		marks = append(marks, mark{c.word(i), max(0, c.word(i+1)), c.word(i + 2)})
	}
	return marks
}

func writeMarks(c cell, marks []mark) {
	for i := range maxMarks {
		var m mark
		if i < len(marks) {
			m = marks[i]
		}
		at := bucketMarks + markWords*i
		c.set(at, m.charge)
		c.set(at+1, m.low)
		c.set(at+2, m.refilled)
	}
}
