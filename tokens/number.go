package tokens

// skipNumber returns where the JSON number at s[i:] ends, or an error as
// text.read does.
func skipNumber(s []byte, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	start := i
	i = skipDigits(s, i)
	if i == start {
		return -1 - i
	}
	if s[start] == '0' {
		i = start + 1
	}
	if i < len(s) && s[i] == '.' {
		start = i + 1
		i = skipDigits(s, start)
		if i == start {
			return -1 - i
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		start = i + 1
		if start < len(s) && (s[start] == '+' || s[start] == '-') {
			start++
		}
		i = skipDigits(s, start)
		if i == start {
			return -1 - i
		}
	}
	return i
}

func skipDigits(s []byte, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// wholeNumber returns the value of a JSON number, at most MaxCount, or 0 if it
// is negative or has a fraction. 1e3 and 1000.0 are whole.
func wholeNumber(s []byte) int64 {
	var n int64 // the digits so far
	exponent, point := 0, false
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b == '.':
			point = true
		case b|0x20 == 'e':
			e, sign := 0, 1
			for _, d := range s[i+1:] {
				switch d {
				case '-':
					sign = -1
				case '+':
				default:
					e = min(e*10+int(d-'0'), 1<<20)
				}
			}
			return scale(n, exponent+sign*e)
		case b < '0' || b > '9':
			return 0 // a minus
		case n > MaxCount<<20:
			// More digits than can matter: no whole number that counts has
			// them, but their places do.
			if !point {
				exponent++
			}
		default:
			n = n*10 + int64(b-'0')
			if point {
				exponent--
			}
		}
	}
	return scale(n, exponent)
}

// scale returns n × 10^exponent as wholeNumber does.
func scale(n int64, exponent int) int64 {
	for ; exponent > 0 && n > 0 && n < MaxCount; exponent-- {
		n *= 10
	}
	for ; exponent < 0 && n > 0; exponent++ {
		if n%10 != 0 {
			return 0
		}
		n /= 10
	}
	return min(n, MaxCount)
}

// maxima gathers what bounds the output.
type maxima struct {
	output  int64 // for one choice, 0 where not stated
	choices int64
}

// total returns the bound for all choices, at most MaxCount.
func (m maxima) total() int64 {
	if m.choices > 1 {
		return min(m.output*m.choices, MaxCount)
	}
	return m.output
}
