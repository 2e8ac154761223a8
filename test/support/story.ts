/**
 * A home in a temporary folder with a worker on it and, if the story needs one, a language model: a real server that
 * speaks the wire format and answers as the story says.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { work } from '../../src/app/worker/worker.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Json } from '../../src/core/schema/json.ts';
import type { WaitFor } from '../../src/core/schema/wait.ts';
import { launcher, oka, type Ran, setEnvironment } from './cli.ts';
import { openWireServer, type WireScript, type WireServer } from './wire-server.ts';

export type StoryOptions = {
  /** What the model answers; without it there is none. */
  model?: WireScript;
  /** Whether config.json names the model; else the story sets it in the environment of its processes. */
  unnamed?: boolean;
  /** Goes before what a story sets: a queue that does not wait, and no memory in prompts. */
  config?: { [key: string]: Json };
  policy?: (text: string) => string;
};

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
export type Waiting = { run: string; wait: string; for: WaitFor };

/** Nothing in a story takes longer, however busy the machine is. */
const PATIENCE_MS = 200_000;
const LOOK_EVERY_MS = 40;

export async function openStory(options: StoryOptions = {}): Promise<Story> {
  const model = options.model === undefined ? null : await openWireServer(options.model);
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-story-')));
  setUp(home);
  const quick = { inbox: { settle_ms: 20, rescan_ms: 200 }, memory: { cap: 0, vectors: false } };
  writeFileSync(home.config, JSON.stringify({ ...quick, ...modelConfig(model, options), ...options.config }));
  if (options.policy !== undefined) writeFileSync(home.policy, options.policy(readFileSync(home.policy, 'utf8')));
  return new Story(home, model);
}

function modelConfig(model: WireServer | null, { unnamed = false }: StoryOptions): { [key: string]: Json } {
  if (model === null || unnamed) return {};
  const settings = { 'custom:story': { base_url: `${model.url}/v1` } };
  return { models: { use: 'custom:story', ask_again_seconds: 0.1, settings } };
}

export class Story {
  readonly home: Home;
  /** Lines that the workers logged. */
  readonly told: string[] = [];
  readonly #model: WireServer | null;
  #here: { stop: AbortController; done: Promise<void> } | null = null;
  readonly #children = new Set<ChildProcess>();
  /** What was read of the ledger so far: it only grows. */
  readonly #events: Event[] = [];
  #reading: Promise<void> = Promise.resolve();

  constructor(home: Home, model: WireServer | null) {
    this.home = home;
    this.#model = model;
  }

  get model(): WireServer {
    if (this.#model === null) throw new Error('this story has no model');
    return this.#model;
  }

  desk(path: string): string {
    return join(this.home.workspace, 'desk', path);
  }

  deskText(path: string): string | null {
    return existsSync(this.desk(path)) ? readFileSync(this.desk(path), 'utf8') : null;
  }

  /** Puts a file into the inbox as an editor would, or a file of a task folder. */
  drop(name: string, text: string): void {
    this.write(join('workspace/inbox', name), text);
  }

  write(path: string, text: string): void {
    const file = join(this.home.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** A worker in this process. Variables are set for the whole process until it rests: not for concurrent tests. */
  work(env: Readonly<Record<string, string>> = {}): void {
    if (this.#here !== null) throw new Error('it works already');
    const stop = new AbortController();
    const restore = setEnvironment(env);
    this.#here = { stop, done: work(this.home, stop.signal, (line) => void this.told.push(line)).finally(restore) };
    this.#here.done.catch(() => undefined);
  }

  async rest(): Promise<void> {
    const here = this.#here;
    this.#here = null;
    here?.stop.abort();
    await here?.done;
  }

  /** A command in a process of its own. */
  start(words: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(process.execPath, [launcher, ...words, '--dir', this.home.dir], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.told.push(...text.split('\n').filter(Boolean)));
    return child;
  }

  /** A command in this process. */
  async oka(...words: string[]): Promise<Ran> {
    return oka(...words, '--dir', this.home.dir);
  }

  async events(): Promise<Event[]> {
    const next = this.#reading.then(async () => {
      const from = (this.#events.at(-1)?.seq ?? 0) + 1;
      for await (const event of readEvents(this.home.ledgers.run, { from })) this.#events.push(event);
    });
    this.#reading = next;
    await next;
    return [...this.#events];
  }

  async eventsOf<T extends Event['type']>(type: T, run?: string): Promise<Of<T>[]> {
    return (await this.events()).filter(
      (event): event is Of<T> => event.type === type && (run === undefined || event.run === run),
    );
  }

  /** What people are waited for, or something to be there. */
  async waiting(): Promise<Waiting[]> {
    const open = new Map<string, Waiting>();
    for (const event of await this.events()) {
      if (event.type === 'wait.opened' && event.run !== null && !['child', 'timer'].includes(event.data.for.kind))
        open.set(event.data.wait, { run: event.run, wait: event.data.wait, for: event.data.for });
      if (event.type === 'wait.closed') open.delete(event.data.wait);
    }
    return [...open.values()];
  }

  /** The first that waits. */
  async asked(kind: WaitFor['kind']): Promise<Waiting> {
    return this.until(`a wait for ${kind}`, async () => (await this.waiting()).find((each) => each.for.kind === kind));
  }

  /** How a task ended, and the page about it. */
  async ended(run: string): Promise<Of<'run.ended'>['data'] & { page: string }> {
    const ended = await this.until(`the end of ${run}`, async () => (await this.eventsOf('run.ended', run))[0]);
    const page = await this.until(`the result of ${run}`, async () => {
      const text = this.page(run);
      return text === null || /\*\*(?:⏸️|⏳)/u.test(text) ? undefined : text;
    });
    return { ...ended.data, page };
  }

  page(run: string): string | null {
    const file = join(this.home.workspace, 'outbox', run, 'RESULT.md');
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }

  /** Polls; times out with what was logged so far. */
  async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + PATIENCE_MS;
    while (Date.now() < end) {
      const seen = await look();
      if (seen !== undefined) return seen;
      await sleep(LOOK_EVERY_MS);
    }
    const events = (await this.events())
      .slice(-12)
      .map(({ seq, run, type, data }) => `${seq} ${run} ${type} ${JSON.stringify(data).slice(0, 200)}`);
    throw new Error(`${what} did not come. Told:\n${this.told.join('\n')}\nThe last events:\n${events.join('\n')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.rest().catch(() => undefined);
    await this.#model?.close();
    rmSync(this.home.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
