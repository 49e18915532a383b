/** A PDF, an image or an archive: properties from the headers, and the bytes, which are read on demand. */

export class Rendered {
  readonly #response: Response;

  constructor(response: Response) {
    this.#response = response;
  }

  /** Number of pages. Undefined for images and archives. */
  get pages(): number | undefined {
    return this.#number('platen-pages');
  }

  /** Number of warnings about the document. `report` of a stored document lists them. */
  get warnings(): number | undefined {
    return this.#number('platen-warnings');
  }

  /** Documents left this month. Undefined if the plan has no limit. */
  get quotaRemaining(): number | undefined {
    return this.#number('platen-quota-remaining');
  }

  /** The id of the stored document. Undefined if it was not stored. */
  get documentId(): string | undefined {
    return this.#response.headers.get('platen-document-id') ?? undefined;
  }

  /** The id of the request in the log of the service. */
  get requestId(): string {
    return this.#response.headers.get('x-request-id') ?? '';
  }

  get contentType(): string {
    return this.#response.headers.get('content-type') ?? '';
  }

  /** The body as a stream, which can be read once. */
  get stream(): ReadableStream<Uint8Array> {
    if (!this.#response.body) throw new TypeError('The response has no body');
    return this.#response.body;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#response.arrayBuffer());
  }

  blob(): Promise<Blob> {
    return this.#response.blob();
  }

  /** Writes the body to a file as it arrives, in Node, Deno and Bun. An incomplete file is removed. */
  async toFile(path: string): Promise<void> {
    const { open, rm } = await import('node:fs/promises');
    const file = await open(path, 'w');
    try {
      for await (const chunk of this.stream) await file.writeFile(chunk);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  #number(name: string): number | undefined {
    const value = this.#response.headers.get(name);
    return value === null ? undefined : Number(value);
  }
}
