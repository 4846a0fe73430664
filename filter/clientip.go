package main

import (
	"net/netip"
	"strings"

	"sluice/config"
	"sluice/limits"
)

// clientIP is the built-in attribute ip. The peer's address is Envoy's
// source.address, given use_remote_address; with trusted proxies in front it is
// an entry of X-Forwarded-For that they wrote.
func (s *stream) clientIP(a *config.Attribute) limits.Fact {
	peer := property([]string{"source", "address"})
	if peer.Status != limits.Known {
		return peer
	}
	address := peer.Value
	if a.TrustedHops > 0 {
		if v, ok := forwardedFor(s.head.values("x-forwarded-for", nil), a.TrustedHops); ok {
			address = v
		}
	}
	return known(clientOf(address, a.V6Prefix))
}

// forwardedFor returns the n-th entry from the right, n from 1, not counting
// the last, which Envoy itself has appended. Not ok: there are too few.
func forwardedFor(headers []string, n int) (string, bool) {
	all := strings.Join(headers, ",")
	for range n {
		i := strings.LastIndexByte(all, ',')
		if i < 0 {
			return "", false
		}
		all = all[:i]
	}
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:]), true
}

// clientOf brings an address, with or without a port, into one form, an IPv6
// one cut to the network that one client commands.
func clientOf(address string, v6Prefix int) string {
	ip, err := netip.ParseAddr(strings.Trim(address, "[]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(address)
		if err != nil {
			return address
		}
		ip = withPort.Addr()
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	network, err := ip.Prefix(v6Prefix)
	if err != nil {
		return ip.String()
	}
	return network.String()
}
