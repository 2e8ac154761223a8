/**
 * docs/TUTORIAL.md as somebody would follow it: every block is run by bash, in order, with a real worker in a second
 * terminal, and what follows a block must be seen.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { launcher } from '../support/cli.ts';
import { canJail, whyNot } from '../support/launcher.ts';

type Block = { line: number; how: 'here' | 'fails' | 'second'; code: string; seen: string[] };

const TEXT = readFileSync(join(import.meta.dirname, '../../docs/TUTORIAL.md'), 'utf8');
const FENCE = /^(`{3,})(\w+) ?(\w*)\n(.*?)^\1$/gms;
const PATIENCE_MS = 60_000;

/** The blocks for a shell, each with the lines of the text block that follows it. */
function blocksIn(text: string): Block[] {
  const blocks: Block[] = [];
  for (const { 2: language, 3: word = '', 4: code = '', index } of text.matchAll(FENCE)) {
    if (language === 'text') blocks.at(-1)?.seen.push(...code.trim().split('\n'));
    else if (language === 'sh' && (word === '' || word === 'fails' || word === 'second'))
      blocks.push({ line: text.slice(0, index).split('\n').length, how: word || 'here', code, seen: [] });
    else throw new Error(`a block of the tutorial that nobody runs: ${language} ${word}`);
  }
  return blocks;
}

/** Three dots stand for anything. */
const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .split('…')
      .map((part) => RegExp.escape(part.trim()))
      .join('.*'),
  );

it.skipIf(!canJail)(
  `half an hour with oka: every block does what the page says${whyNot}`,
  { timeout: 240_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oka-tutorial-'));
    const second: ChildProcess[] = [];
    try {
      mkdirSync(join(folder, 'bin'));
      symlinkSync(launcher, join(folder, 'bin', 'oka'));
      const { OKA_DIR: _, ...outer } = process.env;
      const env = { ...outer, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, AT: join(folder, 'at') };
      const apart = { ...env, XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
      const blocks = blocksIn(TEXT);
      expect(blocks.length).toBeGreaterThan(15);
      let cwd = folder;
      for (const { line, how, code, seen } of blocks) {
        if (how === 'second') {
          const child = spawn('bash', ['-ec', code], {
            cwd,
            env: apart,
            stdio: ['ignore', 'pipe', 'pipe'],
            detached: true,
          });
          second.push(child);
          await untilSeen(child, line, seen);
          continue;
        }
        const ran = spawnSync('bash', ['-ec', `${code}\npwd > "$AT"`], {
          cwd,
          env: apart,
          encoding: 'utf8',
          timeout: PATIENCE_MS,
        });
        const printed = stripVTControlCharacters(ran.stdout + ran.stderr);
        const missing = seen.filter((each) => !patternOf(each).test(printed));
        const ended = ran.signal ?? ran.status;
        const seenInstead = `line ${line} ended with ${ended}, missing ${JSON.stringify(missing)}; it printed:\n${printed}`;
        expect(how === 'fails' ? ran.status !== 0 : ran.status === 0, seenInstead).toBe(true);
        expect(missing, seenInstead).toEqual([]);
        if (how === 'here') cwd = readFileSync(join(folder, 'at'), 'utf8').trim();
      }
    } finally {
      for (const child of second) await ended(child);
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

async function untilSeen(child: ChildProcess, line: number, seen: readonly string[]): Promise<void> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (printed += text));
  const missing = (): string[] => seen.filter((each) => !patternOf(each).test(stripVTControlCharacters(printed)));
  for (const until = Date.now() + PATIENCE_MS; missing().length > 0 && Date.now() < until; ) await sleep(50);
  expect(missing(), `line ${line}: ${printed}`).toEqual([]);
}

/** It has a group of its own, which gets what Ctrl-C would send it. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const over = new Promise((done) => child.once('exit', done));
  process.kill(-child.pid, 'SIGINT');
  await over;
}
