/**
 * A real HTTP server on loopback that speaks what the client of Convex speaks and executes the project's real functions,
 * with its state in memory. Network faults are drawn from a seed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { convexToJson, getConvexSize, type JSONValue, jsonToConvex, type Value } from 'convex/values';
import { takePage } from '../../convex/stored.ts';
import type { Row, Writing } from '../../convex/typed.ts';
import { type Args, type Engine, engines, type Kind, type Table } from './convex-engine.ts';
import { type Fault, type Faults, faultsFrom } from './convex-faults.ts';

export type ConvexServerOptions = {
  engine?: keyof typeof engines;
  /** OKA_REPLICA_KEY of the deployment; left out: it has none. */
  key?: string;
  /** OKA_REPLICA_OPEN=1. */
  open?: boolean;
  faults?: Partial<Faults>;
  seed?: number;
  port?: number;
  /** Sees the body of every request, as it came in. */
  sniff?: (body: string) => void;
};

export type Counts = Record<Fault | 'requests' | 'executed' | 'errors' | 'bytes', number>;
export type Dump = { [T in Table]: Row<T>[] };

export type ConvexServer = {
  url: string;
  counts: Counts;
  /** What goes wrong from now on. */
  setFaults(faults: Partial<Faults>): void;
  /** Calls a function without HTTP and without faults. */
  call(kind: Kind, path: string, args: Args): Promise<Value>;
  /** Changes the database behind the back of the functions, in one transaction: what it may read is limited. */
  tamper<T>(change: (ctx: Writing) => Promise<T>): Promise<T>;
  /** Everything that is stored, by table. */
  dump(): Promise<Dump>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const MOST_ARGUMENT_BYTES = 16 * 1024 * 1024;
const MOST_ITEMS = 8192;
const PART = 5000;
const TABLES = ['heads', 'events', 'runs', 'facts', 'procedures', 'artifacts', 'undone'] as const satisfies Table[];

export async function openConvexServer(options: ConvexServerOptions = {}): Promise<ConvexServer> {
  const engine = engines[options.engine ?? 'convex-test']();
  const environment = { OKA_REPLICA_KEY: options.key, OKA_REPLICA_OPEN: options.open === true ? '1' : undefined };
  const faults = faultsFrom(options.seed ?? 1, options.faults ?? {});
  const counts: Counts = {
    requests: 0,
    executed: 0,
    errors: 0,
    bytes: 0,
    failBefore: 0,
    failAfter: 0,
    dropBefore: 0,
    dropAfter: 0,
    duplicate: 0,
    late: 0,
  };
  const late: Call[] = [];
  const execute = async (call: Call): Promise<Answer> => {
    counts.executed += 1;
    const answer = await inDeployment(environment, () => answerOf(engine, call));
    if (answer.status === 'error') counts.errors += 1;
    return answer;
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming);
    counts.requests += 1;
    counts.bytes += body.length;
    options.sniff?.(body);
    const call = callIn(incoming, body);
    if (call === null) return send(response, 404, { code: 'NotFound', message: 'no such path' });
    await sleep(faults.latencyMs());
    const fault = faults.next();
    if (fault !== null) counts[fault] += 1;
    if (fault === 'failBefore') return send(response, 503, { code: 'Overloaded', message: 'try again later' });
    if (fault === 'dropBefore') return void response.destroy();
    let answer = await execute(call);
    if (fault === 'duplicate') answer = await execute(call);
    for (const old of late.splice(0)) await execute(old);
    if (fault === 'late') late.push(call);
    if (fault === 'failAfter')
      return send(response, 500, { code: 'InternalServerError', message: 'the answer is lost' });
    if (fault === 'dropAfter') return void response.destroy();
    send(response, 200, answer);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    setFaults: faults.set,
    call: (kind, path, args) => inDeployment(environment, () => engine.call(kind, path, args)),
    tamper: (change) => engine.run(change),
    dump: () => dumpOf(engine),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Call = { kind: Kind; path: string; args: Args };
type Answer =
  | { status: 'success'; value: JSONValue; logLines: string[] }
  | { status: 'error'; errorMessage: string; errorData?: JSONValue; logLines: string[] };

function callIn({ url, method }: IncomingMessage, body: string): Call | null {
  const kind = url === '/api/query' ? 'query' : url === '/api/mutation' ? 'mutation' : null;
  if (kind === null || method !== 'POST') return null;
  const { path, format, args } = JSON.parse(body) as { path: string; format: string; args: [JSONValue] };
  if (format !== 'convex_encoded_json') throw new Error(`format ${format} is not spoken here`);
  return { kind, path: path.replace(/^([^:]+)\.js:/, '$1:'), args: jsonToConvex(args[0]) as Args };
}

async function answerOf(engine: Engine, { kind, path, args }: Call): Promise<Answer> {
  try {
    const size = getConvexSize(args);
    if (size > MOST_ARGUMENT_BYTES)
      throw new Error(`Arguments for ${path} are too large (${size} bytes, 16 MiB at most)`);
    if (Object.values(args).some((value) => Array.isArray(value) && value.length > MOST_ITEMS))
      throw new Error(`Array length is too long (${MOST_ITEMS} at most)`);
    return { status: 'success', value: convexToJson(await engine.call(kind, path, args)), logLines: [] };
  } catch (error) {
    return { status: 'error', logLines: [], ...told(error as Error & { data?: Value }) };
  }
}

/** As a production deployment reports it: what a ConvexError carries, and of everything else as little as possible. */
function told({ message, data }: Error & { data?: Value }): { errorMessage: string; errorData?: JSONValue } {
  if (data !== undefined)
    return { errorMessage: '[Request ID: 0] Server Error\nUncaught ConvexError', errorData: convexToJson(data) };
  const text = message.replace(/^Validator error/, 'ArgumentValidationError');
  return { errorMessage: `[Request ID: 0] Server Error\n${text}` };
}

/** Functions read the environment of their deployment; here deployments share one process, so they take turns. */
async function inDeployment<T>(environment: Record<string, string | undefined>, work: () => Promise<T>): Promise<T> {
  const before = turn;
  let done = (): void => undefined;
  turn = new Promise((resolve) => {
    done = resolve;
  });
  await before;
  const own = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]));
  try {
    setEnvironment(environment);
    return await work();
  } finally {
    setEnvironment(own);
    done();
  }
}

let turn: Promise<void> = Promise.resolve();

function setEnvironment(values: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(values))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}

async function dumpOf(engine: Engine): Promise<Dump> {
  const dump = {} as Record<Table, unknown>;
  for (const table of TABLES) dump[table] = await rowsOf(engine, table);
  return dump as Dump;
}

/** In the order of their making; in parts, because what one transaction may read is limited. */
async function rowsOf(engine: Engine, table: Table): Promise<{ _creationTime: number }[]> {
  const rows: { _creationTime: number }[] = [];
  for (let part = null as typeof rows | null; part === null || part.length > 0; rows.push(...part)) {
    const after = rows.at(-1)?._creationTime ?? 0;
    part = await engine.run((ctx) =>
      takePage(
        ctx.db.query(table).withIndex('by_creation_time', (index) => index.gt('_creationTime', after)),
        PART,
      ),
    );
  }
  return rows;
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
