/**
 * Owns: the assistant as an MCP server, for both eras of the protocol. The only door to @modelcontextprotocol/server.
 * Does not own: what the tools do (assistant-tools.ts), and who may connect (cli, web).
 */
import { type CallToolResult, createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { AddTaskInput, RunInput, SearchMemoryInput, StatusInput } from '../../core/schema/assistant-input.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { programVersion } from '../../kit/settings.ts';
import { type AssistantPorts, assistantTools } from './assistant-tools.ts';

/** `isReadOnly`: only the tools that change nothing are offered. */
type AssistantAccess = AssistantPorts & { isReadOnly: boolean };

const INSTRUCTIONS =
  'oka does tasks on its own, within the policy of its operator. Hand a task over with oka_add_task, then ask oka_status for that run until it has ended, and fetch oka_result. What waits for an approval is answered by a person, never through this server.';

/** A handler of HTTP requests; whoever mounts it checks who asks. */
export function assistantHandler(access: AssistantAccess): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(() => buildServer(access));
  return (request) => handler.fetch(request);
}

/** Serves one client on stdin and stdout until stdin ends or the signal comes. */
export async function serveAssistant(access: AssistantAccess, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdin.once('end', resolve).once('close', resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  const handle = serveStdio(() => buildServer(access));
  if (!signal.aborted) await promise;
  await handle.close();
}

function buildServer(access: AssistantAccess): McpServer {
  const server = new McpServer({ name: 'oka', version: programVersion() }, { instructions: INSTRUCTIONS });
  const tools = assistantTools(access);
  server.registerTool(
    'oka_status',
    {
      title: 'Status of oka, or of one run',
      description: 'Where oka stands: its worker, what waits for a person, recent runs; or where one run stands.',
      inputSchema: StatusInput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input) => reply(() => tools.status(input)),
  );
  server.registerTool(
    'oka_result',
    {
      title: 'Result of a run',
      description: 'The result of a run as markdown (RESULT.md), once it has one; else where it stands.',
      inputSchema: RunInput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input) => reply(() => tools.result(input)),
  );
  server.registerTool(
    'oka_search_memory',
    {
      title: 'Search the memory of oka',
      description: 'Searches facts and earlier conversations that oka remembers.',
      inputSchema: SearchMemoryInput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input) => reply(() => tools.searchMemory(input)),
  );
  if (!access.isReadOnly) addChangingTools(server, tools);
  return server;
}

function addChangingTools(server: McpServer, tools: ReturnType<typeof assistantTools>): void {
  server.registerTool(
    'oka_add_task',
    {
      title: 'Hand a task to oka',
      description:
        'Puts a task into the inbox of oka: a sentence, or a markdown file with front matter. Gives the name of its run.',
      inputSchema: AddTaskInput,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    (input) => reply(async () => tools.add(input)),
  );
  server.registerTool(
    'oka_cancel',
    {
      title: 'Cancel a run',
      description: 'Cancels a run that has not ended.',
      inputSchema: RunInput,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    (input) => reply(() => tools.cancel(input)),
  );
}

/** What goes wrong is told to the client as a result, with what to do about it. */
async function reply(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    const data = await work();
    return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: { ...data } };
  } catch (error) {
    const fix = error instanceof OkaError && error.fix !== undefined ? ` ${error.fix}` : '';
    return { content: [{ type: 'text', text: `${messageOf(error)}.${fix}` }], isError: true };
  }
}
