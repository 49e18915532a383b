/** The bytes of a PDF, an image or an archive, which are read when they are asked for. */

export class Rendered {
  readonly #response: Response;

  constructor(response: Response) {
    this.#response = response;
  }

  /** Number of pages. Undefined for images and archives. */
  get pages(): number | undefined {
    return this.#number('platen-pages');
  }

  /** Number of things that are missing or wrong. Ask for a report to see them. */
  get warnings(): number | undefined {
    return this.#number('platen-warnings');
  }

  /** Documents left this month. Undefined where the plan has no limit. */
  get quotaRemaining(): number | undefined {
    return this.#number('platen-quota-remaining');
  }

  /** The id of the stored document, where it was stored. */
  get documentId(): string | undefined {
    return this.#response.headers.get('platen-document-id') ?? undefined;
  }

  /** Names the request in the logs of the service. */
  get requestId(): string {
    return this.#response.headers.get('x-request-id') ?? '';
  }

  get contentType(): string {
    return this.#response.headers.get('content-type') ?? '';
  }

  /** The body as it arrives. It can be read once. */
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

  /** Writes the body to a file as it arrives. Node, Deno and Bun. A file that was not written whole is removed. */
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
