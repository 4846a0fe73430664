package tokens

// place is where in a request a value stands, and so what it means. It follows
// from the object that the value is in and from its key.
type place uint8

const (
	placeSkip         place = iota // nothing in it counts
	placeRoot                      // the body
	placeMessages                  // a list of messages, or one
	placeMessage                   // a message: an object as placeText
	placeSystem                    // one message, in any form that placeText has
	placeText                      // prompt text, or lists and objects that hold some
	placeUnknown                   // as placeText, but a data: URL is a medium
	placeName                      // the name of a message's author
	placeInput                     // a prompt, or DashScope's object around one
	placePrompt                    // strings, token numbers or messages
	placeDocuments                 // Cohere's: text, or objects of any form
	placeValue                     // text, or an object or array that the model reads as JSON
	placeJSON                      // inside of such an object: all of its minified form counts
	placeFormat                    // holds schemas
	placeTools                     // holds tools
	placeSettings                  // holds maxima
	placeStreaming                 // holds include_usage
	placeModel                     // the model's name
	placeMax                       // a maximum of output tokens
	placeChoices                   // how many answers are asked for
	placeStream                    // whether to stream
	placeIncludeUsage              // whether a stream is to end with the usage
	placeType                      // what a part is
	placeImage                     // a medium
	placeAudio
	placeFile
	placeData       // a medium, or an object that holds text
	placeSource     // an object that holds a medium or text in its stead
	placeSourceType // which of these
	placeSourceData // the medium or the text
	placePayload    // the bytes or the address of a medium that is counted, or an object around them
	placeMime       // the media type of it
	placeDetail     // how closely to look at it
)

// member returns the place of the value that a key has in an object at p.
func (sc *scanner) member(p place, key []byte) place {
	switch p {
	case placeRoot:
		return sc.rootKey(key)
	case placeText, placeMessage:
		return sc.partKey(p, key)
	case placeInput:
		switch string(key) {
		case "messages":
			sc.r.looksLike(Chat)
			return placeMessages
		case "prompt":
			sc.r.looksLike(Completions)
			return placePrompt
		}
		return sc.partKey(p, key)
	case placeSettings:
		if string(key) == "tools" { // DashScope's own
			return placeValue
		}
		return settingsKey(key)
	case placeFormat:
		switch string(key) {
		case "schema", "json_schema":
			return placeValue
		case "format":
			return placeFormat
		}
	case placeTools:
		if string(key) == "tools" {
			return placeValue
		}
	case placeStreaming:
		if string(key) == "include_usage" {
			sc.r.HasIncludeUsage = true
			return placeIncludeUsage
		}
	case placeSource:
		switch string(key) {
		case "type":
			return placeSourceType
		case "content":
			return placeText
		case "data", "bytes", "url", "uri", "file_id", "s3Location":
			return placeSourceData
		case "media_type":
			return placeMime
		}
	case placePayload:
		switch string(key) {
		case "url", "uri", "data", "bytes", "base64", "file_data", "source", "image_url":
			return placePayload
		case "mimeType", "mime_type", "media_type":
			return placeMime
		case "detail":
			return placeDetail
		}
	}
	return placeSkip
}

// rootKey returns the place of a member of the body.
func (sc *scanner) rootKey(key []byte) place {
	r := sc.r
	switch string(key) {
	case "model":
		r.ModelCall = true
		return placeModel
	case "messages", "contents":
		r.ModelCall = true
		r.looksLike(Chat)
		return placeMessages
	case "prompt":
		r.ModelCall = true
		r.looksLike(Completions)
		return placePrompt
	case "input":
		r.ModelCall = true
		r.looksLike(Embeddings)
		return placeInput
	case "inputText": // Titan
		r.ModelCall = true
		r.looksLike(Embeddings)
		return placeText
	case "inputImage":
		return placeImage
	case "content", "requests", "texts", "inputs", "instances", "title":
		r.looksLike(Embeddings)
		return placeText
	case "generateContentRequest": // Gemini's countTokens
		return placeRoot
	case "promptVariables": // Converse
		return placeText
	case "system", "instructions", "systemInstruction", "system_instruction", "preamble", "message":
		r.looksLike(Chat)
		return placeSystem
	case "chat_history":
		r.looksLike(Chat)
		return placeMessages
	case "query":
		r.looksLike(Rerank)
		return placeText
	case "documents":
		r.looksLike(Rerank)
		return placeDocuments
	case "tool_results": // Cohere
		return placeValue
	case "suffix":
		return placeText
	case "tools", "functions":
		return placeValue
	case "toolConfig":
		return placeTools
	case "response_format", "text", "output_format", "output_config":
		return placeFormat
	case "stream":
		return placeStream
	case "stream_options":
		return placeStreaming
	case "generationConfig", "generation_config", "inferenceConfig", "textGenerationConfig", "parameters",
		"additionalModelRequestFields", "options":
		return placeSettings
	}
	return settingsKey(key)
}

// looksLike notes a sign of an operation. A conversation outweighs a prompt,
// that an input, and that a query.
func (r *Request) looksLike(o Operation) {
	if weight(o) > weight(r.Operation) {
		r.Operation = o
	}
}

func weight(o Operation) int {
	switch o {
	case Chat:
		return 4
	case Completions:
		return 3
	case Embeddings:
		return 2
	case Rerank:
		return 1
	}
	return 0
}

// settingsKey returns the place of a member of the body, or of an object of
// settings in it, that bounds the output.
func settingsKey(key []byte) place {
	switch string(key) {
	case "max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens",
		"max_tokens_to_sample", "max_new_tokens", "maxTokenCount", "max_gen_len", "num_predict":
		return placeMax
	case "n", "best_of", "candidateCount", "candidate_count":
		return placeChoices
	case "responseSchema", "response_schema", "responseJsonSchema", "response_json_schema":
		return placeValue
	}
	return placeSkip
}

// partKey returns the place of a member of a message or of a part of one. What
// is not known is text: nothing is to slip through.
func (sc *scanner) partKey(p place, key []byte) place {
	switch string(key) {
	case "text", "content":
		return placeText
	case "parts": // Gemini, embeddings too
		sc.r.ModelCall = true
		return placeText
	case "type":
		return placeType
	case "name":
		if p == placeMessage {
			return placeName
		}
		return placeText
	case "role", "id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "model", "status", "index", "phase",
		"cache_control", "cachePoint", "metadata", "format", "filename", "file_id",
		"mime_type", "mimeType", "media_type", "signature", "thoughtSignature", "thought_signature",
		"encrypted_content", "redactedContent", "annotations", "citations", "logprobs", "videoMetadata",
		"taskType", "task_type", "outputDimensionality":
		return placeSkip
	case "detail":
		return placeDetail
	case "input", "args", "arguments", "response", "json", "parameters", "result":
		return placeValue
	case "image_url", "image", "inlineData", "inline_data":
		return placeImage
	case "input_audio", "audio", "audio_url":
		return placeAudio
	case "file", "file_data", "file_url", "fileData", "video", "video_url":
		return placeFile
	case "data", "bytes", "base64", "b64_json", "bytesBase64Encoded":
		return placeData
	case "source":
		sc.textSource = false
		return placeSource
	case "document":
		sc.document = true
	}
	return placeUnknown
}

// open returns the place that an object or array has which begins where p is,
// and counts it where it is a message or a medium.
func (sc *scanner) open(p place, object bool) place {
	switch p {
	case placeRoot:
		if object {
			return p
		}
	case placeSource, placeSettings, placeStreaming, placeFormat, placeTools, placeJSON, placePayload:
		return p
	case placeMessages, placePrompt:
		if !object {
			return p
		}
		sc.r.looksLike(Chat)
		sc.message()
		sc.part()
		return placeMessage
	case placeInput:
		if !object {
			return placePrompt
		}
		return p
	case placeSystem:
		sc.message()
		return placeText
	case placeDocuments:
		if !object {
			return p
		}
		return placeJSON
	case placeText, placeMessage, placeUnknown, placeName, placeData:
		if object && p == placeText {
			sc.part()
		}
		return placeText
	case placeValue:
		return placeJSON
	case placeImage, placeAudio, placeFile, placeSourceData:
		sc.newMedium(p)
		return placePayload
	default:
		sc.literal(p, false)
	}
	return placeSkip
}

// isText says whether a string at p is prompt text, and counts the string where
// it is a message or a medium.
func (sc *scanner) isText(p place, s []byte, i int) bool {
	switch p {
	case placeText, placeInput, placePrompt, placeValue, placeDocuments:
		return true
	case placeMessages, placeSystem:
		sc.message()
		return true
	case placeName:
		sc.t.f.exact += nameTokens
		return true
	case placeUnknown:
		if !startsWith(s, i, "data:") {
			return true
		}
		sc.newMedium(placeImage)
	case placeSourceData:
		if sc.textSource {
			return true
		}
		sc.newMedium(p)
	case placeImage, placeAudio, placeFile, placeData, placeSource:
		sc.newMedium(p)
	}
	return false
}

// word takes a string that is no text, with what stands between its quotes from
// start to end.
func (sc *scanner) word(p place, start, end int, escaped bool) {
	switch p {
	case placeModel:
		sc.model, sc.named, sc.escaped = [2]int{start, end}, true, escaped
	case placeMax, placeChoices: // a number in quotes
		if n := sc.s[start:end]; skipNumber(n, 0) == len(n) {
			sc.number(p, n)
		}
	case placeUnknown, placeImage, placeAudio, placeFile, placeData, placeSource, placeSourceData, placePayload:
		sc.lookAt(sc.s[start:end])
	case placeMime:
		if kind := kindOfType(sc.s[start:end]); kind != mediumNone && sc.medium.kind != mediumNone {
			sc.medium.kind = kind
		}
	case placeDetail:
		sc.low = string(sc.s[start:end]) == "low"
	case placeType:
		if string(sc.s[start:end]) == "document" {
			sc.document = true
		}
	case placeSourceType:
		sc.textSource = string(sc.s[start:end]) == "text"
	case placeStream, placeIncludeUsage:
		sc.literal(p, false)
	}
}

// literal takes true, or what stands in its stead.
func (sc *scanner) literal(p place, yes bool) {
	switch p {
	case placeStream:
		sc.r.Stream = yes
	case placeIncludeUsage:
		sc.r.IncludeUsage = yes
	}
}

// number takes a number.
func (sc *scanner) number(p place, s []byte) {
	switch p {
	case placePrompt:
		sc.t.f.exact++ // a token, by its number
	case placeMax:
		sc.limits.output = max(sc.limits.output, wholeNumber(s))
	case placeChoices:
		sc.limits.choices = max(sc.limits.choices, wholeNumber(s))
	default:
		sc.literal(p, false)
	}
}

// What the format around messages takes, as OpenAI's chat models have it.
const (
	answerTokens  = 3 // once, the opening of the answer
	messageTokens = 4 // each, with its role
	nameTokens    = 1 // each, beside the name itself
)

// message counts a message, without its text.
func (sc *scanner) message() {
	if !sc.messages {
		sc.messages = true
		sc.t.f.exact += answerTokens
	}
	sc.t.f.exact += messageTokens
}

// part begins a part of a message.
func (sc *scanner) part() {
	sc.endMedium()
	sc.document, sc.low = false, false
}

// newMedium begins an image, audio or file.
func (sc *scanner) newMedium(p place) {
	sc.endMedium()
	sc.medium.kind = mediumImage
	switch p {
	case placeAudio:
		sc.medium.kind = mediumAudio
	case placeFile:
		sc.medium.kind = mediumFile
	}
}

// lookAt takes from a medium's bytes, or its address, what they show.
func (sc *scanner) lookAt(s []byte) {
	kind, payload := readPayload(s)
	if kind != mediumNone {
		sc.medium.kind = kind
	}
	sc.medium.size = payload.size()
	sc.medium.seconds = payload.seconds()
}

// endMedium counts the last medium, of which all has been seen.
func (sc *scanner) endMedium() {
	if sc.medium.kind == mediumImage && sc.document {
		sc.medium.kind = mediumFile
	}
	sc.t.f.media.add(sc.medium, sc.low)
	sc.medium = medium{}
}
