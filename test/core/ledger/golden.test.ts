/** Golden ledgers are what older okas left on disk. See test/fixture/golden/make.ts for how another one is made. */
import { hash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import { verifyLedger } from '../../../src/core/ledger/verify-ledger.ts';
import { checkEvent, eventTypes, LineShape, type Line, type NewEvent } from '../../../src/core/schema/event.ts';
import { versionOf } from '../../../src/core/schema/upgrade.ts';
import { foldedGraph, story, writeGolden } from '../../fixture/golden/make.ts';
import { freshFolder, openPlain } from '../../support/ledger-samples.ts';

/** Every golden ledger ever made, with the SHA-256 of its bytes. Lines are added here, never changed. */
const goldens: Record<string, string> = {
  v1: 'ae4b6287c980dbb79a497c92cb423401f1eaa814073e19ba91b86821308f1723',
  v2: '5ed1c4e6169da0be84a84413668fa3e1e78a97b69772175562afe66344b6661d',
  v3: 'fa9fb79910a3cdff7ac43e45ffca9329a49500bbc7650e65e51b301397ff06a5',
  v4: 'a6221f33f11e35eb70386e2766bf88316a510a186196a76fb67454519b76c3d0',
  v5: 'cba2e828b7aaa102ca3231fb822893e18f2a358b52090321cd29c197b767a30d',
  v6: 'a3f23152ef50be954ab54b0263780930884268f325976c9a3963dcd026b1f8eb',
  v7: 'a3c0893f996946817ad3f1c0a089b61258a1e57b58becf4ccc39587b340a6d2b',
  v8: 'a54412a7c1b2942545cc4f2d4cdbc0e1574f5b85c413bcf88e4633e48df1a8f1',
  v9: '8beff31a5f35d9335b3b62652d2885a1094d603e6ae675d35d136b37b9d723d3',
  v10: '2386f9b4ea8b52327b2368d76f646903c56275a6dde385fca3e2932a3d53c547',
  v11: '7637df6c33255054b4156051f669a3cc0a67d464cb52bbedf74681d1f71073e6',
  v12: '5fa0d3bb515dcf3268dd383f3b13fa16319f71f1e3d0207978b8e466f8b75cda',
  v13: '7bdb45d809e57db99240dfd5ca6a7e1436fa40b7e28fa0ab5ced5baff7f737c9',
  v14: 'e31ce57b0b9204a2b2e156480d22904d4834f4466fb9d21ca2ebff3c615d895e',
};

const folder = join(import.meta.dirname, '../../fixture/golden');
const fileOf = (name: string): string => join(folder, `${name}.jsonl`);

describe.each(Object.entries(goldens))('the golden ledger %s', (name, sum) => {
  const file = fileOf(name);

  it('has the bytes it was made with', () => {
    expect(hash('sha256', readFileSync(file))).toBe(sum);
  });

  it('is intact from the first byte to the last', async () => {
    const bytes = readFileSync(file);
    const events = bytes.filter((byte) => byte === 0x0a).length;
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact', events, bytes: bytes.length });
  });

  it('E3 is read back completely, every event as an event of today', async () => {
    const lines = await linesOf(file);
    expect(lines.map((line) => line.seq)).toEqual(rawLines(file).map((line) => line.seq));
    for (const line of lines) {
      expect(LineShape.parse(line)).toEqual(line);
      expect(
        checkEvent(line as NewEvent),
        'The shape of an event has changed. Also a new field with a default needs a new version and an upgrade.',
      ).toEqual({
        type: line.type,
        run: line.run,
        cause: line.cause,
        v: versionOf(line.type),
        data: line.data,
      });
    }
  });

  it('folds into the task graph kept beside it', async () => {
    const expected: unknown = JSON.parse(readFileSync(join(folder, `${name}.task-graph.json`), 'utf8'));
    expect(await foldedGraph(file)).toEqual(expected);
  });

  it('can be opened and written on', async () => {
    const copy = join(freshFolder(), 'run_ledger.jsonl');
    copyFileSync(file, copy);
    const seen: Line[] = [];
    const ledger = await openPlain(copy, { onLine: (line) => seen.push(line) });
    expect(seen).toEqual(await linesOf(file));
    await ledger.append({ type: 'worker.stopped', data: { reason: 'the test is over' } });
    await ledger.close();
    expect(await verifyLedger(copy)).toMatchObject({ state: 'intact', events: seen.length + 1 });
    expect(readFileSync(copy).subarray(0, readFileSync(file).length)).toEqual(readFileSync(file));
  });
});

describe('golden ledgers', () => {
  it('are all named in this test', () => {
    const there = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    expect(there.toSorted()).toEqual(
      Object.keys(goldens)
        .map((name) => `${name}.jsonl`)
        .toSorted(),
    );
  });

  it('E3 hold a line of every type in every version', () => {
    const there = new Set(
      Object.keys(goldens).flatMap((name) => rawLines(fileOf(name)).map(({ type, v }) => `${type}@${v}`)),
    );
    const missing = eventTypes
      .flatMap((type) => Array.from({ length: versionOf(type) }, (_, index) => `${type}@${index + 1}`))
      .filter((entry) => !there.has(entry));
    const next = `v${Object.keys(goldens).length + 1}`;
    expect(
      missing,
      `No golden ledger holds ${missing.join(', ')}. Put it into the story in test/fixture/golden/make.ts and run ` +
        `"npx node test/fixture/golden/make.ts ${next}": that makes a new file. Never rewrite an old one.`,
    ).toEqual([]);
  });

  it('come from a generator that still works and tells of every type', async () => {
    const file = join(freshFolder(), 'run_ledger.jsonl');
    await writeGolden(file);
    const lines = await linesOf(file);
    expect(lines).toHaveLength(story.flat().length);
    expect(new Set(lines.map((line) => line.type))).toEqual(new Set(eventTypes));
    const again = join(freshFolder(), 'run_ledger.jsonl');
    await writeGolden(again);
    expect(readFileSync(again)).toEqual(readFileSync(file));
  });
});

function linesOf(file: string): Promise<Line[]> {
  return Array.fromAsync(readEvents(file));
}

function rawLines(file: string): Line[] {
  const texts = readFileSync(file, 'utf8').trimEnd().split('\n');
  return texts.map((text) => JSON.parse(text) as Line);
}
