// Renders a document with the client that oapi-codegen made of the OpenAPI document.
package main

import (
	"context"
	"net/http"
	"os"

	"example.com/render/platen"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PLATEN_KEY"))
		return nil
	}
	client, err := platen.NewClientWithResponses(os.Getenv("PLATEN_URL"), platen.WithRequestEditorFn(authorize))
	check(err)

	format := platen.PdfOptionsFormat("A5")
	var document platen.PdfRequest
	check(document.FromHtmlPdfRequest(platen.HtmlPdfRequest{
		Html:    "<h1>From Go</h1>",
		Options: &platen.PdfOptions{Format: &format},
	}))
	reply, err := client.RenderPdfWithResponse(context.Background(), nil, document)
	check(err)
	if reply.StatusCode() != http.StatusOK {
		panic(reply.Status() + string(reply.Body))
	}
	check(os.WriteFile(os.Args[1], reply.Body, 0o600))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
