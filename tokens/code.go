package tokens

// code is what a character is to the automaton that cuts text into pieces:
// which letter, or what else.
type code = uint8

const (
	codeNone    code = 0  // between words
	codeLatin1  code = 27 // 1 to 26 are a to z; a letter up to U+00FF
	codeLatinA  code = 28 // up to U+017F
	codeLatinB  code = 29 // and the other Latin letters
	codeCapital code = 30 // any capital of the Latin alphabet
	codeDigit   code = 31
	codeSpace   code = 32
	codeTab     code = 33
	codeLine    code = 34 // \n, \r
	codePunct   code = 35 // other ASCII
	codeScript  code = 36 // the first of the scripts

	numCodes = 64

	codeSpecial   code = 64 // the bit of a byte that needs a closer look
	codeQuote     code = codeSpecial + 0
	codeBackslash code = codeSpecial + 1
	codeControl   code = codeSpecial + 2
	codeHigh      code = codeSpecial + 3 // part of a character beyond ASCII
)

// The scripts, of letters first, of symbols from scriptSymbol on.
const (
	scriptGreek = iota
	scriptCyrillic
	scriptHebrew
	scriptArabic
	scriptDevanagari
	scriptBengali
	scriptGujarati // with Gurmukhi and Odia
	scriptTamil
	scriptTelugu  // with Kannada and Malayalam
	scriptThai    // with Lao
	scriptBurmese // with Sinhala, Tibetan, Khmer
	scriptHangul
	scriptHiragana
	scriptKatakana
	scriptHan
	scriptOther
	scriptSymbol // Latin-1's
	scriptDash   // general punctuation
	scriptMath   // letter-like symbols, arrows, operators
	scriptBox    // lines, blocks, shapes
	scriptPict   // dingbats and emoji
	scriptJoiner // what only changes the character before
	scriptWide   // punctuation of Chinese, Japanese, Korean
	scriptRare   // whatever is left, broken UTF-8 too
	numScripts
)

// byteCode is the code of each byte in a JSON string, asciiCode that of each
// ASCII character, wherever it comes from.
var byteCode, asciiCode = makeByteCode()

func makeByteCode() (byteCode [256]code, asciiCode [128]code) {
	for b := range byteCode {
		c := codePunct
		switch {
		case b >= 'a' && b <= 'z':
			c = code(b & 31)
		case b >= 'A' && b <= 'Z':
			c = codeCapital
		case b >= '0' && b <= '9':
			c = codeDigit
		case b == ' ':
			c = codeSpace
		case b == '\t':
			c = codeTab
		case b == '\n' || b == '\r':
			c = codeLine
		}
		if b < 0x80 {
			asciiCode[b] = c
		}
		switch {
		case b == '"':
			c = codeQuote
		case b == '\\':
			c = codeBackslash
		case b < ' ':
			c = codeControl
		case b >= 0x80:
			c = codeHigh
		}
		byteCode[b] = c
	}
	return byteCode, asciiCode
}

// byteWord has of each byte all that text.run asks for: letterOf its code, that
// again five bits higher, and from the bit wordCode on the code.
var byteWord = makeByteWord()

const (
	wordCode    = 10
	wordSpecial = uint32(codeSpecial) << wordCode
)

func makeByteWord() (t [256]uint32) {
	for b, c := range byteCode {
		x := letterOf(uint32(c))
		t[b] = x | x<<5 | uint32(c)<<wordCode
	}
	return t
}

// escapeByte is the character that a backslash and a byte stand for, 0 where
// that is not one of the simple escapes.
var escapeByte = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f',
}

// scriptRanges lists where in Unicode which script begins, in ascending order;
// each goes on to the next. Blocks are taken whole: a stray sign of punctuation
// in one is not worth a line.
var scriptRanges = [...]struct {
	first  rune
	script uint8
}{
	{0x0080, scriptSymbol},
	{0x0250, scriptOther},
	{0x0300, scriptJoiner},
	{0x0370, scriptGreek},
	{0x0400, scriptCyrillic},
	{0x0530, scriptOther},
	{0x0590, scriptHebrew},
	{0x0600, scriptArabic},
	{0x0780, scriptOther},
	{0x0900, scriptDevanagari},
	{0x0980, scriptBengali},
	{0x0A00, scriptGujarati},
	{0x0B80, scriptTamil},
	{0x0C00, scriptTelugu},
	{0x0D80, scriptBurmese},
	{0x0E00, scriptThai},
	{0x0F00, scriptBurmese},
	{0x10A0, scriptOther},
	{0x1100, scriptHangul},
	{0x1200, scriptOther},
	{0x1780, scriptBurmese},
	{0x1800, scriptOther},
	{0x1F00, scriptGreek},
	{0x2000, scriptDash},
	{0x2070, scriptMath},
	{0x2400, scriptBox},
	{0x2600, scriptPict},
	{0x27C0, scriptMath},
	{0x2C00, scriptOther},
	{0x2E80, scriptHan},
	{0x3000, scriptWide},
	{0x3040, scriptHiragana},
	{0x30A0, scriptKatakana},
	{0x3100, scriptOther},
	{0x3130, scriptHangul},
	{0x3190, scriptWide},
	{0x3400, scriptHan},
	{0xA000, scriptOther},
	{0xAC00, scriptHangul},
	{0xD800, scriptRare},
	{0xF900, scriptHan},
	{0xFB00, scriptOther},
	{0xFB50, scriptArabic},
	{0xFE00, scriptJoiner},
	{0xFE10, scriptWide},
	{0xFE70, scriptArabic},
	{0xFF00, scriptWide},
	{0xFFF0, scriptRare},
}

// bmpScript is the script of each 16 characters of the first 65,536.
var bmpScript = makeBMPScript()

func makeBMPScript() (t [0x1000]uint8) {
	k := 0
	for b := range t {
		for k+1 < len(scriptRanges) && scriptRanges[k+1].first <= rune(b<<4|15) {
			k++
		}
		t[b] = scriptRanges[k].script
	}
	return t
}

// runeScript returns the script of a character beyond ASCII that is no letter
// of the Latin alphabet.
func runeScript(r rune) uint8 {
	switch {
	case r < 0x10000:
		if r&^0xF == 0x2000 {
			if r >= 0x200C && r <= 0x200F {
				return scriptJoiner
			}
			return scriptDash
		}
		return bmpScript[r>>4&0xFFF]
	case r >= 0x1F3FB && r <= 0x1F3FF, r >= 0xE0000:
		return scriptJoiner
	case r >= 0x20000:
		return scriptHan
	case r >= 0x1F000:
		return scriptPict
	case r >= 0x1D400 && r < 0x1D800:
		return scriptMath
	}
	return scriptRare
}

// runeCode returns the code of a character.
func runeCode(r rune) code {
	switch {
	case r < 0x80:
		return asciiCode[r]
	case r >= 0xC0 && r < 0x250 || r >= 0x1E00 && r < 0x1F00:
		return latinCode(r)
	case r == 0xA0, r == 0x3000:
		return codeSpace
	}
	return codeScript + runeScript(r)
}

// latinCode returns the code of a letter of the Latin alphabet beyond ASCII.
func latinCode(r rune) code {
	switch {
	case r < 0xDF:
		return codeCapital
	case r < 0x100:
		return codeLatin1
	case r >= 0x139 && r <= 0x148 || r >= 0x179 && r <= 0x17E:
		if r&1 == 1 {
			return codeCapital
		}
	case r&1 == 0:
		return codeCapital
	}
	if r < 0x180 {
		return codeLatinA
	}
	return codeLatinB
}
