package main

import (
	"strings"
	"testing"
)

func TestNormalizePath(t *testing.T) {
	for name, c := range map[string]struct{ path, want string }{
		"normal":                        {"/v1/chat/completions", "/v1/chat/completions"},
		"the root":                      {"/", "/"},
		"a slash at the end":            {"/v1/models/", "/v1/models"},
		"slashes at the end":            {"/v1/models///", "/v1/models"},
		"an escaped slash at the end":   {"/v1/models%2f", "/v1/models"},
		"parameters":                    {"/v1/chat;a=1;b", "/v1/chat"},
		"parameters in the middle":      {"/v1;a=1/chat", "/v1/chat"},
		"escaped parameters":            {"/v1/chat%3Ba=1", "/v1/chat"},
		"parameters alone":              {"/v1/;a/chat/;", "/v1/chat"},
		"two dots with parameters":      {"/v2/..;a/v1/chat", "/v1/chat"},
		"a dot with parameters":         {"/v1/.;a/chat", "/v1/chat"},
		"parameters and a slash":        {"/v1/chat;a/", "/v1/chat"},
		"empty":                         {"", "/"},
		"an asterisk":                   {"*", "/*"},
		"no slash in front":             {"v1/chat", "/v1/chat"},
		"a dot within a segment":        {"/v1/models/gpt-4.1", "/v1/models/gpt-4.1"},
		"a dot in front of a segment":   {"/.well-known/rate-limits", "/.well-known/rate-limits"},
		"a slash doubled in front":      {"//v1/chat", "/v1/chat"},
		"slashes doubled anywhere":      {"/v1///chat//", "/v1/chat"},
		"an escaped letter":             {"/v1/%63hat", "/v1/chat"},
		"an escaped slash":              {"/v1%2Fchat", "/v1/chat"},
		"escaped twice":                 {"/v1/%2563hat", "/v1/chat"},
		"escaped many times":            {"/v1/%25252563hat", "/v1/chat"},
		"an escape made of escapes":     {"/v1/%%36%33hat", "/v1/chat"},
		"what is no escape":             {"/v1/%zz/100%", "/v1/%zz/100%"},
		"an escape that is cut off":     {"/v1/%6", "/v1/%6"},
		"a dot":                         {"/v1/./chat", "/v1/chat"},
		"two dots":                      {"/v2/../v1/chat", "/v1/chat"},
		"two dots, escaped":             {"/v2/%2E%2e/v1/chat", "/v1/chat"},
		"two dots, with escaped slash":  {"/v2/..%2Fv1/chat", "/v1/chat"},
		"more dots than there is above": {"/../../v1", "/v1"},
		"a dot at the end":              {"/v1/chat/.", "/v1/chat"},
		"two dots at the end":           {"/v1/chat/..", "/v1"},
		"three dots":                    {"/v1/.../chat", "/v1/.../chat"},
		"Gemini's colon":                {"/v1beta/models/gemini-pro:generateContent", "/v1beta/models/gemini-pro:generateContent"},
		"Gemini's colon, escaped":       {"/v1beta/models/gemini-pro%3AgenerateContent", "/v1beta/models/gemini-pro:generateContent"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := normalizePath(c.path); got != c.want {
				t.Errorf("normalizePath(%q) = %q, want %q", c.path, got, c.want)
			}
		})
	}
}

// However a path is written, all that it tells is told alike.
func TestHowAPathIsWrittenMakesNoOtherTarget(t *testing.T) {
	for path, others := range map[string][]string{
		"/v1/chat/completions":                       {"/v1/chat/completions/", "/v1/chat/completions;a=b", "//v1/%63hat/completions", "/v1/chat;a/completions"},
		"/v1/messages":                               {"/v1/messages/", "/v1/messages;a", "/v1/./messages"},
		"/v1beta/models/gemini-pro:generateContent":  {"/v1beta/models/gemini-pro%3AgenerateContent/", "/v1beta/models/gemini-pro:generateContent;a"},
		"/model/anthropic.claude-sonnet-4:0/invoke":  {"/model/anthropic.claude-sonnet-4%3A0/invoke/", "/model;a/anthropic.claude-sonnet-4:0/invoke;b"},
		"/openai/deployments/d/chat/completions":     {"/openai/deployments/d;x/chat/completions/"},
		"/api/v1/services/aigc/text-generation/call": {"/api/v1/services/aigc/text-generation/call;/"},
	} {
		want := newTarget("", "h", path, nil)
		for _, other := range others {
			got := newTarget("", "h", other, nil)
			got.rawPath = path
			if got != want {
				t.Errorf("%s is %+v, want %+v", other, got, want)
			}
		}
	}
}

// Escapes within escapes must not cost more than the path is long.
func TestNormalizePathIsLinear(t *testing.T) {
	path := "/%" + strings.Repeat("25", 30_000) + "63hat"
	if got := normalizePath(path); got != "/chat" {
		t.Errorf("got %.40q", got)
	}
}

func FuzzNormalizePath(f *testing.F) {
	for _, path := range []string{"", "/", "//v1/../%63hat/", "/%2563", "/%%3633", "%2e%2e/x", "/a/./b/..", "*", "/a?b%00", "/a;b/..;c/%3bd/"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := normalizePath(path)
		if again := normalizePath(got); again != got {
			t.Errorf("normalizePath(%q) = %q, and of that %q", path, got, again)
		}
		if got == "" || got[0] != '/' || strings.Contains(got, "//") || strings.Contains(got, ";") || got != "/" && strings.HasSuffix(got, "/") {
			t.Errorf("normalizePath(%q) = %q", path, got)
		}
		for segment := range strings.SplitSeq(got, "/") {
			if segment == "." || segment == ".." {
				t.Errorf("normalizePath(%q) = %q", path, got)
			}
		}
		if other := normalizePath("/x/.." + "/" + path); other != got {
			t.Errorf("behind dot segments %q is %q, else %q", path, other, got)
		}
	})
}
