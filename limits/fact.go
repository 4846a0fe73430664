package limits

// A Fact is the value of one attribute for one request. The zero value is an
// absent one.
type Fact struct {
	Value  string
	Status FactStatus
}

// FactStatus says how much of an attribute is known.
type FactStatus uint8

const (
	// Absent: the request does not carry it.
	Absent FactStatus = iota
	// Known: Value holds it.
	Known
	// Unreadable: the body that would tell it cannot be read. It is missing in
	// a scope, and matches every matcher, so that garbling a body never evades
	// a limit.
	Unreadable
	// Unseen: only the body tells it, and the decision falls before the body is
	// in. It is missing in a scope, and matches no matcher.
	Unseen
	// Ambiguous: the request names two different values. A matching limit whose
	// scope uses it refuses the request; it matches every matcher, so that a
	// second value never evades a limit.
	Ambiguous
)

// An Attribute is what a fact is of.
type Attribute struct {
	Name string
	// Secret values leave the process only as a hash.
	Secret bool
}

// A Matcher holds where the fact of one attribute matches one of its globs.
type Matcher struct {
	Attribute int // index into the attributes of the Engine
	Globs     []Glob
}

// answer is whether something matches.
type answer uint8

const (
	no answer = iota
	perhaps
	yes
)

func (m *Matcher) match(facts []Fact, attributes []Attribute) answer {
	f := &facts[m.Attribute]
	switch f.Status {
	case Unreadable, Ambiguous:
		return perhaps
	case Known:
		value := f.Value
		if attributes[m.Attribute].Secret {
			value = HashSecret(value)
		}
		for i := range m.Globs {
			if m.Globs[i].Match(value) {
				return yes
			}
		}
	}
	return no
}
