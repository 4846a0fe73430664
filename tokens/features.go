package tokens

import (
	"math/bits"
	"strconv"
)

// Features is what decides the number of a text's tokens, as counts of shapes.
// The counts of several texts add up. The zero value has seen no text.
type Features struct {
	states  [512]uint32     // how often the automaton entered each state
	pairs   [32 * 32]uint32 // neighbours in words, by their codes
	letters [192]uint32     // letters from U+00C0 to U+017F
	repeats [8]uint32       // tokens of many equal signs, by unit
	exact   int64
	media   media
	wide    bool // there is text beyond ASCII, without which some features are 0
}

// NumFeatures is the number of the features that have a weight.
const NumFeatures = numStates + 32*32 + 192 + 8

// Weights says how many tokens each of the NumFeatures features is worth to one
// family of tokenizers, in units of 1/WeightUnit token. None is negative: no
// text can make up for another.
type Weights []int32

// WeightUnit is the weight of a whole token.
const WeightUnit = 1 << 16

// Tokens returns the estimate, without media: the weighted sum of the features. It
// is 0 or more.
func (f *Features) Tokens(w Weights) int64 {
	if len(w) != NumFeatures {
		return f.exact
	}
	sum := dot(f.states[:stateOther], w)
	if f.wide {
		sum += dot(f.states[stateOther:numStates], w[stateOther:])
		sum += dot(f.letters[:], w[numStates+len(f.pairs):])
	}
	w = w[numStates:]
	sum += dot(f.pairs[:], w)
	sum += dot(f.repeats[:], w[len(f.pairs)+len(f.letters):])
	return f.exact + (sum+WeightUnit/2)/WeightUnit
}

// dot returns the sum of the products, eight at a time for the reason given at
// text.run; all lengths are multiples of eight.
func dot(n []uint32, w Weights) int64 {
	var sum int64
	for len(n) >= 8 && len(w) >= 8 {
		a, b := (*[8]uint32)(n), (*[8]int32)(w)
		sum += int64(a[0])*int64(b[0]) + int64(a[1])*int64(b[1]) + int64(a[2])*int64(b[2]) + int64(a[3])*int64(b[3]) +
			int64(a[4])*int64(b[4]) + int64(a[5])*int64(b[5]) + int64(a[6])*int64(b[6]) + int64(a[7])*int64(b[7])
		n, w = n[8:], w[8:]
	}
	return sum
}

// Add counts plain text.
func (f *Features) Add(s []byte) {
	t := text{f: f}
	t.read(s, 0, plain)
	t.end()
}

// repeat counts n equal signs, of which 1<<unit make the longest token: shorter
// tokens are mostly of powers of two.
func (f *Features) repeat(n, unit uint32) {
	rest := n & (1<<unit - 1)
	f.repeats[unit] += n>>unit + min(2, uint32(bits.OnesCount32(rest)))
}

// Exact returns the tokens that need no weights: those of the format around
// messages, and tokens given by number. Media are not among them.
func (f *Features) Exact() int64 { return f.exact }

// Count returns how often feature i was seen, with i from 0 to NumFeatures - 1.
func (f *Features) Count(i int) uint32 {
	if i < numStates {
		return f.states[i]
	}
	i -= numStates
	if i < len(f.pairs) {
		return f.pairs[i]
	}
	i -= len(f.pairs)
	if i < len(f.letters) {
		return f.letters[i]
	}
	return f.repeats[i-len(f.letters)]
}

// FeatureGroup names the group that feature i belongs to: features of one group
// are alike, and a tool that fits weights may start from that.
func FeatureGroup(i int) string {
	if i < numStates {
		kind, lead, n := split(i)
		name := "state" + strconv.Itoa(kind) + "/" + strconv.Itoa(lead)
		switch {
		case kind == stateDigit:
			return name + "/" + strconv.Itoa(i-stateDigit)
		case kind == stateOther && lead >= scriptSymbol:
			name = "sign/" + strconv.Itoa(lead)
		case kind == stateOther:
			name = "script/" + strconv.Itoa(lead)
		}
		if kind == stateOther && (i-stateOther)%(longestOther+1) == 0 {
			return name + "/spaced"
		}
		if n == 1 {
			return name + "/first"
		}
		return name + "/more"
	}
	i -= numStates
	if i < 32*32 {
		return "pair"
	}
	i -= 32 * 32
	if i < 192 {
		return "letter"
	}
	return "repeat"
}
