/** A checkout of its own and the containers over it, all of it gone afterwards. */
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { docker, IMAGE, must, type Ran } from './engine.ts';

const root = join(import.meta.dirname, '../..');
/** Who owns the folders on the host: whoever runs this; for root somebody else, as it would be for a person. */
export const OWNER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : owner();

/** What a clone would have: everything that is not ignored, owned by the user. */
export function checkout(): string {
  const dir = mkdtempSync(join(tmpdir(), 'oka-trial-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed.toString().split('\0');
  for (const file of files.filter(
    (each) => each !== '' && !/^(test|bench)\//.test(each) && existsSync(join(root, each)),
  ))
    cpSync(join(root, file), join(dir, file), { verbatimSymlinks: true });
  give(dir);
  return dir;
}

/** Makes the user the owner of a folder and all that is in it. */
export function give(path: string, { uid, gid } = OWNER): void {
  if (process.getuid?.() !== 0) return;
  for (const each of [path, ...below(path)]) if (!lstatSync(each).isSymbolicLink()) chownSync(each, uid, gid);
}

function below(path: string): string[] {
  if (!lstatSync(path).isDirectory()) return [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
}

export class Stage implements Disposable {
  readonly dir: string;
  readonly project: string;
  readonly env: Record<string, string>;

  constructor(env: Record<string, string> = {}, dir = checkout()) {
    this.dir = dir;
    this.project = `oka-trial-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
    this.env = {
      OKA_IMAGE: IMAGE,
      OKA_UID: String(OWNER.uid),
      OKA_GID: String(OWNER.gid),
      OKA_WEB_PORT: String(20_000 + Math.floor(Math.random() * 10_000)), // several stages at once
      ...env,
    };
  }

  compose(...args: string[]): Ran {
    return docker(['compose', '--project-name', this.project, ...args], { cwd: this.dir, env: this.env });
  }

  up(...args: string[]): void {
    must(['compose', '--project-name', this.project, 'up', '--detach', ...args], { cwd: this.dir, env: this.env });
  }

  /** Runs something inside the worker's container, as the worker's user. */
  inside(...args: string[]): Ran {
    return this.within('worker', ...args);
  }

  within(service: string, ...args: string[]): Ran {
    return this.compose('exec', '-T', service, ...args);
  }

  oka(...args: string[]): Ran {
    return this.inside('oka', ...args);
  }

  logs(service: string): string {
    return this.compose('logs', '--no-log-prefix', service).all;
  }

  container(service: string): string {
    return this.compose('ps', '--all', '--quiet', service).out.trim();
  }

  inspect(service: string): Inspected {
    const [found] = JSON.parse(must(['inspect', this.container(service)])) as Inspected[];
    if (found === undefined) throw new Error(`${service} is not there`);
    return found;
  }

  /** Drops a file as a person would: written beside, then moved in. */
  drop(path: string, content: string): void {
    const file = join(this.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, content);
    give(`${file}.new`);
    renameSync(`${file}.new`, file);
  }

  read(path: string): string {
    return readFileSync(join(this.dir, path), 'utf8');
  }

  /** The result of the task whose run begins with this name, once it stands there and says what is looked for. */
  async result(name: string, wanted = /\*\*/, { home = '.', service = 'worker', ms = 120_000 } = {}): Promise<Result> {
    return until(
      `the result of ${name}`,
      () => {
        const outbox = join(this.dir, home, 'workspace/outbox');
        const run = readdirSync(outbox).find((each) => each.startsWith(`${name}-`) || each === name);
        const path = join(outbox, run ?? '-', 'RESULT.md');
        if (!existsSync(path)) return null;
        const text = readFileSync(path, 'utf8');
        return wanted.test(text) ? { path, text, uid: lstatSync(path).uid } : null;
      },
      ms,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.logs(service).slice(-3000)}`, { cause: error });
    });
  }

  /** Events of a type, read on the host. */
  events(type: string): { seq: number; run?: string; data: Record<string, unknown> }[] {
    const lines = this.read('.oka/run_ledger.jsonl').split('\n');
    return lines.flatMap((line) => (line.includes(`"type":"${type}"`) ? [JSON.parse(line) as never] : []));
  }

  async healthy(service = 'worker'): Promise<void> {
    await until(`${service} healthy`, () => (this.inspect(service).State.Health?.Status === 'healthy' ? true : null));
  }

  [Symbol.dispose](): void {
    this.compose('down', '--volumes', '--timeout', '5');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export type Result = { path: string; text: string; uid: number };

export type Inspected = {
  /** Hash of the image it was made from. */
  Image: string;
  State: { Status: string; Pid: number; ExitCode: number; OOMKilled: boolean; Health?: { Status: string } };
  RestartCount: number;
  Config: { User: string; Env: string[]; Healthcheck: { Test: string[] } };
  HostConfig: {
    ReadonlyRootfs: boolean;
    Privileged: boolean;
    CapAdd: string[] | null;
    CapDrop: string[];
    SecurityOpt: string[];
    PidsLimit: number;
    Memory: number;
    NanoCpus: number;
    RestartPolicy: { Name: string };
    PidMode: string;
    NetworkMode: string;
  };
  Mounts: { Type: string; Source: string; Destination: string; RW: boolean }[];
  NetworkSettings: { Networks: Record<string, { IPAddress: string; Gateway: string }> };
};

/** Looks until something is there. */
export async function until<T>(what: string, look: () => T | null, ms = 120_000): Promise<T> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(250)) {
    const found = look();
    if (found !== null) return found;
  }
  throw new Error(`waited ${ms / 1000} s in vain for ${what}`);
}

/** A task whose steps are bash; `how` says what stands behind the opening of the fence. */
export function runbook(title: string, steps: readonly (string | { how: string; bash: string })[]): string {
  const fences = steps.map((step, index) => {
    const { how, bash } = typeof step === 'string' ? { how: '', bash: step } : step;
    return `## Step ${index + 1}\n\n\`\`\`bash ${how}\n${bash}\n\`\`\`\n`;
  });
  return `# ${title}\n\n${fences.join('\n')}`;
}

/** Everything that a person is asked right now. */
export function waitsOf(stage: Stage): string[] {
  const { goals } = JSON.parse(stage.oka('status', '--json').out) as {
    goals: { waits: { wait: string; for: { kind: string } }[] }[];
  };
  const asked = goals
    .flatMap(({ waits }) => waits)
    .filter((each) => each.for.kind !== 'child' && each.for.kind !== 'timer');
  return asked.map(({ wait }) => wait);
}

/** A line for `bash -c` that tells which of these places could be written. */
export const writing = (...places: string[]): string =>
  `for p in ${places.join(' ')}; do (echo x >> $p) 2>/dev/null && echo "WROTE $p"; done; true`;

/** A program for `node -e` that tells whether somebody answers there. */
export const reaching = (host: string, port: number): string =>
  `require('net').connect({host:'${host}',port:${port},timeout:3000}).on('connect',()=>{console.log('REACHED');process.exit()}).on('timeout',()=>process.exit()).on('error',()=>process.exit())`;

function owner(): { uid: number; gid: number } {
  return { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };
}
