package limits

// Where the depth has grown, a bucket may still be of an earlier one, and hold
// subjects that have another bucket now. Whoever needs the other makes it:
//
//  1. The earlier bucket is brought to the depth of now. From here on no engine
//     counts in it what has another bucket: those that did not know of the depth
//     learn of it here.
//  2. The other bucket is created with the records that it takes over. Whoever
//     else does so at once has the same records, and only one creation succeeds.
//  3. The earlier bucket drops them. Nobody looks for them there any more.
//
// Each step is one compare-and-swap, and can be repeated: at no time is a
// subject counted in two places, whatever depth an engine starts from.

// fetch reads the bucket of a fingerprint at a depth, made of those of earlier
// depths if need be. ErrConflict: something has changed, read again.
func (e *Engine) fetch(t *table, print uint64, depth int) (bucket, error) {
	b, err := e.get(e.bucketKey(t, print, depth))
	switch {
	case err != nil:
		return bucket{}, err
	case b.value != nil && b.depth() > e.depth:
		return e.deeper(b)
	case b.value != nil && b.depth() < depth:
		b.value[1] = byte(depth)
		return e.rewrite(t, print, depth, b, b.value)
	case b.exists: // perhaps as garbage: then what was there is lost
		return b, nil
	}
	below := e.levels.below(depth)
	if below == 0 {
		return b, nil
	}
	earlier := below.top()
	from, err := e.fetch(t, print, earlier)
	switch {
	case err != nil:
		return bucket{}, err
	case bucketOf(print, earlier) == bucketOf(print, depth): // the same key
		return b, nil
	case from.value == nil: // an empty one tells who does not know of the depth
		return e.rewrite(t, print, earlier, from, appendHead(nil, depth))
	case from.depth() < depth:
		from.value[1] = byte(depth)
		return e.rewrite(t, print, earlier, from, from.value)
	}
	own, rest := part(from.value, print, depth)
	if len(own) == bucketHead {
		return b, nil
	}
	if err := e.put(t, print, depth, b, own); err != nil {
		return bucket{}, err
	}
	// If this fails, they stay until they are idle.
	return e.rewrite(t, print, earlier, from, rest)
}

// deeper turns to the depth of a bucket that another engine has made.
func (e *Engine) deeper(b bucket) (bucket, error) {
	if err := e.agree(); err != nil {
		return bucket{}, err
	}
	if b.depth() <= e.depth {
		return bucket{}, ErrConflict
	}
	e.Garbage++ // none has made it
	b.value = nil
	return b, nil
}

// part parts a bucket in what has another bucket at a depth, and the rest.
func part(value []byte, print uint64, depth int) (own, rest []byte) {
	own, rest = appendHead(nil, depth), append([]byte(nil), value[:bucketHead]...)
	records(value, func(name fingerprint, cells []byte) {
		if share(name.hi, print, depth) {
			own = appendRecord(own, name, cells, 0)
		} else {
			rest = appendRecord(rest, name, cells, 0)
		}
	})
	return own, rest
}

// rewrite writes a bucket, which is then to be read again.
func (e *Engine) rewrite(t *table, print uint64, depth int, b bucket, value []byte) (bucket, error) {
	if err := e.put(t, print, depth, b, value); err != nil {
		return bucket{}, err
	}
	return bucket{}, ErrConflict
}

// put writes a bucket that was read as b.
func (e *Engine) put(t *table, print uint64, depth int, b bucket, value []byte) error {
	key := e.bucketKey(t, print, depth)
	if b.exists {
		return e.store.Swap(key, value, b.version)
	}
	return e.store.Create(key, value)
}
