package tokens

// The automaton reads text character by character. Its state is the kind of the
// open piece, what stood before it, and its length so far; so how often each
// state was entered says how many pieces there were of which kind and length.
// The kinds are those that the common tokenizers cut text into before they look
// anything up.
const (
	longestWord  = 16
	longestPunct = 8
	longestSpace = 16
	longestTab   = 8
	longestLine  = 8
	longestOther = 6 // of another script

	stateStart = 0
	stateLower = 1                                                   // words in small letters, by lead and length
	stateTitle = stateLower + numLeads*longestWord                   // words with one capital
	stateCaps  = stateTitle + numLeads*longestWord                   // words of capitals, by length from 2 on
	stateDigit = stateCaps + longestWord                             // digits: 1, 2, 3, of the next three 1, 2, 3, and 1 after a space
	statePunct = stateDigit + 7                                      // punctuation, by lead (none, space) and length
	stateSpace = statePunct + 2*longestPunct                         // spaces, by length
	stateTab   = stateSpace + longestSpace                           // white space that ends with a tab
	stateLine  = stateTab + longestTab                               // newlines, by lead (none, punctuation) and length
	stateOther = stateLine + 2*longestLine                           // letters or signs of a script, by script and length, 0: 1 after a space
	numStates  = (stateOther + numScripts*(longestOther+1) + 7) &^ 7 // a multiple of eight
)

// What a word has before its first letter. It is often part of its token.
const (
	leadNone = iota
	leadSpace
	leadPunct
	leadTab
	leadLine
	numLeads
)

// nextState is the automaton: by state×64 + code the next state, ×64 too. The
// bit nextAgain is set where the character may be a repetition.
var nextState = makeNextState()

const nextAgain = 1 << 15

func makeNextState() (t [512 * numCodes]uint16) {
	for state := range numStates {
		for c := range numCodes {
			next := step(state, code(c))
			entry := uint16(next * numCodes)
			if again[state] && (kindOf(next) == kindOf(state)) {
				entry |= nextAgain
			}
			t[state*numCodes+c] = entry
		}
	}
	return t
}

func kindOf(state int) int {
	kind, _, _ := split(state)
	return kind
}

// again says of each state whether an equal character after it is counted as a
// repetition: after signs, other scripts, and in long words and white space.
var again = makeAgain()

func makeAgain() (t [512]bool) {
	for state := range numStates {
		switch kind, _, n := split(state); kind {
		case statePunct, stateOther:
			t[state] = true
		case stateLower, stateTitle, stateCaps:
			t[state] = n == longestWord
		case stateSpace:
			t[state] = n == longestSpace
		case stateTab:
			t[state] = n == longestTab
		case stateLine:
			t[state] = n == longestLine
		}
	}
	return t
}

// step returns the state after a state and a code.
func step(state int, c code) int {
	kind, lead, n := split(state)
	switch {
	case c >= 1 && c < codeCapital:
		switch kind {
		case stateLower, stateTitle:
			return kind + lead*longestWord + min(n+1, longestWord) - 1
		case stateCaps:
			return stateLower
		}
		return stateLower + leadOf(kind, lead, n)*longestWord
	case c == codeCapital:
		switch {
		case kind == stateTitle && n == 1:
			return stateCaps + 1
		case kind == stateCaps:
			return stateCaps + min(n+1, longestWord) - 1
		case kind == stateTitle || kind == stateLower:
			return stateTitle
		}
		return stateTitle + leadOf(kind, lead, n)*longestWord
	case c == codeDigit:
		switch {
		case kind == stateDigit && n < 6:
			return stateDigit + n
		case kind == stateDigit:
			return stateDigit + 3
		case kind == stateSpace:
			return stateDigit + 6
		}
		return stateDigit
	case c == codePunct:
		switch kind {
		case statePunct:
			return statePunct + lead*longestPunct + min(n+1, longestPunct) - 1
		case stateSpace:
			return statePunct + longestPunct
		}
		return statePunct
	case c == codeSpace:
		if kind == stateSpace {
			return stateSpace + min(n+1, longestSpace) - 1
		}
		return stateSpace
	case c == codeTab:
		if kind == stateTab {
			return stateTab + min(n+1, longestTab) - 1
		}
		return stateTab
	case c == codeLine:
		switch kind {
		case stateLine:
			return stateLine + lead*longestLine + min(n+1, longestLine) - 1
		case statePunct:
			return stateLine + longestLine
		}
		return stateLine
	case c >= codeScript && c < codeScript+numScripts:
		script := stateOther + int(c-codeScript)*(longestOther+1)
		switch {
		case kind == stateOther && lead == int(c-codeScript):
			return script + min(n+1, longestOther)
		case kind == stateSpace:
			return script
		}
		return script + 1
	}
	return stateStart
}

// split returns a state's kind, what it says of the lead (of another script's
// letters the script), and the length of the piece.
func split(state int) (kind, lead, n int) {
	switch {
	case state >= stateOther:
		i := min(state-stateOther, numScripts*(longestOther+1)-1)
		return stateOther, i / (longestOther + 1), max(i%(longestOther+1), 1)
	case state >= stateLine:
		i := state - stateLine
		return stateLine, i / longestLine, i%longestLine + 1
	case state >= stateTab:
		return stateTab, 0, state - stateTab + 1
	case state >= stateSpace:
		return stateSpace, 0, state - stateSpace + 1
	case state >= statePunct:
		i := state - statePunct
		return statePunct, i / longestPunct, i%longestPunct + 1
	case state == stateDigit+6:
		return stateDigit, 0, 1
	case state >= stateDigit:
		return stateDigit, 0, state - stateDigit + 1
	case state >= stateCaps:
		return stateCaps, 0, state - stateCaps + 1
	case state >= stateTitle:
		i := state - stateTitle
		return stateTitle, i / longestWord, i%longestWord + 1
	case state >= stateLower:
		i := state - stateLower
		return stateLower, i / longestWord, i%longestWord + 1
	}
	return stateStart, 0, 0
}

// leadOf returns the lead of a word that begins after a piece.
func leadOf(kind, lead, n int) int {
	switch {
	case kind == stateSpace:
		return leadSpace
	case kind == stateTab:
		return leadTab
	case kind == stateLine:
		return leadLine
	case kind == statePunct && lead == leadNone && n == 1:
		return leadPunct
	}
	return leadNone
}
