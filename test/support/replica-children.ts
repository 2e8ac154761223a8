/** Homes with a replica, and processes that follow them and are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { homeAt } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';

const program = fileURLToPath(new URL('replica-child.ts', import.meta.url));
/** Whoever needs more than this for a long history than for a short one does not get to its end. */
const SMALL = '--max-old-space-size=48';

export type FollowerChild = {
  process: ChildProcess;
  said: string[];
  errors(): string;
  /** Resolves after so many lines in all, or when it has ended. */
  lines(count: number): Promise<void>;
  ended: Promise<void>;
};

/** A home set up far enough to be replicated, with these settings. */
export function replicaHome(dir: string, replica: object): Home {
  const home = homeAt(dir);
  mkdirSync(join(home.oka, 'rules'), { recursive: true });
  writeFileSync(home.config, JSON.stringify({ replica }));
  return home;
}

export function startFollower(home: Home, url: string, key: string, until: 'caught-up' | 'ever'): FollowerChild {
  const env = {
    ...process.env,
    CONVEX_URL: url,
    OKA_REPLICA_KEY: key,
    NODE_COMPILE_CACHE: join(tmpdir(), `oka-test-compiled-${process.getuid?.() ?? 0}`),
    XDG_CONFIG_HOME: join(home.dir, 'config'),
  };
  const child = spawn(process.execPath, [SMALL, program, home.dir, until], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const said: string[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const heard = createInterface(child.stdout);
  heard.on('line', (line) => said.push(line));
  const ended = Promise.all([once(child, 'exit'), once(heard, 'close')]).then(() => undefined);
  const lines = async (count: number): Promise<void> => {
    const enough = new Promise<void>((resolve) => {
      heard.on('line', () => said.length >= count && resolve());
    });
    if (said.length < count) await Promise.race([enough, ended]);
  };
  return { process: child, said, errors: () => errors, lines, ended };
}

/** Starts followers and kills each at a random moment; then lets one run to its end. Returns what that one printed. */
export async function killedAndFinished(
  start: () => FollowerChild,
  kills: number,
  random: () => number,
  mostLines = 6,
): Promise<{ last: FollowerChild; killed: number }> {
  let killed = 0;
  for (let each = 0; each < kills; each += 1) {
    const child = start();
    await child.lines(Math.floor(random() * mostLines));
    await new Promise((resolve) => setTimeout(resolve, random() * 20));
    if (child.process.kill('SIGKILL')) killed += 1;
    await child.ended;
  }
  const last = start();
  await last.ended;
  return { last, killed };
}
