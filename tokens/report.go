package tokens

// report is one usage as a provider writes it, its numbers by what they mean.
type report struct {
	n      [numFields]int64
	set    uint32 // bit f: field f was reported
	absurd bool   // a number cannot be
}

// field is what a number of a report means. Providers differ in what is part of
// what: the cache's share may be within the input or beside it.
type field uint8

const (
	prompt      field = iota // all input, the cache's share within
	input                    // input; the cache's share is within or beside
	toolUse                  // input beside the prompt
	completion               // output as OpenAI's chat counts it: with thoughts, of xAI without
	output                   // output by another name
	thoughts                 // output beside these
	reasoning                // what was thought
	cachedPart               // read from the cache, within the input
	writtenPart              // written to the cache, within the input
	readBeside               // read from the cache, beside input
	wroteBeside              // written to the cache, beside input
	total
	numFields
)

func (r *report) has(f field) bool { return r.set&(1<<f) != 0 }

// take reads a count; what is no number says nothing.
func (r *report) take(f field, value []byte) {
	n, is, absurd := countOf(value)
	if is {
		r.n[f] = n
		r.set |= 1 << f
		r.absurd = r.absurd || absurd
	}
}

// add is take for a number that comes in parts.
func (r *report) add(f field, value []byte) {
	before := r.n[f]
	r.take(f, value)
	if n, is, _ := countOf(value); is {
		r.n[f] = min(before+n, maxReported)
	}
}

// inherit takes the numbers that this report lacks from an earlier one.
func (r *report) inherit(from *report) {
	for f := range numFields {
		if !r.has(f) && from.has(f) {
			r.n[f] = from.n[f]
		}
	}
	r.set |= from.set
	r.absurd = r.absurd || from.absurd
}

// read reads a usage object of any provider; what it does not know it passes
// over.
func (r *report) read(object []byte) {
	var billed report // Cohere bills fewer tokens than the model has read
	for m := membersOf(object); m.next(); {
		switch string(m.key) {
		case "prompt_tokens", "promptTokenCount", "total_input_tokens":
			r.take(prompt, m.value)
		case "input_tokens", "inputTokens", "inputTokenCount":
			r.take(input, m.value)
		case "completion_tokens":
			r.take(completion, m.value)
		case "output_tokens", "outputTokens", "outputTokenCount", "candidatesTokenCount", "responseTokenCount", "total_output_tokens":
			r.take(output, m.value)
		case "total_tokens", "totalTokenCount", "totalTokens":
			r.take(total, m.value)

		case "toolUsePromptTokenCount", "total_tool_use_tokens":
			r.take(toolUse, m.value)
		case "thoughtsTokenCount", "total_thought_tokens", "total_reasoning_tokens":
			r.take(thoughts, m.value)
		case "reasoning_tokens":
			r.take(reasoning, m.value)

		case "cached_tokens", "prompt_cache_hit_tokens", "num_cached_tokens", "cachedContentTokenCount", "total_cached_tokens":
			r.take(cachedPart, m.value)
		case "cache_write_tokens":
			r.take(writtenPart, m.value)
		case "cache_read_input_tokens", "cacheReadInputTokens", "cacheReadInputTokenCount":
			r.take(readBeside, m.value)
		case "cache_creation_input_tokens", "cacheWriteInputTokens", "cacheWriteInputTokenCount":
			r.take(wroteBeside, m.value)

		case "prompt_tokens_details", "input_tokens_details", "input_token_details":
			r.inputDetails(m.value)
		case "completion_tokens_details", "output_tokens_details", "output_token_details":
			r.outputDetails(m.value)
		case "tokens":
			r.units(m.value)
		case "billed_units":
			billed.units(m.value)
		case "models": // of a DashScope application: each model that it called
			for m := membersOf(m.value); m.next(); {
				for m := membersOf(m.value); m.next(); {
					switch string(m.key) {
					case "input_tokens":
						r.add(input, m.value)
					case "output_tokens":
						r.add(output, m.value)
					}
				}
			}
		}
	}
	r.inherit(&billed)
}

func (r *report) inputDetails(object []byte) {
	for m := membersOf(object); m.next(); {
		switch string(m.key) {
		case "cached_tokens", "cache_read_input_tokens":
			r.take(cachedPart, m.value)
		case "cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens":
			r.take(writtenPart, m.value)
		}
	}
}

func (r *report) outputDetails(object []byte) {
	for m := membersOf(object); m.next(); {
		switch string(m.key) {
		case "reasoning_tokens", "thinking_tokens":
			r.take(reasoning, m.value)
		}
	}
}

// units reads Cohere's counts.
func (r *report) units(object []byte) {
	for m := membersOf(object); m.next(); {
		switch string(m.key) {
		case "input_tokens":
			r.take(input, m.value)
		case "image_tokens":
			if !r.has(input) {
				r.take(input, m.value)
			}
		case "output_tokens":
			r.take(output, m.value)
		}
	}
}

// usage brings the numbers to one meaning. It returns false where there is no
// report, or one that cannot be.
func (r *report) usage(provider string) (Usage, bool) {
	if r.set == 0 || r.absurd {
		return Usage{}, false
	}
	n := &r.n
	u := Usage{
		Output:      n[completion],
		Total:       n[total],
		CachedInput: max(n[cachedPart], n[readBeside]),
		CacheWrite:  max(n[writtenPart], n[wroteBeside]),
		Reasoning:   n[reasoning],
	}
	if u.Output == 0 {
		u.Output = n[output]
	}
	beside := n[readBeside] + n[wroteBeside]
	switch {
	case n[prompt] > 0 || r.has(prompt) && n[input] == 0:
		u.Input = n[prompt]
		if beside > u.Input {
			u.Input += beside // a proxy's mixture of two styles
		}
	case r.has(input):
		u.Input = n[input]
		// A total that leaves no room for more says that it is all within.
		if n[total] == 0 || n[total] != n[input]+u.Output {
			u.Input += beside
		}
	default:
		u.Input = max(0, n[total]-u.Output) // embeddings may report a total only
	}
	u.Input += n[toolUse]
	r.think(provider, &u)
	if u.CachedInput+u.CacheWrite > u.Input || u.Reasoning > u.Output {
		return Usage{}, false
	}
	u.Total = max(u.Total, u.Input+u.Output)
	return u, true
}

// think puts what was thought into the output.
func (r *report) think(provider string, u *Usage) {
	n := &r.n
	sum := u.Input + u.Output
	switch {
	case n[thoughts] > 0: // Gemini
		u.Reasoning = n[thoughts]
		if n[total] != sum || n[thoughts] > u.Output {
			u.Output += n[thoughts] // not where the total says that they are within
		}
	case n[reasoning] > 0 && r.has(total) && n[total] == sum+n[reasoning]:
		u.Output += n[reasoning] // xAI; the total tells
	case provider == "xai" && r.has(completion) && n[total] != sum,
		(provider == "xai" || provider == "perplexity") && n[reasoning] > u.Output:
		u.Output += n[reasoning]
	case (provider == "gemini" || provider == "vertex_ai" || provider == "vertex") && r.has(completion) && r.has(prompt) &&
		n[reasoning] == 0 && n[total] > sum && n[toolUse] == 0:
		// Its OpenAI-compatible API counts thoughts in the total alone.
		u.Reasoning = n[total] - sum
		u.Output += u.Reasoning
	}
}
