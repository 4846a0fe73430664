package main

import (
	"net/netip"
	"strings"
	"testing"
)

func TestForwardedFor(t *testing.T) {
	for name, c := range map[string]struct {
		headers []string
		hops    int
		want    string // "-": too few
	}{
		"one proxy":                  {[]string{"a, b"}, 1, "a"},
		"one proxy, more in front":   {[]string{"x, a, b"}, 1, "a"},
		"two proxies":                {[]string{"x, a, b, c"}, 2, "a"},
		"only Envoy's own":           {[]string{"a"}, 1, "-"},
		"too few":                    {[]string{"a, b"}, 2, "-"},
		"no header":                  {nil, 1, "-"},
		"empty":                      {[]string{""}, 1, "-"},
		"several lines":              {[]string{"x", "a,b"}, 1, "a"},
		"a line for each":            {[]string{"x", "a", "b"}, 1, "a"},
		"spaces":                     {[]string{" x ,  a  ,b "}, 1, "a"},
		"an empty entry counts":      {[]string{"a,,b"}, 2, "a"},
		"more hops than any has had": {[]string{"a, b"}, 100, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := forwardedFor(c.headers, c.hops)
			if !ok {
				got = "-"
			}
			if got != c.want {
				t.Errorf("forwardedFor(%q, %d) = %q, want %q", c.headers, c.hops, got, c.want)
			}
		})
	}
}

func TestClientOf(t *testing.T) {
	for name, c := range map[string]struct {
		address string
		prefix  int
		want    string
	}{
		"IPv4":                       {"10.0.0.1", 64, "10.0.0.1"},
		"IPv4 with a port":           {"10.0.0.1:80", 64, "10.0.0.1"},
		"IPv6":                       {"2001:db8:1:2:3:4:5:6", 64, "2001:db8:1:2::/64"},
		"IPv6, written otherwise":    {"2001:0DB8:0001:0002:0:0:0:1", 64, "2001:db8:1:2::/64"},
		"IPv6 in brackets":           {"[2001:db8:1:2::1]", 64, "2001:db8:1:2::/64"},
		"IPv6 with a port":           {"[2001:db8:1:2::1]:80", 64, "2001:db8:1:2::/64"},
		"IPv6 with a zone":           {"fe80::1%eth0", 64, "fe80::/64"},
		"a longer prefix":            {"2001:db8::1", 128, "2001:db8::1/128"},
		"a shorter prefix":           {"2001:db8:1::1", 32, "2001:db8::/32"},
		"IPv4 in IPv6":               {"::ffff:10.0.0.1", 64, "10.0.0.1"},
		"IPv4 in IPv6 with a port":   {"[::ffff:10.0.0.1]:80", 64, "10.0.0.1"},
		"no address":                 {"unix:///tmp/socket", 64, "unix:///tmp/socket"},
		"an obfuscated identifier":   {"_hidden", 64, "_hidden"},
		"empty":                      {"", 64, ""},
		"an address that is too big": {"256.0.0.1", 64, "256.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := clientOf(c.address, c.prefix); got != c.want {
				t.Errorf("clientOf(%q, %d) = %q, want %q", c.address, c.prefix, got, c.want)
			}
		})
	}
}

func FuzzClientOf(f *testing.F) {
	for _, address := range []string{"", "10.0.0.1:80", "[2001:db8::1%25a]:80", "::ffff:1.2.3.4", "fe80::1%eth0", "]["} {
		f.Add(address, 64, "a, b", 1)
	}
	f.Fuzz(func(t *testing.T, address string, prefix int, header string, hops int) {
		prefix, hops = 1+abs(prefix)%128, 1+abs(hops)%100
		got := clientOf(address, prefix)
		// Whatever its port, an address is one client.
		if ip, err := netip.ParseAddr(address); err == nil && ip.Zone() == "" {
			if other := clientOf(netip.AddrPortFrom(ip, 443).String(), prefix); other != got {
				t.Errorf("%q is %q, with a port %q", address, got, other)
			}
			// All of one network are one, and of one form.
			if again, _, _ := strings.Cut(got, "/"); clientOf(again, prefix) != got {
				t.Errorf("%q is %q, and %q is %q", address, got, again, clientOf(again, prefix))
			}
		}
		// What a client writes in front never changes what the proxies wrote.
		if entry, ok := forwardedFor([]string{header}, hops); ok {
			if other, ok := forwardedFor([]string{"forged", header}, hops); !ok || other != entry {
				t.Errorf("of %q hop %d is %q, behind a forged one %q", header, hops, entry, other)
			}
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
