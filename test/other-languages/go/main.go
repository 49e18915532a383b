// Renders a document, lists documents and reads an error with the client that oapi-codegen generated from the OpenAPI document.
package main

import (
	"context"
	"encoding/json"
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
	pdf := render(client, platen.HtmlPdfRequest{Html: "<h1>From Go</h1>", Options: &platen.PdfOptions{Format: &format}})
	check(os.WriteFile("out.pdf", pdf.Body, 0o600))

	store := true
	stored := render(client, platen.HtmlPdfRequest{Html: "<p>Kept", Store: &store})
	limit := 1
	list, err := client.ListDocumentsWithResponse(context.Background(), &platen.ListDocumentsParams{Limit: &limit})
	check(err)
	missing, err := client.FetchDocumentWithResponse(context.Background(), "doc_0", nil)
	check(err)
	result, err := json.Marshal(map[string]any{
		"status": stored.StatusCode(),
		"listed": len(list.JSON200.Data),
		"code":   missing.ApplicationproblemJSONDefault.Code,
	})
	check(err)
	check(os.WriteFile("result.json", result, 0o600))
}

func render(client *platen.ClientWithResponses, source platen.HtmlPdfRequest) *platen.RenderPdfResponse {
	var document platen.PdfRequest
	check(document.FromHtmlPdfRequest(source))
	reply, err := client.RenderPdfWithResponse(context.Background(), nil, document)
	check(err)
	return reply
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
