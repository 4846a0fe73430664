package tokens

import (
	"encoding/binary"
	"unicode/utf8"
)

// The text of a long body is weighed by samples. It is cut into cells of equal
// length; of every 2^level neighbours one is read, the others are skipped, and
// what was counted is scaled by the length of all. While the text is short enough
// the level is 0, and all of it is read.
//
// Which of the neighbours is read follows from a hash, so that nobody can put
// cheap text where it is looked for; since there is one in every group, a text
// that changes its language or shape on the way is met in the right proportion.
const (
	cellBytes = 128
	maxPieces = 192

	// sampledBytes is the length from which on bodies are sampled. A text up to it
	// is always read in full.
	sampledBytes = cellBytes * maxPieces

	// warmBytes is how far before a cell the automaton is set going, uncounted, so
	// that it is in the right state where the cell begins.
	warmBytes = 24
)

// sampler gathers, in one walk over a body, which pieces of its text to read.
type sampler struct {
	pieces [maxPieces]piece
	n      int
	level  int
	seed   uint64

	at    int    // bytes of text so far
	group uint32 // the next group to read a cell of
	next  int    // where in the text that begins
	open  uint32 // the group of the last cell
	rest  int    // bytes of the last cell that are yet to come

	sample Features // what was read
	warmup Features // what was read without counting
	read   int      // how many bytes were
}

// piece is a cell, or the part of it that stands in one string.
type piece struct {
	start, end uint32 // in the body
	group      uint32
	back       uint8 // how much of the string is before it, at most warmBytes
	form       uint8
	ends       bool // the string ends with it
}

// newSampler returns a sampler for a body of at least sampledBytes. What it reads
// depends on the seed and on the body.
func newSampler(body []byte, seed uint64) *sampler {
	seed = mix(seed, uint64(len(body)))
	for k := range 64 {
		seed = mix(seed, binary.LittleEndian.Uint64(body[len(body)/64*k:]))
	}
	return &sampler{seed: seed}
}

// mix hashes two words to one with the finalizer of SplitMix64, in which every bit
// of the input changes half of the output's.
func mix(a, b uint64) uint64 {
	x := a*0x9E3779B97F4A7C15 + b
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// add takes the text from start to end, a string or the part of one that is there.
func (p *sampler) add(start, end int, form int) {
	first, from := start, p.at
	p.at += end - start
	if p.rest > 0 && start < end {
		n := min(p.rest, end-start)
		p.rest -= n
		p.put(first, start, start+n, end, form)
	}
	for p.next < p.at {
		start = first + p.next - from
		n := min(cellBytes, end-start)
		p.rest = cellBytes - n
		p.open = p.group
		p.choose(p.group + 1)
		p.put(first, start, start+n, end, form)
	}
}

// put notes a piece of the open cell, from start to end in a string from first to
// last. It may have to drop cells to make room, the open one too.
func (p *sampler) put(first, start, end, last int, form int) {
	for p.n == maxPieces {
		if !p.thin() {
			return
		}
	}
	p.pieces[p.n] = piece{
		start: uint32(start), end: uint32(end), group: p.open,
		back: uint8(min(start-first, warmBytes)), form: uint8(form), ends: end == last,
	}
	p.n++
}

// thin makes one group of every two, and says whether the open cell stays.
func (p *sampler) thin() bool {
	p.level++
	n := 0
	for _, c := range p.pieces[:p.n] {
		if c.group&1 == p.half(c.group>>1, p.level) {
			c.group >>= 1
			p.pieces[n] = c
			n++
		}
	}
	p.n = n
	odd := p.open & 1
	p.open >>= 1
	if half := p.half(p.open, p.level); odd != half {
		p.rest = 0
		if odd == 0 {
			p.choose(p.open) // its other half is still to come
		} else {
			p.choose(p.open + 1)
		}
		return false
	}
	p.choose(p.open + 1)
	return true
}

// choose finds the cell to read of a group.
func (p *sampler) choose(group uint32) {
	p.group = group
	for level := p.level; level > 0; level-- {
		group = group<<1 | p.half(group, level)
	}
	p.next = int(group) * cellBytes
}

// half says which half of a group of 2^level cells is the one to read.
func (p *sampler) half(group uint32, level int) uint32 {
	return uint32(mix(p.seed, uint64(group)<<8|uint64(level))) & 1
}

// weigh reads the pieces, and adds to f what all of the text is worth.
func (p *sampler) weigh(s []byte, f *Features) {
	for i := 0; i < p.n; {
		c := p.pieces[i]
		i++
		for i < p.n && !c.ends && p.pieces[i].start == c.end {
			c.end, c.ends = p.pieces[i].end, p.pieces[i].ends
			i++
		}
		p.readPiece(s, c)
	}
	if p.read > 0 {
		f.addScaled(&p.sample, float64(p.at)/float64(p.read))
	}
}

// readPiece reads the characters that begin in a piece.
func (p *sampler) readPiece(s []byte, c piece) {
	t := text{f: &p.warmup}
	form := int(c.form)
	start, end := int(c.start), int(c.end)
	if c.back > 0 {
		i := start - int(c.back)
		if c.back == warmBytes {
			i = boundary(s, i, form)
		}
		start = boundary(s, start, form)
		t.readAll(s[:start], i, form)
		t.same = 0
	}
	if !c.ends {
		end = boundary(s, end, form)
	}
	t.f = &p.sample
	t.readAll(s[:end], start, form)
	p.read += end - start
	switch {
	case c.ends:
		t.end()
	case t.same > 0:
		t.repeated()
	}
}

// readAll reads s from i to its end, whatever is there.
func (t *text) readAll(s []byte, i int, form int) {
	for i < len(s) {
		i = t.read(s, i, form)
		if i < 0 {
			i = -1 - i
		}
		if i < len(s) { // a quote, or what is wrong with an escape
			t.char(rune(s[i]))
			i++
		}
	}
}

// boundary returns where the character begins that the byte at i belongs to.
func boundary(s []byte, i int, form int) int {
	if form != plain {
		k := max(0, i-longestEscape+1)
		for limit := max(0, k-64); k > limit && s[k-1] == '\\'; {
			k-- // it may be the second of two
		}
		for k < i {
			size := 1
			if s[k] == '\\' {
				_, size = unescapeOne(s, k)
				if size = max(size, 1); k+size > i {
					return k
				}
			}
			k += size
		}
	}
	for k := i; k >= 0 && i-k < utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			return k
		}
	}
	return i
}

// longestEscape is the length of two \u escapes, which may be one character.
const longestEscape = 12

// addScaled adds what g has, times a factor.
func (f *Features) addScaled(g *Features, by float64) {
	scaleUp(f.states[:], g.states[:], by)
	scaleUp(f.pairs[:], g.pairs[:], by)
	scaleUp(f.letters[:], g.letters[:], by)
	scaleUp(f.repeats[:], g.repeats[:], by)
	f.wide = f.wide || g.wide
}

func scaleUp(to, from []uint32, by float64) {
	for i, n := range from {
		if n > 0 {
			to[i] += uint32(float64(n)*by + 0.5)
		}
	}
}
