/** People who edit pages while they are replaced, and a process that dies while it replaces them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PageEdit } from '../../src/kit/learning/page-text.ts';
import { openKeeper, PAGES } from '../support/page-keeper.ts';
import { mayMount, mountSmall, unmount } from '../support/small-disk.ts';

const isWhole = process.env['SOAK'] !== undefined;
const EDITS = isWhole ? 4000 : 600;
const KILLS = isWhole ? 100 : 8;

let oka = '';
let ledger = '';
const children = new Set<ChildProcess>();

beforeEach(async () => {
  oka = mkdtempSync(join(tmpdir(), 'oka-page-edits-'));
  ledger = join(oka, 'edits.jsonl');
  writeFileSync(ledger, '');
  await openKeeper(oka, ledger).pass();
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(oka, { recursive: true, force: true, maxRetries: 5 });
});

function started(script: string, ...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support', script), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Somebody at each page; resolves to the lines that they saved. */
function editing(count: number): Promise<Map<string, string[]>> {
  const people = PAGES.map(async (page, index): Promise<[string, string[]]> => {
    const child = started('page-editor.ts', join(oka, page), String(count), String(index + 11));
    let saved = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => void (saved += text));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    return [page, saved.split('\n').filter(Boolean)];
  });
  return Promise.all(people).then((saved) => new Map(saved));
}

/** Every line that was saved is on its page, nothing was struck that nobody struck, and nothing moves any more. */
async function allIsKept(saved: Map<string, string[]>): Promise<void> {
  const keeper = openKeeper(oka, ledger);
  for (let tries = 0; (await keeper.pass()).length > 0 && tries < 20; ) tries += 1;
  expect(await keeper.pass()).toEqual([]);
  for (const [page, lines] of saved) {
    const kept = new Set(keeper.known.get(page));
    const shown = new Set(readFileSync(join(oka, page), 'utf8').split('\n'));
    expect(lines.filter((line) => !kept.has(line) || !shown.has(line))).toEqual([]);
  }
  const edits = readFileSync(ledger, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as PageEdit);
  expect(edits.flatMap(({ removed, changed }) => [...removed, ...changed])).toEqual([]);
}

describe.skipIf(!mayMount)('a full disk (needs the right to mount a small tmpfs)', () => {
  it('leaves every page and every line as it was, and goes on when there is space again', async () => {
    const disk = join(oka, 'disk');
    mkdirSync(disk);
    mountSmall(disk, 'size=4m');
    try {
      const keeper = openKeeper(disk, ledger);
      await keeper.pass();
      const file = join(disk, PAGES[1] ?? '');
      for (let room = 0; room < 24; room += 1) {
        appendFileSync(file, `line ${room}\n`);
        fill(join(disk, 'filler'), room);
        await keeper.pass().catch((error: unknown) => expect(error).toMatchObject({ code: 'disk-full' }));
        const lines = [...(keeper.known.get(PAGES[1] ?? '') ?? []), ...textsBelow(join(disk, 'brain'))];
        for (let number = 0; number <= room; number += 1) expect(lines).toContain(`line ${number}`);
        rmSync(join(disk, 'filler'));
        await keeper.pass();
        expect(readFileSync(file, 'utf8')).toContain(`\nline ${room}\n`);
      }
    } finally {
      unmount(disk);
    }
  });
});

/** Takes all space but a few blocks. */
function fill(file: string, blocks: number): void {
  const fd = openSync(file, 'w');
  try {
    for (;;) writeSync(fd, Buffer.alloc(4096));
  } catch {
    ftruncateSync(fd, Math.max(0, fstatSync(fd).size - (blocks % 8) * 4096));
  } finally {
    closeSync(fd);
  }
}

const textsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n'));

describe('pages that people edit', () => {
  it('no line is lost, however it is saved, while pages are replaced without pause', { timeout: 600_000 }, async () => {
    const keeper = openKeeper(oka, ledger);
    const over = new AbortController();
    const saving = editing(EDITS).finally(() => over.abort());
    for (; !over.signal.aborted; await sleep(1)) await keeper.pass();
    const saved = await saving;
    expect([...saved.values()].flat()).toHaveLength(EDITS * PAGES.length);
    await allIsKept(saved);
  });

  it('no line is lost when the process that replaces pages is killed', { timeout: 600_000 }, async () => {
    const over = new AbortController();
    const saving = editing(isWhole ? 3000 : 250).finally(() => over.abort());
    for (let kills = 0; kills < KILLS || !over.signal.aborted; kills += 1) {
      const child = started('page-keeper.ts', oka, ledger);
      await once(child.stdout ?? child, 'data');
      await sleep(Math.random() * 60);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await allIsKept(await saving);
    expect(readdirSync(join(oka, 'brain/.replaced')).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});
