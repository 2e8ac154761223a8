/** A home on which the real `oka up` runs, on a small disk where that can be mounted; and ways to hurt both. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { peekProjection } from '../../src/core/ledger/peek-projection.ts';
import { taskGraph } from '../../src/core/ledger/task-graph.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { launcher as okaScript, oka } from '../support/cli.ts';
import { mayMount, mountSmall, unmount } from '../support/small-disk.ts';
import { isLauncher, killAll, type Running, runningProcesses } from './processes.ts';
import { freshFolder } from './trial.ts';

const QUICK = { inbox: { settle_ms: 20, rescan_ms: 300, parallel: 4 }, memory: { cap: 0, vectors: false } };
const GRACE_MS = 15_000;
const BLOCK = Buffer.alloc(65_536, 1);

export type LiveOptions = { diskMb?: number; config?: Record<string, Json>; env?: Record<string, string> };

export class LiveHome implements AsyncDisposable {
  readonly home: Home;
  readonly hasSmallDisk: boolean;
  readonly lines: string[] = [];
  readonly #env: Record<string, string>;
  #up: ChildProcess | null = null;

  constructor({ diskMb, config = {}, env = {} }: LiveOptions = {}) {
    const folder = freshFolder();
    this.hasSmallDisk = diskMb !== undefined && mayMount;
    if (this.hasSmallDisk) mountSmall(folder, `size=${diskMb}m`);
    this.home = homeAt(folder);
    this.#env = env;
    setUp(this.home);
    writeFileSync(this.home.config, JSON.stringify({ ...QUICK, ...config }));
  }

  desk(path: string): string {
    return join(this.home.workspace, 'desk', path);
  }

  drop(name: string, content: string | Buffer): void {
    writeFileSync(join(this.home.workspace, 'inbox', name), content);
  }

  /** Supervisor and worker, without maintenance. */
  start(): void {
    const child = spawn(process.execPath, [okaScript, 'up', '--alone', '--dir', this.home.dir], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.#remember(text));
    child.once('exit', () => {
      if (this.#up === child) this.#up = null;
    });
    this.#up = child;
  }

  #remember(text: string): void {
    this.lines.push(...text.split('\n').filter(Boolean));
    if (this.lines.length > 400) this.lines.splice(0, this.lines.length - 200);
  }

  /** Everything of this home that runs. */
  processes(): { supervisors: Running[]; workers: Running[]; launchers: Running[] } {
    const ours = runningProcesses().filter(({ argv }) => argv.some((word) => word.startsWith(this.home.dir)));
    const named = (word: string): Running[] =>
      ours.filter(({ argv }) => argv.includes(okaScript) && argv.includes(word));
    return { supervisors: named('up'), workers: named('worker'), launchers: ours.filter(isLauncher) };
  }

  /** Takes all the space there is; `free` gives it back. */
  fill(): void {
    const file = openSync(join(this.home.dir, 'filler'), 'a');
    try {
      for (let size = BLOCK.length; size >= 1; )
        try {
          writeSync(file, BLOCK, 0, size);
        } catch {
          size = Math.floor(size / 2);
        }
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(join(this.home.dir, 'filler'), { force: true });
  }

  /** What the page says about a task that has ended or waits for somebody; null while it goes on. */
  page(run: string): string | null {
    const file = join(this.home.workspace, 'outbox', run, 'RESULT.md');
    try {
      const page = existsSync(file) ? readFileSync(file, 'utf8') : null;
      return page?.includes('**⏳ In progress') === true ? null : page;
    } catch {
      return null;
    }
  }

  /** Names of the results there are. */
  results(): string[] {
    return readdirSync(join(this.home.workspace, 'outbox')).filter((run) => this.page(run) !== null);
  }

  /** Questions to a person that are open. */
  async questions(): Promise<{ wait: string; text: string }[]> {
    return (await this.waits()).filter(({ kind }) => kind === 'question');
  }

  /** What a person has to answer or to allow. */
  async waits(): Promise<{ wait: string; kind: 'question' | 'approval'; text: string }[]> {
    const { state } = await peekProjection(this.home.ledgers.run, this.home.oka, taskGraph);
    return state.goals.flatMap(({ waits }) =>
      waits.flatMap(({ wait, for: awaited }) =>
        awaited.kind === 'question' || awaited.kind === 'approval'
          ? [{ wait, kind: awaited.kind, text: awaited.text }]
          : [],
      ),
    );
  }

  oka(...words: string[]): ReturnType<typeof oka> {
    return oka(...words, '--dir', this.home.dir);
  }

  /** Asks `oka up` to stop, and ends what does not. */
  async stop(): Promise<void> {
    const up = this.#up;
    up?.kill('SIGTERM');
    const end = Date.now() + GRACE_MS;
    while (this.#up !== null && Date.now() < end) await sleep(50);
    const { supervisors, workers, launchers } = this.processes();
    killAll([...supervisors, ...workers, ...launchers]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    if (this.hasSmallDisk) unmount(this.home.dir);
    rmSync(this.home.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
