package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tidwall/gjson"

	"sluice/config"
	"sluice/limits"
	"sluice/tokens"
)

// resolve finds the facts that the header phase knows.
func (s *stream) resolve() {
	attributes := s.p.config.Attributes
	s.facts = make([]limits.Fact, len(attributes))
	for i := range attributes {
		if attributes[i].Groups == nil {
			s.facts[i] = withDefault(s.headerFact(i), &attributes[i])
		}
	}
	s.group()
}

// headerFact is what the header phase says of one attribute.
func (s *stream) headerFact(i int) limits.Fact {
	a := &s.p.config.Attributes[i]
	switch {
	case a.Headers != nil:
		return s.head.identity(a.Headers)
	case a.Property != nil:
		return property(a.Property)
	case a.Body != "":
		return limits.Fact{Status: limits.Unseen}
	}
	switch i {
	case config.Key:
		return s.head.credential()
	case config.Path:
		return known(s.head.path)
	case config.Method:
		return known(s.head.method)
	case config.Provider:
		return known(s.head.provider)
	case config.Operation:
		if s.head.operation != tokens.Other {
			return known(string(s.head.operation))
		}
		return limits.Fact{Status: limits.Unseen}
	case config.Model:
		if s.model = s.head.pathModel; s.model != "" {
			return known(s.model)
		}
		return limits.Fact{Status: limits.Unseen}
	}
	if !a.Used { // each of the rest costs a call of the host
		return limits.Fact{}
	}
	switch i {
	case config.IP:
		return s.clientIP(a)
	case config.Route:
		return property([]string{"xds", "route_name"}) // route_name alone is gone (P37)
	case config.Cluster:
		return known(s.head.cluster)
	}
	return limits.Fact{}
}

// resolveBody finds the facts that the body tells, once it is read as far as it
// will be; unknown is what becomes of those that it could not be read for.
func (s *stream) resolveBody(body []byte, unknown limits.FactStatus) {
	readable := s.request.Status == tokens.Readable || s.request.Status == tokens.Empty
	attributes := s.p.config.Attributes
	for i := range attributes {
		a := &attributes[i]
		if a.Groups != nil || s.facts[i].Status != limits.Unseen {
			continue
		}
		f := limits.Fact{Status: unknown}
		switch {
		case i == config.Model && len(s.request.Model) > 0:
			s.model = string(s.request.Model)
			f = known(s.model)
		case i == config.Operation && (readable || s.request.Operation != tokens.Other):
			f = known(string(s.request.Operation))
		case readable && a.Body != "":
			if v := gjson.GetBytes(body, a.Body); v.Exists() && v.Type != gjson.Null {
				f = known(v.String())
			} else {
				f = limits.Fact{}
			}
		case readable:
			f = limits.Fact{}
		}
		s.facts[i] = withDefault(f, a)
	}
	s.group()
}

// group finds the facts that are made of others.
func (s *stream) group() {
	attributes := s.p.config.Attributes
	for i := range attributes {
		a := &attributes[i]
		if a.Groups == nil {
			continue
		}
		f := s.facts[a.Groups.From]
		if f.Status == limits.Known {
			name, ok := a.Groups.Of(f.Value)
			f = limits.Fact{}
			if ok {
				f = known(name)
			}
		}
		s.facts[i] = withDefault(f, a)
	}
}

// withDefault fills in for an absent value; empty ones count as absent.
func withDefault(f limits.Fact, a *config.Attribute) limits.Fact {
	if f.Status == limits.Known && f.Value == "" {
		f = limits.Fact{}
	}
	if f.Status == limits.Absent && a.Default != nil {
		return limits.Fact{Value: *a.Default, Status: limits.Known}
	}
	return f
}

func known(value string) limits.Fact { return limits.Fact{Value: value, Status: limits.Known} }

// clusterName is the cluster that the request's route names, "" if none.
func clusterName() string { return property([]string{"xds", "cluster_name"}).Value }

// property reads an Envoy attribute; one that is not there is absent.
func property(path []string) limits.Fact {
	value, err := proxywasm.GetProperty(path)
	if err != nil {
		return limits.Fact{}
	}
	return known(string(value))
}
