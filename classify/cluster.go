package classify

import "strings"

// ProviderOfCluster tells the provider from the name of an Envoy cluster, ""
// where it says none: a name of Istio's, "outbound|443||api.openai.com", holds
// the host, any other may hold a provider's name as a word of its own, as in
// "azure-openai-west" or "llm.anthropic".
func ProviderOfCluster(cluster string) string {
	if i := strings.LastIndexByte(cluster, '|'); i >= 0 {
		return providerOfHost(Host(cluster[i+1:]))
	}
	found := ""
	for _, name := range clusterWords {
		if len(name.word) > len(found) && holdsWord(cluster, name.word) {
			found = name.word
		}
	}
	for _, name := range clusterWords {
		if name.word == found {
			return name.provider
		}
	}
	return ""
}

// clusterWords are what providers are called in the names of clusters. The
// longest that is there counts.
var clusterWords = func() (all []struct{ word, provider string }) {
	add := func(word, provider string) {
		all = append(all, struct{ word, provider string }{word, provider})
	}
	for _, p := range Providers() {
		add(p, p)
		if short := strings.NewReplacer("_", "").Replace(p); short != p {
			add(short, p)
		}
	}
	add("openai_azure", "azure_openai")
	for _, short := range []string{"azure", "vertex", "kimi"} {
		provider, _ := Canonical(short)
		add(short, provider)
	}
	return all
}()

// holdsWord says whether s, in any case and with - or . for _, holds a word that
// no letter or digit touches.
func holdsWord(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if (i == 0 || !alphanumeric(s[i-1])) && (i+len(word) == len(s) || !alphanumeric(s[i+len(word)])) &&
			sameWord(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func sameWord(s, word string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] && (word[i] != '_' || c != '-' && c != '.') {
			return false
		}
	}
	return true
}
