package tokens

// family is what models with one tokenizer have in common.
type family struct {
	tokenizer string
	weights   Weights
	vision    vision
}

// Vision of OpenAI's models is priced by name
// (https://platform.openai.com/docs/guides/images-vision#calculating-costs), that
// of the others by family.
var (
	gpt4o     = family{"o200k", O200k, vision{base: 85, tile: 170}}
	gpt4oMini = family{"o200k", O200k, vision{base: 2833, tile: 5667}}
	gpt5      = family{"o200k", O200k, vision{base: 70, tile: 140}}
	gptMini   = family{"o200k", O200k, vision{patch: 162}}
	gptNano   = family{"o200k", O200k, vision{patch: 246}}
	o4Mini    = family{"o200k", O200k, vision{patch: 172}}
	gpt4      = family{"cl100k", Cl100k, vision{base: 85, tile: 170}}
	claude    = family{"claude", Claude, vision{claude: true}}
	gemini    = family{"gemini", Gemma3, vision{gemini: true}}
	llama     = family{"llama", Llama3, vision{claude: true}}
	qwen      = family{"qwen", Qwen3, vision{claude: true}}
	deepseek  = family{"deepseek", Deepseek, vision{claude: true}}
	mistral   = family{"mistral", Tekken, vision{claude: true}}
	mixtral   = family{"mistral", MistralV1, vision{claude: true}}
)

// WeightsFor returns the weights of the tokenizer family that a model belongs to
// by its name, in any case and whatever prefixes a provider puts before it; else
// those of the provider's usual models ("anthropic", "bedrock", "gemini",
// "vertex_ai", "dashscope", "deepseek", "mistral", "groq", "together",
// "fireworks", "cerebras"). In all other cases, as for an Azure deployment or no
// name at all, these are the weights of OpenAI's o200k.
func WeightsFor(provider string, model []byte) Weights {
	return Reader{Provider: provider}.family(model).weights
}

// Tokenizers lists the names of the tokenizer families.
func Tokenizers() []string {
	list := make([]string, len(tokenizers))
	for i, f := range tokenizers {
		list[i] = f.tokenizer
	}
	return list
}

var tokenizers = [...]*family{&gpt4o, &gpt4, &claude, &gemini, &llama, &qwen, &deepseek, &mistral}

// family returns what a request belongs to whose body names a model.
func (o Reader) family(model []byte) family {
	for _, f := range tokenizers {
		if f.tokenizer == o.Tokenizer {
			return *f
		}
	}
	if o.Model != "" {
		model = []byte(o.Model[:min(len(o.Model), maxName)])
	}
	if f := named(model); f != nil {
		return *f
	}
	switch o.Provider {
	case "anthropic", "bedrock": // a Bedrock profile hides the model; Claude's count most
		return claude
	case "gemini", "vertex_ai":
		return gemini
	case "dashscope":
		return qwen
	case "deepseek":
		return deepseek
	case "mistral":
		return mistral
	case "groq", "together", "fireworks", "cerebras":
		return llama
	}
	return gpt4o
}

// named returns the family that a model's name tells, or nil.
func named(model []byte) *family {
	model = model[:min(len(model), maxName)]
	best := len(names)
	for i := range model {
		first := lower(model[i])
		for k := range names[:best] {
			if part := names[k].part; part[0] == first && hasPrefixFold(model[i:], part) {
				best = k
				break
			}
		}
	}
	if best == len(names) {
		return nil
	}
	return names[best].family
}

// maxName is how much of a model's name is looked at.
const maxName = 256

// names lists parts of model names in lower case; the first that fits decides.
var names = [...]struct {
	part   string
	family *family
}{
	{"deepseek", &deepseek}, // also what is distilled to Qwen and Llama: little lost
	{"claude", &claude},
	{"gpt-4o-mini", &gpt4oMini},
	{"gpt-4o", &gpt4o},
	{"gpt4o", &gpt4o},
	{"gpt-4.1-mini", &gptMini},
	{"gpt-4.1-nano", &gptNano},
	{"gpt-4.", &gpt4o},
	{"gpt-41", &gpt4o},
	{"gpt-4", &gpt4},
	{"gpt-3", &gpt4},
	{"gpt-5-mini", &gptMini},
	{"gpt-5-nano", &gptNano},
	{"gpt-5", &gpt5},
	{"gpt-", &gpt4o},
	{"o4-mini", &o4Mini},
	{"text-embedding-3", &gpt4},
	{"text-embedding-ada", &gpt4},
	{"text-embedding-v", &qwen},
	{"text-embedding-0", &gemini},
	{"gemini", &gemini},
	{"gemma", &gemini},
	{"qwen", &qwen},
	{"qwq", &qwen},
	{"llama", &llama},
	{"mixtral", &mixtral},
	{"mistral-7b", &mixtral},
	{"mistral", &mistral},
	{"ministral", &mistral},
	{"magistral", &mistral},
	{"codestral", &mistral},
	{"devstral", &mistral},
	{"pixtral", &mistral},
	{"voxtral", &mistral},
}

// hasPrefixFold says whether s begins with the prefix, which is in lower case.
func hasPrefixFold(s []byte, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for k := range len(prefix) {
		if lower(s[k]) != prefix[k] {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
