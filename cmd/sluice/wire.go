package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"strings"
)

// onTheWire returns the bytes of a recorded body and their content coding. JSON
// holds text alone: other bytes are in base64, or described. Recorders are wont
// to store a body decoded under the headers of the coded one.
func onTheWire(r recorded) (body []byte, encoding string) {
	encoding = r.Headers["content-encoding"]
	messages := strings.Contains(r.Headers["content-type"], "vnd.amazon.eventstream")
	text := bytes.TrimSpace(r.Body)
	if encoding == "" && !messages || len(text) == 0 {
		return r.Body, encoding
	}
	if messages && (text[0] == '{' || text[0] == '[') {
		return describedMessages(text), encoding
	}
	coded, err := base64.StdEncoding.DecodeString(string(text))
	if err == nil {
		return coded, encoding
	}
	if messages {
		return r.Body, encoding
	}
	return r.Body, "" // it is text, so it was decoded
}

// describedMessages encodes messages in AWS's binary encoding that are given as
// an object or a list of objects.
func describedMessages(text []byte) []byte {
	type described struct {
		Headers map[string]string `json:"eventstream_headers"`
		Payload json.RawMessage   `json:"payload"`
	}
	var list []described
	var one described
	if json.Unmarshal(text, &one) == nil {
		list = append(list, one)
	} else if json.Unmarshal(text, &list) != nil {
		return text
	}
	var wire []byte
	for _, m := range list {
		wire = append(wire, encodeMessage(m.Headers, m.Payload)...)
	}
	return wire
}

func encodeMessage(headers map[string]string, payload []byte) []byte {
	const stringValue, overhead = 7, 16 // the lengths and checksums
	var head []byte
	for name, value := range headers {
		head = append(append(head, byte(len(name))), name...)
		head = append(head, stringValue)
		head = append(binary.BigEndian.AppendUint16(head, uint16(len(value))), value...)
	}
	wire := binary.BigEndian.AppendUint32(nil, uint32(overhead+len(head)+len(payload)))
	wire = binary.BigEndian.AppendUint32(wire, uint32(len(head)))
	wire = binary.BigEndian.AppendUint32(wire, crc32.ChecksumIEEE(wire))
	wire = slices.Concat(wire, head, payload)
	return binary.BigEndian.AppendUint32(wire, crc32.ChecksumIEEE(wire))
}
