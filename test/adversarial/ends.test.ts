/**
 * Processes that are told to end at seeded moments, while everybody around them keeps coming, says nothing or is frozen:
 * each ends in time, with its documented code and without a child, the ledger verifies, and the next start works.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { socketFile, socketKeyFile } from '../../src/kit/socket/live-socket.ts';
import { retrieveFromWorker } from '../../src/rooms/memory/recall-socket.ts';
import { openAccess } from '../../src/kit/web/login/access.ts';
import { readAddress } from '../../src/kit/web/login/address-file.ts';
import { chance } from '../support/chance.ts';
import { oka } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';

/** A second or two are usual; the machine may be busy. */
const PATIENCE_MS = 120_000;
/** What a process says that could not close something, and has given up. */
const GIVEN_UP = /not everything was closed/;

let story: Story;
/** Accepts connections and never answers: a model, a mailbox. */
let mute: Server;
let clients: Promise<unknown>;
const leaving = new AbortController();
const sockets = new Set<Socket>();

beforeAll(async () => {
  mute = createServer(hold);
  await once(mute.listen(0, '127.0.0.1'), 'listening');
  const { port } = mute.address() as AddressInfo;
  const settings = { 'custom:mute': { base_url: `http://127.0.0.1:${port}/v1` } };
  story = await openStory({
    config: {
      models: { use: 'custom:mute', settings },
      inbox: { settle_ms: 20, rescan_ms: 200, parallel: 16 },
      memory: { vectors: false },
    },
    policy: (text) => text.replace('rules: []', "rules:\n  - { effect: allow, tool: 'mcp.*' }"),
  });
  writeChannels(port);
  const { secret } = openAccess(story.home).start('token', 'a reader', 'all');
  clients = Promise.all([
    ...Array.from({ length: 4 }, (_, seed) => again(() => followSlowly(seed))),
    again(() => sayNothing('live')),
    again(() => sayNothing('memory')),
    again(search),
    ...Array.from({ length: 5 }, () => again(() => readNothing(secret))),
  ]);
});

afterAll(async () => {
  leaving.abort();
  for (const socket of sockets) socket.destroy();
  await clients;
  mute.close();
  await story[Symbol.asyncDispose]();
});

it('a worker ends', async () => {
  const random = chance(1);
  for (let round = 0; round < 6; round += 1) {
    if (round % 3 === 0) giveWork(`w${round}`);
    const worker = story.start(['worker']);
    if (round % 4 !== 3) await nextStart();
    await sleep(random() * 1500);
    await expectEnd(worker, round % 2 === 0 ? 'SIGTERM' : 'SIGINT', 0);
  }
});

it('oka up ends, with everything that it has started', async () => {
  const random = chance(2);
  for (let round = 0; round < 2; round += 1) {
    giveWork(`u${round}`);
    const up = story.start(['up', '--no-setup']);
    if (round === 0) await nextStart();
    await sleep(random() * 2500);
    await expectEnd(up, 'SIGTERM', 0);
  }
});

it('a task at the terminal ends when it is interrupted, also before it has begun', async () => {
  const random = chance(3);
  for (let round = 0; round < 3; round += 1) {
    story.write('task.md', stubborn(`r${round}`));
    const run = story.start(['run', join(story.home.dir, 'task.md')]);
    await sleep(400 + random() * 1600);
    await expectEnd(run, 'SIGINT', 130);
  }
});

it('a graph ends whose MCP server has frozen', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oka-ice-')));
  const called = join(folder, 'called');
  await addFreezingServer(folder, called);
  const node = { kind: 'tool', id: 'act', tool: 'mcp.ice.act', input: {}, timeout_seconds: 600, max_retries: 0 };
  story.write('workspace/graphs/calls.json', JSON.stringify({ id: 'calls', title: 'calls', nodes: [node] }));
  const graph = story.start(['graph', 'run', 'calls']);
  await story.until('the call', async () => (existsSync(called) ? true : undefined));
  await expectEnd(graph, 'SIGTERM', 130);
  rmSync(folder, { recursive: true });
});

it('and the next worker finds everything as it was, and works', async () => {
  expect(await story.oka('verify')).toMatchObject({ code: 0 });
  story.write('workspace/desk/over', '');
  const worker = story.start(['worker']);
  story.drop('last.md', '---\nid: last\n---\n```bash\necho done > last.txt\n```\n');
  expect(await story.ended('last')).toMatchObject({ status: 'done' });
  await expectEnd(worker, 'SIGTERM', 0);
});

/** One that was told before it listened to signals is ended by them. */
async function expectEnd(child: ChildProcess, signal: NodeJS.Signals, code: number): Promise<void> {
  child.kill(signal);
  const late = AbortSignal.timeout(PATIENCE_MS);
  if (child.exitCode === null && child.signalCode === null)
    await once(child, 'exit', { signal: late }).catch(() => expect.fail(`it did not end:\n${story.told.join('\n')}`));
  expect([code, signal]).toContain(child.exitCode ?? child.signalCode);
  expect(story.told.filter((line) => GIVEN_UP.test(line))).toEqual([]);
  await expect.poll(leftovers).toEqual([]);
}

/** Processes with the home in their arguments or their environment. */
function leftovers(): string[] {
  return execFileSync('ps', ['axeww', '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(story.home.dir))
    .map((line) => line.slice(0, 300));
}

const countStarts = async (): Promise<number> => (await story.eventsOf('worker.started')).length;

/** Resolves when one more worker has started than now. */
async function nextStart(): Promise<void> {
  const before = await countStarts();
  await story.until('a worker', async () => ((await countStarts()) > before ? true : undefined));
}

const stubborn = (id: string): string =>
  `---\nid: ${id}\n---\n\`\`\`bash\ntrap '' TERM INT HUP; until [ -e over ]; do sleep 0.1; done\n\`\`\`\n`;

/** A command that ignores signals, a task that asks the model, and one that fails, about which a mail is sent. */
function giveWork(name: string): void {
  story.drop(`${name}-a.md`, stubborn(`${name}-a`));
  story.drop(`${name}-b.md`, `---\nid: ${name}-b\n---\nWrite a poem about the sea.\n`);
  story.drop(`${name}-c.md`, `---\nid: ${name}-c\n---\n\`\`\`bash\nfalse\n\`\`\`\n`);
}

function writeChannels(port: number): void {
  const place = { host: '127.0.0.1', port, security: 'none' };
  const mail = { kind: 'mail', from: 'oka@home.test', to: ['ann@home.test'], smtp: place, imap: place };
  const file = { announce: ['failed', 'needs_you'], channels: { mail } };
  writeFileSync(join(story.home.oka, 'rules', 'channels.json'), JSON.stringify(file));
}

/** It answers until its tool is called, and is frozen then. */
async function addFreezingServer(folder: string, called: string): Promise<void> {
  const file = join(folder, 'server.mjs');
  writeFileSync(file, FREEZING_SERVER);
  const rights = ['--path', folder, '--write', folder];
  const added = await oka('mcp', 'add', '--dir', story.home.dir, 'ice', ...rights, '--', 'node', file, called);
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(await story.oka('mcp', 'tools', 'ice', '--accept')).toMatchObject({ code: 0, err: '' });
}

const FREEZING_SERVER = `
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tool = { name: 'act', description: 'Acts.', inputSchema: { type: 'object', properties: {} } };
const serverInfo = { name: 'ice', version: '1' };
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const send = (answer) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  if (method === 'initialize')
    send({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  else if (method === 'tools/list') send({ result: { tools: [tool] } });
  else if (method === 'tools/call') {
    writeFileSync(process.argv[2], '');
    process.kill(process.pid, 'SIGSTOP');
  } else if (id !== undefined) send({ error: { code: -32601, message: 'there is no such method' } });
});
`;

async function again(visit: () => Promise<unknown>): Promise<void> {
  while (!leaving.signal.aborted) {
    await visit().catch(() => undefined); // nobody is there at the moment
    await sleep(10);
  }
}

function hold(socket: Socket): Socket {
  sockets.add(socket);
  return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
}

/** Sends the key of the live stream in two parts, reads for a moment and leaves. */
async function followSlowly(seed: number): Promise<void> {
  if (!existsSync(socketFile(story.home, 'live'))) return;
  const key = readFileSync(socketKeyFile(story.home, 'live'), 'utf8');
  const socket = hold(connect(socketFile(story.home, 'live'))).resume();
  await once(socket, 'connect');
  socket.write(key.slice(0, 10));
  await sleep(5 + 10 * seed);
  socket.write(`${key.slice(10)}\n`);
  await sleep(10);
  socket.destroy();
}

async function sayNothing(name: 'live' | 'memory'): Promise<void> {
  if (!existsSync(socketFile(story.home, name))) return;
  const socket = hold(connect(socketFile(story.home, name))).resume();
  await once(socket, 'connect');
  await once(socket, 'close');
}

async function search(): Promise<void> {
  if (!existsSync(socketFile(story.home, 'memory'))) return;
  const asked = { query: 'the sea', limit: 5 };
  await retrieveFromWorker(story.home, { asked, budget: null, isCounted: false });
}

/** Asks the dashboard for the stream of events, and reads none of it. */
async function readNothing(secret: string): Promise<void> {
  const address = readAddress(story.home);
  if (address === null) return;
  const { host, hostname, port } = new URL(address);
  const socket = hold(connect(Number(port), hostname)).pause();
  await once(socket, 'connect');
  socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
  await sleep(1000);
  socket.destroy();
}
