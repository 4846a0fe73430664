package tokens

import (
	"encoding/binary"
	"math"
)

// Learned is what the answers of one model to one kind of operation have taught:
// by how much the estimate of the input is off, how long the answers are, and how
// much of them is hidden reasoning. It has a fixed size however many answers it
// has seen, and old answers fade. The zero value knows nothing.
//
// Whatever is reported, one answer moves it little, and all answers together no
// further than its methods say.
//
// A Learned is a value. Several workers may each gather what they see in a zero
// one, and [Learned.Merge] it into one that they share: merged in any order, they
// come to what one worker that had seen all would hold, but for rounding and the
// clamping of single answers.
type Learned struct {
	input  mean // of the log of actual by estimated input
	hidden mean // of the log of reported by visible output
	output histogram
}

// mean is a mean that fades: a sum of weights and of weighted values.
type mean struct{ weight, sum float64 }

// histogram counts the lengths of answers by their logarithm, fading. Unlike an
// estimate of one quantile that moves up and down, two of them can be added.
type histogram [lengths]float32

const (
	// lengths is how many classes of lengths there are, perDoubling for each power
	// of two: up to 2^20 tokens.
	perDoubling = 4
	lengths     = 20 * perDoubling

	// memory is how many answers count: with each one more, all fade a little.
	memory = 1000

	// longest is how far a ratio may be from 1, either way, to be believed: the
	// bounds of what a correction may come to.
	longest = 4

	// enough is how many answers have to be seen before they count as much as the
	// expectation that all is as assumed.
	enough = 5

	// fewest is how many answers it takes to tell a 95th percentile.
	fewest = 20
)

// Observe learns from one answer: the estimate of its input and what it took, the
// reported output with what is hidden of it, and the visible output, all in
// tokens. Numbers below 1 are not known, and teach nothing.
func (l *Learned) Observe(estimate, actualInput, output, visible int64) {
	l.input.observe(actualInput, estimate)
	l.hidden.observe(output, visible)
	if output > 0 {
		l.output[lengthClass(output)]++
		l.output.fade()
	}
}

// Merge adds what another has learned.
func (l *Learned) Merge(other Learned) {
	l.input.add(other.input)
	l.hidden.add(other.hidden)
	for i, n := range other.output {
		l.output[i] += n
	}
	l.output.fade()
}

// Input corrects an estimate of the input by what is learned, to no less than a
// quarter and no more than four times of it.
func (l *Learned) Input(estimate int64) int64 {
	return within(float64(max(estimate, 0))*l.input.ratio(), estimate)
}

// Output returns the 95th percentile of the output of an answer, or def as long as
// too few answers were seen; no less than a quarter and no more than four times of
// def.
func (l *Learned) Output(def int64) int64 {
	if l.output.total() < fewest {
		return max(def, 0)
	}
	return within(l.output.quantile(0.95), def)
}

// Hidden returns by how much the reported output exceeds the visible one, as a
// ratio from 1 to 4.
func (l *Learned) Hidden() float64 { return max(1, l.hidden.ratio()) }

// within returns v, no less than a quarter and no more than four times of the
// usual, as a whole number.
func within(v float64, usual int64) int64 {
	u := float64(max(usual, 0))
	return int64(math.Round(min(max(v, u/longest), u*longest)))
}

// observe learns a ratio.
func (m *mean) observe(above, below int64) {
	if above < 1 || below < 1 {
		return
	}
	// The geometric mean: a ratio of 4 and one of ¼ make 1.
	v := math.Log(float64(above) / float64(below))
	bound := math.Log(longest)
	m.add(mean{1, min(max(v, -bound), bound)})
}

func (m *mean) add(other mean) {
	m.weight += other.weight
	m.sum += other.sum
	if m.weight > memory {
		m.sum *= memory / m.weight
		m.weight = memory
	}
}

// ratio returns the mean as a ratio, 1 where nothing is known.
func (m *mean) ratio() float64 { return math.Exp(m.sum / (m.weight + enough)) }

// lengthClass returns the class that a length of 1 or more belongs to.
func lengthClass(n int64) int {
	return min(int(math.Log2(float64(n))*perDoubling), lengths-1)
}

func (h *histogram) total() float64 {
	sum := 0.0
	for _, n := range h {
		sum += float64(n)
	}
	return sum
}

// fade takes as much from all as they are more than memory.
func (h *histogram) fade() {
	total := h.total()
	if total <= memory {
		return
	}
	for i := range h {
		h[i] *= float32(memory / total)
	}
}

// quantile returns the length that a part of all answers are not above, within
// its class as if they were spread evenly over the logarithm.
func (h *histogram) quantile(p float64) float64 {
	want := h.total() * p
	for i, n := range h {
		if want <= float64(n) && n > 0 {
			return math.Exp2((float64(i) + want/float64(n)) / perDoubling)
		}
		want -= float64(n)
	}
	return math.Exp2(lengths / perDoubling)
}

// LearnedSize is the length of a Learned in bytes.
const LearnedSize = 4 + 4*8 + 4*lengths

const learnedVersion = 0x534C0001

// AppendBinary appends it, as [DecodeLearned] reads it.
func (l *Learned) AppendBinary(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, learnedVersion)
	for _, v := range [...]float64{l.input.weight, l.input.sum, l.hidden.weight, l.hidden.sum} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for _, n := range l.output {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(n))
	}
	return b
}

// DecodeLearned reads what AppendBinary wrote. Anything else, an older version too,
// is a zero Learned and false; the bounds hold for every value that it returns.
func DecodeLearned(b []byte) (Learned, bool) {
	var l Learned
	if len(b) != LearnedSize || binary.LittleEndian.Uint32(b) != learnedVersion {
		return Learned{}, false
	}
	b = b[4:]
	for _, m := range [...]*mean{&l.input, &l.hidden} {
		m.weight = math.Float64frombits(binary.LittleEndian.Uint64(b))
		m.sum = math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
		b = b[16:]
		most := m.weight*math.Log(longest) + 1e-6
		if !(m.weight >= 0 && m.weight <= memory && m.sum >= -most && m.sum <= most) {
			return Learned{}, false
		}
	}
	for i := range l.output {
		n := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if !(n >= 0 && n <= memory+1) {
			return Learned{}, false
		}
		l.output[i] = n
	}
	return l, true
}
