/** .oka/rules/mcp.json: servers of the Model Context Protocol, in the form that other clients use, and what they may do here. */
import { z } from 'zod';

/** A part of the names of tools (mcp.<server>.<tool>), of rules and of files. */
const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

const Seconds = z.number().positive();
const Texts = z.record(z.string().min(1).max(200), z.string().max(10_000));

const SamplingBudget = z
  .strictObject({
    calls: z.int().min(1).max(100).default(3).describe('How often, during one call of a tool.'),
    tokens: z.int().min(1).max(200_000).default(4000).describe('Tokens of all its answers, during one call of a tool.'),
  })
  .describe('Lets the server ask your model while one of its tools works. Refused unless this is here.');
export type SamplingBudget = z.infer<typeof SamplingBudget>;

const shared = {
  paths: z
    .array(z.string().min(1).max(1000))
    .max(50)
    .default([])
    .describe('Folders that the server may read: absolute, or beginning with ~/. None unless they are named.'),
  write: z
    .array(z.string().min(1).max(1000))
    .max(50)
    .default([])
    .describe('Folders that it may also change. None unless they are named.'),
  net: z
    .array(z.string().min(1).max(253))
    .max(50)
    .default([])
    .describe('Hosts that it may reach, such as api.example.org or db.lan:5432. None unless they are named.'),
  send: z
    .boolean()
    .optional()
    .describe(
      'Whether a server that reaches others may get what a task has read before. Else such a call is asked about.',
    ),
  sampling: SamplingBudget.optional(),
  idle: Seconds.max(86_400).default(300).describe('Stopped when nobody has used it for so many seconds.'),
  timeout: Seconds.max(3600).default(60).describe('A call without an answer or progress ends after so many seconds.'),
  disabled: z.boolean().default(false).describe('Whether it is left out.'),
};

const StdioServer = z
  .looseObject({
    command: z.string().min(1).max(1000).describe('The program, such as npx, uvx, node or an absolute path.'),
    args: z.array(z.string().max(10_000)).max(200).default([]).describe('Its arguments.'),
    env: Texts.default({}).describe('Its environment. `secret:NAME` stands for a secret of the vault.'),
    ...shared,
  })
  .describe('A server that is started here and spoken to over its input and output.');

const LoginSettings = z
  .looseObject({
    clientId: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe('The client that you registered, for servers where oka cannot register itself.'),
    clientSecret: z.string().min(1).max(2000).optional().describe('Its secret, written as `secret:NAME`.'),
    scope: z.string().min(1).max(2000).optional().describe('The scopes to ask for, instead of those the server names.'),
    callbackPort: z.int().min(1).max(65_535).optional().describe('The port of the redirect; any free one otherwise.'),
  })
  .describe('How oka logs in by OAuth.');

const HttpServer = z
  .looseObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .describe('Its address, for streamable HTTP.'),
    headers: Texts.default({}).describe('Sent with every request. `secret:NAME` stands for a secret of the vault.'),
    oauth: LoginSettings.optional().describe('For `oka mcp login`; most servers need none of it.'),
    ...shared,
  })
  .describe('A server elsewhere.');

export const McpServer = z.union([StdioServer, HttpServer]).describe('A server and what it may do.');
export type McpServer = z.infer<typeof McpServer>;
export type StdioServer = z.infer<typeof StdioServer>;
export type HttpServer = z.infer<typeof HttpServer>;

export const isStdio = (server: McpServer): server is StdioServer => 'command' in server;

export const McpFile = z
  .looseObject({ mcpServers: z.record(z.string(), McpServer).default({}).describe('Servers by name.') })
  .describe('.oka/rules/mcp.json: servers whose tools oka may use.');

/** The entry, or what is wrong with it. */
export function readEntry(name: string, entry: unknown): McpServer | string {
  if (!SERVER_NAME.test(name)) return 'its name has to consist of at most 40 letters, digits, - and _';
  const isMap = entry !== null && typeof entry === 'object';
  if (isMap && 'type' in entry && entry.type === 'sse')
    return 'the old transport over server-sent events is not supported; most such servers also speak streamable HTTP';
  const read = McpServer.safeParse(entry);
  if (read.success) return read.data;
  if (isMap && !('command' in entry) && !('url' in entry)) return 'it has neither a command nor a url';
  const issues = read.error.issues.flatMap((issue) => (issue.code === 'invalid_union' ? issue.errors.flat() : [issue]));
  const own = issues.filter(({ path }) => path[0] !== (isMap && 'command' in entry ? 'url' : 'command'));
  return z.prettifyError({ issues: own.length > 0 ? own : issues }).replaceAll('\n', ' ');
}

/** A tool as its server described it, in the fields that people accept. */
export const ToolDefinition = z
  .strictObject({
    name: z.string().describe('Its name at the server.'),
    title: z.string().optional().describe('Its name for people.'),
    description: z.string().optional().describe('What it does, in the words of the server.'),
    inputSchema: z.record(z.string(), z.json()).describe('JSON Schema of its arguments.'),
    outputSchema: z.record(z.string(), z.json()).optional().describe('JSON Schema of what it returns.'),
    annotations: z.record(z.string(), z.json()).optional().describe('What the server claims about it.'),
  })
  .describe('A tool as its server described it.');
export type ToolDefinition = z.infer<typeof ToolDefinition>;

export const McpPins = z
  .strictObject({
    version: z.literal(1).describe('Format of this file.'),
    identity: z.string().describe('The server: its command, arguments and package, or its origin.'),
    by: z.string().max(200).describe('Who accepted it.'),
    at: z.iso.datetime().describe('When.'),
    tools: z.array(ToolDefinition).max(1000).describe('The tools as they were accepted.'),
    reads: z
      .array(z.string())
      .max(1000)
      .optional()
      .describe('Those of which the person said that they only read, so that a call of them need not be asked about.'),
    allowed: z
      .array(z.strictObject({ tool: z.string().max(200), by: z.string().max(200), at: z.iso.datetime() }))
      .max(1000)
      .optional()
      .describe('Those of which a person answered "always for this tool": who, and when.'),
  })
  .describe('.oka/mcp/<server>.json: the tools of a server that a person has accepted.');
export type McpPins = z.infer<typeof McpPins>;

export const ServerNote = z
  .object({
    identity: z.string().describe('Of which server.'),
    at: z.iso.datetime().describe('When it was connected to.'),
    era: z
      .union([
        z.object({ kind: z.literal('legacy').describe('The protocol until 2025.') }),
        z.object({
          kind: z.literal('modern').describe('The protocol since 2026.'),
          discover: z.json().describe('What it answered.'),
        }),
      ])
      .describe('What the server speaks.'),
    changed: z.array(z.string()).default([]).describe('Tools that differ from what was accepted.'),
  })
  .describe('.oka/state/mcp/<server>.json: what was last seen of a server.');
export type ServerNote = z.infer<typeof ServerNote>;
