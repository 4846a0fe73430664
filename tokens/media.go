package tokens

// media adds up what images, audio and files cost by each vendor's formula: which
// of them applies is known only when the model is, and that may come last.
type media struct {
	images  int64 // OpenAI's fixed part is for each
	tiles   int64 // OpenAI: 512×512 pixels each
	patches int64 // OpenAI's smaller models: 32×32 pixels each
	claude  int64 // tokens
	gemini  int64 // tokens
	seconds int64 // of audio
	fixed   int64 // tokens of what nothing is known of
}

// What is charged for a medium of which nothing can be seen. Its bytes are never
// counted as text.
const (
	// ImageTokens is for an image by its address or of unknown size: what Claude
	// takes at most (https://docs.claude.com/en/docs/build-with-claude/vision).
	// For OpenAI and Gemini their formulas for one of 1024×1024 pixels hold.
	ImageTokens = 1600

	// AudioTokens is for an audio recording: half a minute of Gemini's, or almost
	// two minutes of OpenAI's.
	AudioTokens = 1000

	// FileTokens is for one document or video: one page of a PDF is 1,500 to 3,000
	// tokens to Claude (https://docs.claude.com/en/docs/build-with-claude/pdf-support).
	FileTokens = 1500
)

// mediumKind is what a medium is.
type mediumKind uint8

const (
	mediumNone mediumKind = iota
	mediumImage
	mediumAudio
	mediumFile
)

// medium is one of which all may not have been seen yet.
type medium struct {
	kind    mediumKind
	size    pixels
	seconds int64 // of audio, 0: unknown
}

// add counts a medium.
func (m *media) add(one medium, low bool) {
	switch one.kind {
	case mediumImage:
		m.image(one.size, low)
	case mediumAudio:
		if one.seconds == 0 {
			m.fixed += AudioTokens
		}
		m.seconds += one.seconds
	case mediumFile:
		m.fixed += FileTokens
	}
}

// image counts an image, whose size may not be known. Low says that the request
// wants OpenAI's low detail.
func (m *media) image(size pixels, low bool) {
	m.images++
	known := size.width > 0 && size.height > 0
	if !known {
		size = pixels{1024, 1024}
		m.claude += ImageTokens
	} else {
		m.claude += claudeImage(size)
	}
	m.gemini += geminiImage(size)
	if low {
		size = pixels{512, 512}
	} else {
		m.tiles += openAITiles(size)
	}
	m.patches += openAIPatches(size)
}

// openAITiles returns how many tiles of 512×512 an image has after it was fit
// into 2048×2048 and its shorter side into 768
// (https://platform.openai.com/docs/guides/images-vision#calculating-costs).
func openAITiles(p pixels) int64 {
	w, h := float64(p.width), float64(p.height)
	scale := min(1, 2048/max(w, h))
	scale = min(scale, 768/min(w, h))
	return divideUp(max(1, int64(w*scale+0.5)), 512) * divideUp(max(1, int64(h*scale+0.5)), 512)
}

// openAIPatches returns how many patches of 32×32 an image has, at most 1536.
func openAIPatches(p pixels) int64 {
	return min(divideUp(p.width, 32)*divideUp(p.height, 32), 1536)
}

// claudeImage returns Claude's tokens for an image: a token for 750 pixels, after
// the longer side was fit into 1568, at most ImageTokens.
func claudeImage(p pixels) int64 {
	w, h := float64(p.width), float64(p.height)
	scale := min(1, 1568/max(w, h))
	return max(1, min(int64(w*scale*h*scale/750), ImageTokens))
}

// geminiImage returns Gemini's tokens for an image: 258 where both sides have 384
// pixels or less, else 258 for each tile of 768×768
// (https://ai.google.dev/gemini-api/docs/tokens#multimodal-tokens).
func geminiImage(p pixels) int64 {
	if p.width <= 384 && p.height <= 384 {
		return 258
	}
	return min(divideUp(p.width, 768)*divideUp(p.height, 768), 64) * 258
}

func divideUp(a, b int64) int64 { return (a + b - 1) / b }

// vision is how a family of models counts media.
type vision struct {
	base, tile int64 // of OpenAI's tiles
	patch      int64 // hundredths of a token for each of OpenAI's patches
	claude     bool  // as Claude; also for others, which mostly count patches of 28×28 pixels
	gemini     bool
}

// tokens returns what all media cost to a family of models. OpenAI counts ten
// tokens a second of audio, Gemini 32.
func (m *media) tokens(v vision) int64 {
	second := int64(10)
	images := v.base*m.images + v.tile*m.tiles
	switch {
	case v.gemini:
		images, second = m.gemini, 32
	case v.claude:
		images = m.claude
	case v.patch > 0:
		images = (v.patch*m.patches + 99) / 100
	}
	return min(m.fixed+images+second*m.seconds, MaxCount)
}
