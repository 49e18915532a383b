// Converts a page with an additional file, takes a screenshot, merges two PDFs and receives a result by webhook, with the same requests
// as the Go client of Gotenberg 8 (starwalkn/gotenberg-go-client): its field names, number formats and headers. It does not use the
// client itself, because the Go module proxy available during development did not serve it.
package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"time"
)

type file struct{ name, content string }

func main() {
	index := file{"index.html", `<link rel="stylesheet" href="a.css"><h1>From Go</h1>`}
	style := file{"a.css", "h1::after { content: ' with a file' }"}
	page := convert("/forms/chromium/convert/html", []file{
		index, style,
		{"header.html", "<html><body><p style='font-size: 10px'>Head</p></body></html>"},
		{"footer.html", "<html><body><p style='font-size: 10px'>Foot</p></body></html>"},
	}, pageFields(), map[string]string{"Gotenberg-Output-Filename": "result"})
	check(os.WriteFile("page.pdf", page, 0o600))

	screenshot := map[string]string{"format": "png", "clip": "true", "optimizeForSpeed": "true"}
	check(os.WriteFile("page.png", convert("/forms/chromium/screenshot/html", []file{index, style}, screenshot, nil), 0o600))

	pdfs := []file{{"1.pdf", string(page)}, {"2.pdf", string(page)}}
	check(os.WriteFile("merged.pdf", convert("/forms/pdfengines/merge", pdfs, map[string]string{"metadata": `{"Title":"Merged"}`, "flatten": "true"}, nil), 0o600))
	check(os.WriteFile("brought.pdf", brought(index, style), 0o600))
}

// Values in the formats of the client: lengths and factors with six digits, and durations as Go prints them.
func pageFields() map[string]string {
	return map[string]string{
		"paperWidth":           fmt.Sprintf("%f%s", 5.83, "in"),
		"paperHeight":          fmt.Sprintf("%f%s", 8.27, "in"),
		"marginTop":            fmt.Sprintf("%f%s", 1.0, "in"),
		"marginBottom":         fmt.Sprintf("%f%s", 1.0, "in"),
		"marginLeft":           fmt.Sprintf("%f%s", 0.5, "in"),
		"marginRight":          fmt.Sprintf("%f%s", 0.5, "in"),
		"scale":                fmt.Sprintf("%f", 0.75),
		"waitDelay":            (1100 * time.Millisecond).String(),
		"waitForExpression":    "document.readyState === 'complete'",
		"emulatedMediaType":    "print",
		"printBackground":      "true",
		"skipNetworkIdleEvent": "true",
		"nativePageRanges":     "1-1",
		"metadata":             `{"Title":"Sent by Go"}`,
	}
}

// Receives the result at the webhook.
func brought(files ...file) []byte {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	results := make(chan []byte, 1)
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			body, _ := io.ReadAll(request.Body)
			if request.Method != http.MethodPut || request.Header.Get("X-Order") != "7" {
				body = []byte(fmt.Sprintf("%s without the header", request.Method))
			}
			results <- body
		}))
	}()
	url := "http://" + listener.Addr().String()
	send("/forms/chromium/convert/html", files, nil, map[string]string{
		"Gotenberg-Webhook-Url":                url + "/result",
		"Gotenberg-Webhook-Error-Url":          url + "/error",
		"Gotenberg-Webhook-Method":             http.MethodPut,
		"Gotenberg-Webhook-Error-Method":       http.MethodPost,
		"Gotenberg-Webhook-Extra-Http-Headers": `{"X-Order":"7"}`,
	}, http.StatusNoContent)
	return <-results
}

func convert(path string, files []file, fields map[string]string, headers map[string]string) []byte {
	return send(path, files, fields, headers, http.StatusOK)
}

// Files come first, each as application/octet-stream.
func send(path string, files []file, fields map[string]string, headers map[string]string, wanted int) []byte {
	body := &bytes.Buffer{}
	writer := multipart.NewWriter(body)
	for _, each := range files {
		part, err := writer.CreateFormFile("files", each.name)
		check(err)
		_, err = io.WriteString(part, each.content)
		check(err)
	}
	for name, value := range fields {
		check(writer.WriteField(name, value))
	}
	check(writer.Close())
	request, err := http.NewRequest(http.MethodPost, os.Getenv("PLATEN_URL")+path, body)
	check(err)
	request.Header.Set("Content-Type", writer.FormDataContentType())
	request.SetBasicAuth("anyone", os.Getenv("PLATEN_KEY"))
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	result, err := io.ReadAll(response.Body)
	check(err)
	if response.StatusCode != wanted {
		panic(fmt.Sprintf("%s: %s: %s", path, response.Status, result))
	}
	return result
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
