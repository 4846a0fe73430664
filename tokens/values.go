package tokens

// values cuts a stream into the JSON objects in it, whatever stands between
// them: the elements of an array, lines, one object behind the other.
type values struct {
	object  bounded
	depth   int
	quoted  bool
	escaped bool
}

// write reads the next piece and calls object for each that ends in it; the end
// alone of one too long.
func (v *values) write(piece []byte, object func(b *bounded)) {
	start := 0 // of what is to be kept
	for i, c := range piece {
		switch {
		case v.escaped:
			v.escaped = false
		case v.quoted:
			if c == '\\' {
				v.escaped = true
			} else if c == '"' {
				v.quoted = false
			}
		case v.depth == 0:
			if c == '{' {
				v.depth, start = 1, i
			}
		case c == '"':
			v.quoted = true
		case c == '{', c == '[':
			v.depth++
		case c == '}', c == ']':
			if v.depth--; v.depth == 0 {
				v.object.add(piece[start : i+1])
				object(&v.object)
				v.object.reset()
			}
		}
	}
	if v.depth > 0 {
		v.object.add(piece[start:])
	}
}
