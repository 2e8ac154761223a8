/**
 * Owns: a real home with a real worker, in which tasks are done one after another, and what each of them left behind.
 *
 * H1 The worker talks to its model over HTTP, through the same client as in production.
 * H2 What a task changed on the desk is found by comparing all files before and after.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { work } from '../../src/app/worker/worker.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { oka } from '../support/cli.ts';
import type { EvalTask, Outcome } from './eval-task.ts';

export type Ended = Outcome & {
  status: 'done' | 'failed' | 'cancelled' | 'waiting' | 'timeout';
  /** Files on the desk that the task must not change and changed, created or removed. */
  strays: string[];
  events: Event[];
  dir: string;
};

const PATIENCE_MS = 90_000;
const POLL_MS = 15;
/** A worker that does not stop within this time is left to the end of the process. */
const STOP_MS = 15_000;
const DAY_MS = 86_400_000;

export class EvalHome {
  readonly home: Home;
  readonly log: string[] = [];
  readonly #patienceMs: number;
  #worker: { stop: AbortController; done: Promise<void> } | null = null;
  /** Why the worker ended by itself. */
  #failure: Error | null = null;
  #nextSeq = 1;
  #count = 0;

  /** `config` is added to config.json; a task may take `patienceMs` at most. */
  constructor(config: { [key: string]: Json }, patienceMs = PATIENCE_MS) {
    this.home = homeAt(mkdtempSync(join(tmpdir(), 'oka-evals-')));
    this.#patienceMs = patienceMs;
    setUp(this.home);
    const settings = { inbox: { settle_ms: 0, rescan_ms: 100 }, ...config };
    writeFileSync(this.home.config, JSON.stringify(settings));
  }

  start(): void {
    const stop = new AbortController();
    const done = work(this.home, stop.signal, (line) => void this.log.push(line));
    done.catch((error: unknown) => void (this.#failure = error as Error));
    this.#worker = { stop, done };
  }

  async stop(): Promise<void> {
    this.#worker?.stop.abort();
    const done = this.#worker?.done.catch(() => undefined);
    await Promise.race([done, sleep(STOP_MS, undefined, { ref: false })]);
    this.#worker = null;
  }

  /** Hands in a task and waits until it has ended or waits for somebody. */
  async perform(task: EvalTask, signal?: AbortSignal): Promise<Ended> {
    this.#count += 1;
    const id = `${task.name}-${this.#count}`;
    const desk = join(this.home.workspace, 'desk');
    if (!task.isFolder) writeFiles(desk, task.files);
    const before = hashFiles(desk);
    this.#deliver(task, id);
    const { status, run, events } = await this.#waitFor(id, signal);
    const dir = folderOf(events, id);
    const targets = task.targets.map((path) => (dir === '' ? path : `${dir}/${path}`));
    const delivered = new Map(
      task.isFolder ? [...task.files].map(([path, bytes]) => [join(dir, path), hash('sha256', bytes)]) : [],
    );
    const strays = [...changedPaths(new Map([...before, ...delivered]), hashFiles(desk))].filter(
      (path) => !targets.some((target) => matches(target, path)) && !isTaskText(path, dir),
    );
    const top = join(desk, dir);
    return {
      status,
      strays,
      events,
      dir: top,
      isDone: status === 'done',
      page: readOrNull(join(this.home.workspace, 'outbox', run ?? id, 'RESULT.md')) ?? '',
      answer: lastAnswer(events),
      file: (path) => readOrNull(join(top, path)),
      names: (path) => namesIn(join(top, path)),
    };
  }

  #deliver(task: EvalTask, id: string): void {
    const inbox = join(this.home.workspace, 'inbox');
    const text = withId(task.text, id);
    const staged = mkdtempSync(join(this.home.dir, '.task-'));
    const entry = join(staged, task.isFolder ? id : `${id}.md`);
    if (task.isFolder) {
      writeFiles(entry, task.files);
      writeFileSync(join(entry, 'TASK.md'), text);
    } else writeFileSync(entry, text);
    renameSync(entry, join(inbox, task.isFolder ? id : `${id}.md`));
    rmSync(staged, { recursive: true });
  }

  async #waitFor(
    id: string,
    signal: AbortSignal | undefined,
  ): Promise<{ status: Ended['status']; run: string | null; events: Event[] }> {
    const events: Event[] = [];
    const end = Date.now() + this.#patienceMs;
    const isOurs = (run: string | null): boolean => run === id || (run?.startsWith(`${id}.`) ?? false);
    while (Date.now() < end) {
      signal?.throwIfAborted();
      if (this.#failure !== null) throw this.#failure;
      for await (const event of readEvents(this.home.ledgers.run, { from: this.#nextSeq })) {
        this.#nextSeq = event.seq + 1;
        events.push(event);
      }
      const ended = events.find((event) => event.type === 'run.ended' && event.run === id);
      const page = readOrNull(join(this.home.workspace, 'outbox', id, 'RESULT.md'));
      if (ended?.type === 'run.ended' && page !== null && !page.includes('**⏸️'))
        return { status: ended.data.status, run: id, events };
      const waits = openWaits(events).filter((wait) => isOurs(wait.run));
      if (waits.length > 0 && page !== null) return { status: 'waiting', run: id, events };
      await sleep(POLL_MS);
    }
    return { status: 'timeout', run: id, events };
  }

  /** A night: maintenance learns, and the next day begins. */
  async passDay(): Promise<void> {
    await this.stop();
    await oka('maintain', '--once', '--dir', this.home.dir);
    moveClock(DAY_MS);
    this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.home.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

let offset = 0;
const RealDate = Date;

/** Moves the clock of this process forward. */
function moveClock(ms: number): void {
  offset += ms;
  const now = (): number => RealDate.now() + offset;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
}

/** Waits for a person; the others end by themselves. */
function openWaits(events: readonly Event[]): { run: string | null }[] {
  const open = new Map<string, { run: string | null }>();
  for (const event of events) {
    if (event.type === 'wait.opened' && !['child', 'timer'].includes(event.data.for.kind))
      open.set(event.data.wait, { run: event.run });
    if (event.type === 'wait.closed') open.delete(event.data.wait);
  }
  return [...open.values()];
}

function withId(text: string, id: string): string {
  return text.startsWith('---\n') ? text.replace('---\n', `---\nid: ${id}\n`) : `---\nid: ${id}\n---\n${text}`;
}

/** Folder of the task, relative to the desk; empty for the top. */
function folderOf(events: readonly Event[], id: string): string {
  const started = events.find((event) => event.type === 'run.started' && event.run === id);
  const text = JSON.stringify(started?.data ?? {});
  return /"dir":"([^"]+)"/.exec(text)?.[1] ?? '';
}

function lastAnswer(events: readonly Event[]): string {
  const answers = events.flatMap((event) =>
    event.type === 'decision.made' && event.data.decision.kind === 'Finish' ? [event.data.decision.output] : [],
  );
  const last = answers.at(-1) ?? '';
  return typeof last === 'string' ? last : JSON.stringify(last);
}

function writeFiles(folder: string, files: ReadonlyMap<string, Buffer>): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

export function hashFiles(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), hash('sha256', readFileSync(path))]));
}

function* changedPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Generator<string> {
  for (const path of new Set([...before.keys(), ...after.keys()])) if (before.get(path) !== after.get(path)) yield path;
}

const isTaskText = (path: string, dir: string): boolean => path === join(dir, 'TASK.md');

function matches(target: string, path: string): boolean {
  if (target.endsWith('/**')) return path.startsWith(target.slice(0, -2));
  return target === path;
}

export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function namesIn(path: string): string[] {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(path).toSorted() : [];
}
