package tokens

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// picture returns an image of a format and size in base64.
func picture(t testing.TB, format string, width, height int) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "gif":
		err = gif.Encode(&b, m, nil)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
		// Metadata, as cameras put it before the size.
		exif := append([]byte{0xFF, 0xE1, 0x40, 0x02}, make([]byte, 0x4000)...)
		b = *bytes.NewBuffer(append(append([]byte{0xFF, 0xD8}, exif...), b.Bytes()[2:]...))
	case "webp": // the extended form; only the header
		b.WriteString("RIFF\x00\x00\x00\x00WEBPVP8X\x0A\x00\x00\x00\x00\x00\x00\x00")
		b.Write([]byte{byte(width - 1), byte((width - 1) >> 8), 0, byte(height - 1), byte((height - 1) >> 8), 0})
	case "webp lossy":
		b.WriteString("RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x00\x00\x00\x9D\x01\x2A")
		b.Write([]byte{byte(width), byte(width >> 8), byte(height), byte(height >> 8)})
	case "webp lossless":
		b.WriteString("RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2F")
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(width-1|(height-1)<<14)))
	}
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("....")
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestImageSize(t *testing.T) {
	for _, format := range []string{"png", "gif", "jpeg", "webp", "webp lossy", "webp lossless"} {
		if got := payload(picture(t, format, 1000, 700)).size(); got != (pixels{1000, 700}) {
			t.Errorf("%s: %v", format, got)
		}
	}
	for _, s := range []string{"", "iVBORw0KGgo=", "/9j/", "/9j/4AAQSkZJRg", "R0lGODlh", "UklGRgAAAABXRUJQVlA4", "not base64!", "iVBORw0KGgoAAAANSUhEUgAAAAAAAAAA", "iVBORw0KGgoAAAANSUhEUv//////////"} {
		if got := payload(s).size(); got != (pixels{}) {
			t.Errorf("%s: %v", s, got)
		}
	}
}

// wav returns seconds of silence in base64.
func wav(seconds int) string {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	b = binary.LittleEndian.AppendUint32(b, 8000)
	b = binary.LittleEndian.AppendUint32(b, 8000)
	b = append(b, make([]byte, 12+seconds*8000-100)...)
	return base64.StdEncoding.EncodeToString(b)
}

func TestMedia(t *testing.T) {
	square := picture(t, "png", 1024, 1024)
	wide := picture(t, "jpeg", 3000, 1000)
	small := picture(t, "gif", 300, 200)
	openAI := func(model, url, detail string) string {
		return `{"model":"` + model + `","messages":[{"content":[{"type":"image_url","image_url":{"url":"` + url + `"` + detail + `}}]}]}`
	}
	tests := []struct {
		name, body string
		want       int64
	}{
		{"OpenAI, 1024²", openAI("gpt-4o", "data:image/png;base64,"+square, ""), 765},
		{"OpenAI, wide", openAI("gpt-4o", "data:image/jpeg;base64,"+wide, `,"detail":"high"`), 85 + 170*8},
		{"OpenAI, small", openAI("gpt-4o", "data:image/gif;base64,"+small, `,"detail":"auto"`), 85 + 170},
		{"OpenAI, low detail", openAI("gpt-4o", "data:image/png;base64,"+square, `,"detail":"low"`), 85},
		{"OpenAI, address", openAI("gpt-4o", "https://example.com/a.png", ""), 765},
		{"OpenAI, small model", openAI("gpt-4o-mini", "https://example.com/a.png", ""), 2833 + 4*5667},
		{"OpenAI, patches", openAI("gpt-4.1-mini", "data:image/png;base64,"+square, ""), 1659},
		{"OpenAI, many patches", openAI("gpt-4.1-nano", "data:image/jpeg;base64,"+wide, ""), 3779},
		{"OpenAI, GPT-5", openAI("gpt-5", "data:image/png;base64,"+square, ""), 70 + 140*4},
		{"Responses", `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + square + `"}]}]}`, 765},
		{"Responses, low before", `{"input":[{"role":"user","content":[{"type":"input_image","detail":"low","image_url":"https://example.com/a"},{"type":"input_image","image_url":"https://example.com/a"}]}]}`, 85 + 765},
		{"Responses, low behind", `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"https://example.com/a","detail":"low"},{"type":"input_image","file_id":"f","image_url":"https://example.com/a"}]}]}`, 85 + 765},
		{"Claude", `{"model":"claude-sonnet-4","messages":[{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + square + `"}}]}]}`, 1398},
		{"Claude, small", `{"model":"claude-sonnet-4","messages":[{"content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"` + small + `"}}]}]}`, 80},
		{"Claude, address", `{"model":"claude-sonnet-4","messages":[{"content":[{"type":"image","source":{"type":"url","url":"https://example.com/a"}}]}]}`, ImageTokens},
		{"Claude, document", `{"model":"claude-sonnet-4","messages":[{"content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}}]}]}`, FileTokens},
		{"Claude, type behind", `{"model":"claude-sonnet-4","messages":[{"content":[{"source":{"type":"base64","data":"AAAA"},"type":"document"}]}]}`, FileTokens},
		{"Converse", `{"model":"claude","messages":[{"content":[{"image":{"format":"png","source":{"bytes":"` + square + `"}}}]}]}`, 1398},
		{"Converse, document", `{"model":"claude","messages":[{"content":[{"document":{"format":"pdf","name":"d","source":{"bytes":"AAAA"}}}]}]}`, FileTokens + 1},
		{"Gemini, small", `{"model":"gemini","contents":[{"parts":[{"inlineData":{"mimeType":"image/gif","data":"` + small + `"}}]}]}`, 258},
		{"Gemini, wide", `{"model":"gemini","contents":[{"parts":[{"inlineData":{"data":"` + wide + `","mimeType":"image/jpeg"}}]}]}`, 8 * 258},
		{"Gemini, audio", `{"model":"gemini","contents":[{"parts":[{"inline_data":{"mime_type":"audio/wav","data":"` + wav(9) + `"}}]}]}`, 9 * 32},
		{"Gemini, PDF", `{"model":"gemini","contents":[{"parts":[{"inlineData":{"mimeType":"application/pdf","data":"AAAA"}}]}]}`, FileTokens},
		{"OpenAI, audio", `{"messages":[{"content":[{"type":"input_audio","input_audio":{"data":"` + wav(9) + `","format":"wav"}}]}]}`, 90},
		{"OpenAI, other audio", `{"messages":[{"content":[{"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}}]}]}`, AudioTokens},
		{"OpenAI, file", `{"messages":[{"content":[{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA"}}]}]}`, FileTokens},
		{"OpenAI, uploaded file", `{"messages":[{"content":[{"type":"file","file":{"file_id":"f"}}]}]}`, FileTokens},
		{"two", `{"messages":[{"content":[{"image_url":"https://example.com/a"},{"image_url":{"url":"https://example.com/a"}}]}]}`, 2 * 765},
		{"anywhere", `{"messages":[{"content":[{"novelty":"data:image/png;base64,` + square + `"}]}]}`, 765},
	}
	for _, tt := range tests {
		if got := ReadRequest([]byte(tt.body)).Input - 7; got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		long := strings.Replace(tt.body, "{", `{"metadata":"`+strings.Repeat("x", 50_000)+`",`, 1)
		if got := ReadRequest([]byte(long)).Input - 7; got != tt.want {
			t.Errorf("%s, long: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func FuzzPayload(f *testing.F) {
	f.Add([]byte(picture(f, "jpeg", 10, 10)[:22000]))
	f.Add([]byte("data:image/png;base64," + picture(f, "png", 10, 10)))
	f.Fuzz(func(t *testing.T, s []byte) {
		_, p := readPayload(s)
		if size := p.size(); size.width < 0 || size.height < 0 || size.width > maxSide || size.height > maxSide {
			t.Errorf("%v", size)
		}
		if n := p.seconds(); n < 0 || n > int64(len(s)) {
			t.Errorf("%d seconds", n)
		}
	})
}
