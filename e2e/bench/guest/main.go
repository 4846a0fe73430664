//go:build wasip1

// Command guest reads a request again and again inside of a wasm VM, for make
// bench to time it.
package main

import (
	"sluice/e2e/bench/body"
	"sluice/tokens"
)

var request []byte

// prepare makes a request of about so many bytes, and returns how many they are.
//
//go:wasmexport prepare
func prepare(size int32) int32 {
	request = body.Chat(int(size))
	return int32(len(request))
}

// read reads it so many times.
//
//go:wasmexport read
func read(times int32) int64 {
	var sum int64
	for range times {
		sum += tokens.ReadRequest(request).Input
	}
	return sum
}

func main() {}
