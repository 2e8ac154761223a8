/** Owns: /mcp, where other programs reach the assistant with a token (`oka web token`). Cookies do not count here. */
import type { Context, Hono } from 'hono';
import type { AssistantPorts } from '../../assistant/assistant-tools.ts';
import { retrieveFromWorker } from '../../../rooms/memory/recall-socket.ts';
import type { RowsReader } from '../../../kit/rows/rows-reader.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { request } from '../api/intake-routes.ts';
import { problem } from '../../../kit/web/api/problem.ts';
import type { Access } from '../../../kit/web/login/access.ts';

type Handler = (request: Request) => Promise<Response>;

export function addMcpRoutes(
  app: Hono,
  { home, reader, access }: { home: Home; reader: RowsReader; access: Access },
): void {
  const handlers = new Map<boolean, Promise<Handler>>();
  const handlerFor = (isReadOnly: boolean): Promise<Handler> => {
    const found = handlers.get(isReadOnly) ?? openHandler(home, reader, isReadOnly);
    handlers.set(isReadOnly, found);
    return found;
  };
  app.all('/mcp', async (context) => {
    const session = tokenSession(context, access);
    if (session === null) {
      context.header('WWW-Authenticate', 'Bearer');
      return problem(context, 401, 'not-permitted', 'This needs a token.', 'Make one: oka web token <name>');
    }
    return (await handlerFor(session.rights === 'read'))(context.req.raw);
  });
}

function tokenSession({ req }: Context, access: Access): ReturnType<Access['find']> {
  const secret = /^Bearer ([\w-]{1,100})$/i.exec(req.header('authorization') ?? '')?.[1];
  const session = secret === undefined ? null : access.find(secret);
  return session?.kind === 'token' ? session : null;
}

/** The protocol is loaded when somebody speaks it. */
async function openHandler(home: Home, reader: RowsReader, isReadOnly: boolean): Promise<Handler> {
  const { assistantHandler } = await import('../../assistant/assistant-server.ts');
  return assistantHandler({ home, reader, isReadOnly, request: passOn(home), search: searchWith(home) });
}

const passOn =
  (home: Home): AssistantPorts['request'] =>
  async (intake) => ({ isDone: (await request(home, intake, AbortSignal.timeout(10_000))).done !== undefined });

/** This process has no index of its own and may write none. */
const searchWith =
  (home: Home): AssistantPorts['search'] =>
  async (asked) => {
    const found = await retrieveFromWorker(home, { asked, budget: null, isCounted: false });
    if (found !== null) return found;
    throw new OkaError('refused', 'memory is searched by the worker, and none is running', { fix: 'Start it: oka up' });
  };
