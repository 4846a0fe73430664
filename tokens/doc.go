// Package tokens tells how many tokens an LLM request will take and how many
// it took.
//
// [ReadRequest] walks a JSON request body once and returns what a limiter has
// to know before the request goes on: the model, an estimate of the input
// tokens, the explicit maximum of output tokens, and whether the answer is to
// be streamed. [Answer] reads what the provider reports in the end.
//
// The estimate needs no tokenizer: the text is cut into the pieces that the
// common tokenizers cut it into (words, digit groups, runs of punctuation and
// of spaces), the pieces are counted by shape and script ([Features]), and the
// counts are weighted ([Weights]). The weights are fitted by the tool in
// tokens/fit against real tokenizers. Of long texts only samples are read. Images
// and audio count by their vendors' published formulas, not by their bytes. What
// is still wrong with an estimate for one model, [Learned] learns from the answers.
//
// Nothing here knows of Envoy or panics on any input. To read a request allocates
// nothing, but for bodies beyond 24 kB, for which it takes some 15 kB.
package tokens
