package classify

import "slices"

// Canonical is the name of a provider that may be called by a shorter one;
// false: there is no such provider.
func Canonical(name string) (string, bool) {
	switch name {
	case "azure":
		name = "azure_openai"
	case "vertex":
		name = "vertex_ai"
	case "kimi":
		name = "moonshot"
	}
	return name, slices.Contains(Providers(), name)
}
