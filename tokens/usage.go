package tokens

// Usage is what a provider reports about a finished request, in tokens. A
// number that was not reported is 0.
//
// A report in which a number is negative, not whole or beyond all models, or a
// part is larger than the whole, counts as none; null says nothing.
type Usage struct {
	Input  int64 // all prompt tokens, those from and to the cache included
	Output int64 // all answered tokens, reasoning included
	Total  int64 // as reported, at least Input + Output

	CachedInput int64 // of Input, read from the provider's cache
	CacheWrite  int64 // of Input, written to the provider's cache
	Reasoning   int64 // of Output, thought but not shown
}
