package tokens

import "bytes"

// WeightsFor returns the weights of the tokenizer family that a model belongs
// to by its name, whatever prefixes a provider puts before it. For a name that
// is not known, and for none, these are the weights of OpenAI's o200k.
func WeightsFor(model []byte) Weights {
	for i := range families {
		if bytes.Contains(model, families[i].name) {
			return families[i].weights
		}
	}
	return O200k
}

// families lists parts of model names; the first that fits decides.
var families = [...]struct {
	name    []byte
	weights Weights
}{
	{[]byte("gpt-4o"), O200k},
	{[]byte("gpt-4."), O200k},
	{[]byte("gpt-4"), Cl100k},
	{[]byte("gpt-3"), Cl100k},
	{[]byte("gpt-"), O200k},
	{[]byte("text-embedding-"), Cl100k},
	{[]byte("claude"), Claude},
	{[]byte("gemini"), Gemma3},
	{[]byte("gemma"), Gemma3},
	{[]byte("deepseek"), Deepseek},
	{[]byte("qwen"), Qwen3},
	{[]byte("Qwen"), Qwen3},
	{[]byte("qwq"), Qwen3},
	{[]byte("llama"), Llama3},
	{[]byte("Llama"), Llama3},
	{[]byte("open-mixtral"), MistralV1},
	{[]byte("Mixtral"), MistralV1},
	{[]byte("mistral-7b"), MistralV1},
	{[]byte("Mistral-7B"), MistralV1},
	{[]byte("mistral"), Tekken},
	{[]byte("Mistral"), Tekken},
	{[]byte("ministral"), Tekken},
	{[]byte("magistral"), Tekken},
	{[]byte("codestral"), Tekken},
	{[]byte("devstral"), Tekken},
	{[]byte("pixtral"), Tekken},
}
