import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { archiveRuns } from '../../../src/core/ledger/archive-runs.ts';
import type { Ledger } from '../../../src/core/ledger/ledger.ts';
import { type Filter, followEvents, readEvents } from '../../../src/core/ledger/read-events.ts';
import type { Line, NewEvent } from '../../../src/core/schema/event.ts';
import { freshFolder, noteOf, openPlain } from '../../support/ledger-samples.ts';

const run = (name: string): NewEvent[] => [
  { type: 'run.started', run: name, data: { title: name, graph: { id: 'g', sha256: 'a'.repeat(64) } } },
  { type: 'run.moved', run: name, data: { from: 'PLAN', to: 'EXECUTE', reason: 'x'.repeat(2000) } },
  { type: 'call.started', run: name, data: { call: 'c', node: null, tool: 't', class: 'read', input: null } },
  { type: 'call.ended', run: name, data: { call: 'c', node: null, status: 'ok' } },
  { type: 'run.ended', run: name, data: { status: 'done', reason: '' } },
];

/** Runs r1, r2 and r3 of five events each, numbered 1 to 15. */
async function threeRuns(): Promise<Ledger> {
  const ledger = await openPlain(join(freshFolder(), 'run_ledger.jsonl'));
  for (const name of ['r1', 'r2', 'r3']) await ledger.append(run(name));
  return ledger;
}

describe('readEvents', () => {
  it('gives nothing where there is no ledger', async () => {
    expect(await seqs(join(freshFolder(), 'run_ledger.jsonl'))).toEqual([]);
  });

  it('gives every event in order, as it was appended', async () => {
    const file = join(freshFolder(), 'run_ledger.jsonl');
    const ledger = await openPlain(file);
    const appended = await ledger.append([...run('r1'), noteOf('grün\n"\\\u2028')]);
    await ledger.close();
    const lines = await Array.fromAsync(readEvents(file));
    expect(lines).toMatchObject(appended);
    expect(lines.map((line) => line.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  const filters: [Filter, number[]][] = [
    [{ from: 14 }, [14, 15]],
    [{ to: 2 }, [1, 2]],
    [{ from: 5, to: 7 }, [5, 6, 7]],
    [{ from: 7, to: 5 }, []],
    [{ from: 16 }, []],
    [{ from: -3, to: 1 }, [1]],
    [{ run: 'r2' }, [6, 7, 8, 9, 10]],
    [{ run: 'r' }, []],
    [{ type: 'run.ended' }, [5, 10, 15]],
    [{ type: 'run.*' }, [1, 2, 5, 6, 7, 10, 11, 12, 15]],
    [{ type: 'call.*' }, [3, 4, 8, 9, 13, 14]],
    [{ type: 'ru.*' }, []],
    [{ run: 'r3', type: 'call.*', from: 14 }, [14]],
    [{ run: 'r1', type: 'run.*', to: 4 }, [1, 2]],
  ];

  it.each(filters)('filters by %j', async (filter, expected) => {
    const ledger = await threeRuns();
    expect(await seqs(ledger.file, filter)).toEqual(expected);
    await ledger.close();
  });

  it.each(filters)('filters by %j across archive and live file alike', async (filter, expected) => {
    const ledger = await threeRuns();
    await archived(ledger);
    const noted = (await seqs(ledger.file, { type: 'ledger.archived' }))[0];
    expect((await seqs(ledger.file, filter)).filter((seq) => seq !== noted)).toEqual(expected);
    await ledger.close();
  });

  it('leaves out a last line that is still being written, wherever it is torn', async () => {
    const ledger = await threeRuns();
    await ledger.close();
    const bytes = readFileSync(ledger.file);
    const lastStart = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
    for (const cut of [lastStart + 1, lastStart + 8, bytes.length - 70, bytes.length - 1]) {
      writeFileSync(ledger.file, bytes.subarray(0, cut));
      expect(await seqs(ledger.file)).toHaveLength(14);
      expect(await seqs(ledger.file, { from: 13 })).toEqual([13, 14]);
    }
  });

  it.each(['no JSON', '', '{"seq":7,"type":"run.mo', '\0\0\0\0\0'])(
    'stops with an error at %j in the middle, after the events before it',
    async (broken) => {
      const ledger = await threeRuns();
      await ledger.close();
      const lines = readFileSync(ledger.file, 'utf8').split('\n');
      const offset = `${lines.slice(0, 6).join('\n')}\n`.length;
      writeFileSync(ledger.file, lines.with(6, broken).join('\n'));
      const seen: number[] = [];
      const reading = (async () => {
        for await (const line of readEvents(ledger.file)) seen.push(line.seq);
      })();
      await expect(reading).rejects.toMatchObject({
        code: 'ledger-damaged',
        message: `${ledger.file}: the record at byte ${offset} cannot be read`,
      });
      expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    },
  );

  it('refuses a line of a version that only a newer oka knows', async () => {
    const ledger = await threeRuns();
    await ledger.close();
    writeFileSync(ledger.file, readFileSync(ledger.file, 'utf8').replaceAll('"v":1', '"v":9'));
    await expect(seqs(ledger.file)).rejects.toMatchObject({ code: 'newer-version' });
  });

  it('refuses a symbolic link or a folder in place of the ledger', async () => {
    const folder = freshFolder();
    symlinkSync('/dev/null', join(folder, 'link.jsonl'));
    await expect(seqs(join(folder, 'link.jsonl'))).rejects.toMatchObject({ code: 'unsafe-file' });
    await expect(seqs(folder)).rejects.toMatchObject({ code: 'unsafe-file' });
  });

  it('can be left early', async () => {
    const ledger = await threeRuns();
    for await (const line of readEvents(ledger.file)) if (line.seq === 2) break;
    expect(await seqs(ledger.file)).toHaveLength(15);
    await ledger.close();
  });

  it('reads a ledger of its own only up to what is durable', async () => {
    const ledger = await threeRuns();
    ledger.stage(noteOf('staged, not flushed'));
    expect(await Array.fromAsync(ledger.read({ from: 15 }), (line) => line.seq)).toEqual([15]);
    await ledger.close();
  });
});

describe('followEvents', () => {
  it('gives what is there, then what comes, until the signal', async () => {
    const ledger = await threeRuns();
    const follower = following(ledger.file, { from: 14 });
    expect(await follower.next(2)).toEqual([14, 15]);
    await ledger.append(noteOf('new'));
    await ledger.append([noteOf('more'), noteOf('and more')]);
    expect(await follower.next(3)).toEqual([16, 17, 18]);
    await follower.stop();
    await ledger.close();
  });

  it('waits for a ledger that is not there yet', async () => {
    const file = join(freshFolder(), 'run_ledger.jsonl');
    const follower = following(file);
    const first = follower.next(1);
    const ledger = await openPlain(file);
    await ledger.append(noteOf('first'));
    expect(await first).toEqual([1]);
    await follower.stop();
    await ledger.close();
  });

  it('gives a line once it is whole', async () => {
    const ledger = await threeRuns();
    await ledger.append(noteOf('the last'));
    await ledger.close();
    const bytes = readFileSync(ledger.file);
    writeFileSync(ledger.file, bytes.subarray(0, bytes.length - 20));
    const follower = following(ledger.file, { from: 15 });
    expect(await follower.next(1)).toEqual([15]);
    appendFileSync(ledger.file, bytes.subarray(bytes.length - 20));
    expect(await follower.next(1)).toEqual([16]);
    await follower.stop();
  });

  it('survives that the live file is replaced by archiving, without a gap or a repetition', async () => {
    const ledger = await threeRuns();
    const follower = following(ledger.file);
    expect(await follower.next(15)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    await archived(ledger);
    await ledger.append(noteOf('behind the archive'));
    await archived(ledger);
    await ledger.append(noteOf('and again'));
    const { seq } = ledger.end;
    expect(await follower.next(seq - 15)).toEqual(Array.from({ length: seq - 15 }, (_, index) => index + 16));
    await follower.stop();
    await ledger.close();
  });

  it('begins in the archive when it is asked to', async () => {
    const ledger = await threeRuns();
    await archived(ledger);
    const follower = following(ledger.file, { from: 2, type: 'run.ended' });
    expect(await follower.next(3)).toEqual([5, 10, 15]);
    await follower.stop();
    await ledger.close();
  });

  it('filters, and ends by itself at `to`', async () => {
    const ledger = await threeRuns();
    const filter: Filter = { run: 'r2', type: 'run.*', to: 10 };
    const lines = await Array.fromAsync(followEvents(ledger.file, filter, new AbortController().signal));
    expect(lines.map((line) => line.seq)).toEqual([6, 7, 10]);
    await ledger.close();
  });

  it('gives nothing when the signal came before', async () => {
    const ledger = await threeRuns();
    expect(await Array.fromAsync(followEvents(ledger.file, {}, AbortSignal.abort()))).toEqual([]);
    await ledger.close();
  });
});

async function seqs(file: string, filter: Filter = {}): Promise<number[]> {
  return Array.fromAsync(readEvents(file, filter), (line) => line.seq);
}

/** Moves every finished run into the archive. */
async function archived(ledger: Ledger): Promise<void> {
  expect(await archiveRuns(ledger, new Date(Date.now() + 60_000), 1000)).not.toBeNull();
}

function following(file: string, filter: Filter = {}) {
  const controller = new AbortController();
  const lines: AsyncGenerator<Line> = followEvents(file, filter, controller.signal);
  return {
    next: async (count: number): Promise<number[]> => {
      const seen: number[] = [];
      while (seen.length < count) seen.push(((await lines.next()).value as Line).seq);
      return seen;
    },
    stop: async (): Promise<void> => {
      controller.abort();
      expect(await lines.next()).toEqual({ done: true, value: undefined });
    },
  };
}
