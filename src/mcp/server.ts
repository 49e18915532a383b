/** Creates an MCP server for one caller: access to the API in, MCP tools and resources out. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type ApiAccess, ApiError, callApi, readBytes } from './api.ts';
import { loadInputSchemas } from './input-schemas.ts';
import { linkTo, MAX_REPLY_BYTES, TOOLS } from './tools.ts';

type Documents = { data: Array<Parameters<typeof linkTo>[0]>; next_cursor: string | null };

const DOCUMENT = /^platen:\/\/documents\/(doc_[0-9A-Za-z]{1,64})$/;
const PDF = 'application/pdf';

export function createMcpServer(access: ApiAccess, version: string): Server {
  const server = new Server({ name: 'platen', version }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async (_request, { signal }) => {
    const schemaOf = await withMcpErrors(loadInputSchemas({ ...access, signal }));
    const tools = Object.entries(TOOLS).map(([name, { description, input }]) => {
      return { name, description, inputSchema: typeof input === 'string' ? schemaOf(input) : input };
    });
    return { tools };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }, { signal }) => {
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${name.slice(0, 64)}`);
    try {
      return { content: await tool.run({ ...access, signal }, given) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  });
  serveDocuments(server, access);
  return server;
}

function serveDocuments(server: Server, access: ApiAccess): void {
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }, { signal }) => {
    const query = params?.cursor === undefined ? '' : `?cursor=${encodeURIComponent(params.cursor)}`;
    const { data, next_cursor: nextCursor } = (await (
      await withMcpErrors(callApi({ ...access, signal }, `/v1/documents${query}`))
    ).json()) as Documents;
    const resources = data.map(linkTo).map(({ type: _, ...resource }) => resource);
    return { resources, ...(nextCursor !== null && { nextCursor }) };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: [{ uriTemplate: 'platen://documents/{document_id}', name: 'A stored PDF or image' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    const id = DOCUMENT.exec(uri)?.[1];
    if (!id) throw new McpError(ErrorCode.InvalidParams, 'resources are platen://documents/{document_id}');
    const response = await withMcpErrors(callApi({ ...access, signal }, `/v1/documents/${id}`, { accept: `${PDF}, image/*` }));
    const content = await withMcpErrors(readBytes(response, MAX_REPLY_BYTES, `load it with GET /v1/documents/${id}`));
    const blob = content.toString('base64');
    return { contents: [{ uri, mimeType: response.headers.get('content-type') ?? PDF, blob }] };
  });
}

/** Converts errors of the API to MCP errors, for requests that cannot return them as the result of a tool. */
async function withMcpErrors<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: Error) => {
    throw error instanceof ApiError ? new McpError(ErrorCode.InvalidParams, error.message) : error;
  });
}
