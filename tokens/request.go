package tokens

import "math"

// Request is what a request body says about its cost. The zero value is an
// unread body.
type Request struct {
	// Model is the model that the body names, its JSON escapes resolved; of
	// several the last. It is nil where the body names none, and otherwise may
	// share memory with the body.
	Model []byte

	// Input is the estimate of the prompt's tokens, 0 or more, with the
	// overhead of messages and the constants for images, audio and files.
	Input int64

	// MaxOutput is the explicit maximum of output tokens over all choices, from
	// 1 to [MaxCount], or 0 where the body states none. Of several the largest
	// counts.
	MaxOutput int64

	// Choices is how many answers are asked for, or 0 where the body does not
	// say.
	Choices int64

	// Operation is what the body looks like, [Other] where nothing shows it. A
	// known path says it better: see [OperationOf].
	Operation Operation

	// Tokenizer is the one of [Tokenizers] that the estimate is for.
	Tokenizer string

	// Status says whether the whole body was understood. Where it is not
	// [Readable] the other fields hold what was seen, and Input is the estimate
	// described at [ReadRequest].
	Status Status

	// ModelCall is true where the body is a JSON object that names a model,
	// messages, a prompt, an input or contents: a POST of it is a model call.
	ModelCall bool

	// Stream is true where "stream" is literally true.
	Stream bool

	// IncludeUsage is true where "stream_options.include_usage" is literally
	// true.
	IncludeUsage bool

	// HasIncludeUsage is true where "stream_options.include_usage" is there,
	// whatever its value.
	HasIncludeUsage bool
}

// MaxCount bounds every number of tokens that is read from a body. A stated
// output maximum above it counts as MaxCount, a reported use above it as not
// reported.
const MaxCount = 1_000_000_000

// Status says how far a request body could be read.
type Status uint8

// The statuses of a body.
const (
	Unread    Status = iota // not looked at; the zero value
	Readable                // a complete JSON value
	Empty                   // no bytes, or only white space
	NotJSON                 // something else, or JSON with an error in it
	Truncated               // JSON that ends too early
	TooDeep                 // JSON nested deeper than MaxDepth
	Encoded                 // compressed, or not in UTF-8
	Multipart               // a multipart form, as audio and image uploads are
)

// MaxDepth is how deep a body's objects and arrays may nest to be read.
const MaxDepth = 128

// String returns the status as a word for logs and metrics.
func (s Status) String() string {
	switch s {
	case Readable:
		return "readable"
	case Empty:
		return "empty"
	case NotJSON:
		return "not_json"
	case Truncated:
		return "truncated"
	case TooDeep:
		return "too_deep"
	case Encoded:
		return "encoded"
	case Multipart:
		return "multipart"
	}
	return "unread"
}

// ReadRequest reads a request body in one walk. The body is that of any common
// LLM API: OpenAI's chat completions, completions, Responses and embeddings,
// Anthropic's messages, Gemini's generateContent, Bedrock's Converse and
// InvokeModel, Cohere's and DashScope's own.
//
// The estimate uses the weights that [WeightsFor] has for the body's model, and
// what the model's vendor publishes for images and audio; see [ImageTokens] for
// what is not to be seen.
//
// Of bodies beyond 24 kB not all of the text is read, but 12 to 24 kB of it in
// samples spread over the whole, which is within a few percent of that; so the
// estimate costs little more however long the text is. In the strings of such a
// body, wrong escapes are not noticed.
//
// A body that cannot be read is estimated from what is there. Of broken,
// truncated or too deep JSON, the text before the break counts as in a whole
// body and all bytes behind it as plain text. Other text counts as plain text.
// A compressed body counts one token a byte, UTF-16 and UTF-32 one token in
// four bytes, a multipart form AudioTokens, an empty body nothing.
func ReadRequest(body []byte) Request { return Reader{}.ReadRequest(body) }

// Reader reads request bodies of which something is known beforehand. The zero
// value knows nothing.
type Reader struct {
	// Provider is who serves the model, as in "bedrock"; see [WeightsFor].
	Provider string

	// Model is the model's name where the path tells it; else the body does.
	Model string

	// Tokenizer is one of [Tokenizers], to count as that does, whatever the model
	// is. Any other name is as none.
	Tokenizer string

	// Seed makes it unpredictable which parts of a long text are read. Any value
	// will do, if clients do not know it; 0 makes it depend on the body alone.
	Seed uint64
}

// ReadRequest is as the function of that name.
func (o Reader) ReadRequest(body []byte) Request {
	var f Features
	var long *sampler
	if len(body) > sampledBytes && len(body) <= math.MaxUint32 {
		long = newSampler(body, o.Seed)
	}
	r := f.readRequest(body, long)
	family := o.family(r.Model)
	r.Tokenizer = family.tokenizer
	r.Input = f.Tokens(family.weights) + f.media.tokens(family.vision)
	return r
}
