package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/classify"
	"sluice/tokens"
)

func estimateCommand() *cobra.Command {
	var tokenizer string
	command := &cobra.Command{
		Use:   "estimate [FILE...]",
		Short: "Estimate the tokens that recorded requests will take",
		Long: `Estimate the tokens that recorded requests will take, as the filter does before it
has learned from answers. Each line of the FILEs, or of the standard input, is a request in
JSON:

  {"id": …, "body": "…", "path": "/v1/chat/completions", "provider": "openai"}

The body is the request's body as a string, or JSON. Path and provider may be
absent; they tell what a body leaves open: the model, the operation, and whose
tokenizer to count by.

Prints one line for each, in order: the estimated tokens of the input, and the
stated maximum of output tokens over all choices. What a request does not say is
null: a maximum, a model. The operation is "other" where nothing shows it.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if tokenizer != "" && !slices.Contains(tokens.Tokenizers(), tokenizer) {
				return fmt.Errorf("--tokenizer must be one of %s", strings.Join(tokens.Tokenizers(), ", "))
			}
			return eachLine(cmd, files, func(r recorded) (any, error) { return estimate(r, tokenizer), nil })
		},
	}
	command.Flags().StringVar(&tokenizer, "tokenizer", "",
		"count as this `tokenizer` does, whatever the model is: "+strings.Join(tokens.Tokenizers(), ", "))
	return command
}

// estimateLine is what is printed of a request.
type estimateLine struct {
	ID        json.RawMessage  `json:"id"`
	Tokens    int64            `json:"tokens"`
	MaxOutput *int64           `json:"max_output_tokens"`
	Model     *string          `json:"model"`
	Operation tokens.Operation `json:"operation"`
	Tokenizer string           `json:"tokenizer"`
}

func estimate(r recorded, tokenizer string) estimateLine {
	model := classify.ModelOfPath(r.Path)
	provider := r.Provider
	if provider == "" && r.Path != "" {
		provider = classify.DetectProvider("", r.Path)
	}
	request := tokens.Reader{Provider: provider, Model: model, Tokenizer: tokenizer}.ReadRequest(r.Body)
	line := estimateLine{ID: r.ID, Tokens: request.Input, Operation: tokens.OperationOf(r.Path), Tokenizer: request.Tokenizer}
	if line.Operation == tokens.Other {
		line.Operation = request.Operation
	}
	if request.MaxOutput > 0 {
		line.MaxOutput = &request.MaxOutput
	}
	if model == "" {
		model = string(request.Model)
	}
	if model != "" {
		line.Model = &model
	}
	return line
}
