import { describe, expect, it } from 'vitest';
import { performBulk, previewBulk } from '../../../src/rooms/runs/bulk-acts.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { BulkOutcome, BulkRequest } from '../../../src/core/schema/bulk.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import { openFoldedRows } from '../../support/folded-rows.ts';

const sha256 = 'a'.repeat(64);
const started = (run: string): NewEvent => ({
  type: 'run.started',
  run,
  data: { title: `Task ${run}`, graph: { id: 'oka.task', sha256 } },
});
const ended = (run: string): NewEvent => ({ type: 'run.ended', run, data: { status: 'done', reason: '' } });

async function perform(given: BulkRequest, request: (intake: Intake) => Promise<unknown>): Promise<BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  for await (const outcome of performBulk(given, { request, repeat: () => Promise.resolve(null) }))
    outcomes.push(outcome);
  return outcomes;
}

describe('acts on many runs', () => {
  it('B1 do exactly what was shown: another list, order or act is refused', async () => {
    using folded = await openFoldedRows();
    folded.add([started('one'), started('two'), started('three'), ended('three')]);
    const { token, runs, count, left_out } = await previewBulk(homeAt('/nowhere'), folded.rows, 'cancel', {
      filter: {},
    });
    const names = runs.map(({ run }) => run);
    expect({ names, count, left_out }).toMatchObject({ names: ['two', 'one'], count: 2, left_out: [{ run: 'three' }] });
    const asked: Intake[] = [];
    const request = (intake: Intake): Promise<null> => {
      asked.push(intake);
      return Promise.resolve(null);
    };
    const forged: BulkRequest[] = [
      { act: 'cancel', runs: ['two', 'one', 'three'], token },
      { act: 'cancel', runs: ['one', 'two'], token },
      { act: 'undo', runs: names, token },
      { act: 'cancel', runs: names, token: token.slice(1) },
      { act: 'cancel', runs: names, token: 'x'.repeat(token.length) },
    ];
    for (const each of forged) await expect(perform(each, request)).rejects.toThrow('not the runs that were shown');
    expect(asked).toEqual([]);
    folded.add([started('four')]);
    expect(await perform({ act: 'cancel', runs: names, token }, request)).toMatchObject([{ outcome: 'done' }, {}]);
    expect(asked).toEqual([
      { kind: 'cancel', run: 'two' },
      { kind: 'cancel', run: 'one' },
    ]);
  });

  it('B2 give each run its own outcome, whatever happens to the others', async () => {
    using folded = await openFoldedRows();
    folded.add([started('one'), started('two'), started('three')]);
    const { token, runs } = await previewBulk(homeAt('/nowhere'), folded.rows, 'cancel', {
      runs: ['one', 'two', 'three'],
    });
    const request = ({ run }: Extract<Intake, { kind: 'cancel' }>): Promise<unknown> => {
      if (run === 'two') return Promise.reject(new OkaError('run-is-over', 'it is over', { fix: 'Nothing to do.' }));
      return Promise.resolve(run === 'one' ? undefined : null);
    };
    const given = { act: 'cancel', runs: runs.map(({ run }) => run), token } as const;
    expect(await perform({ ...given, runs: [...given.runs] }, request as never)).toEqual([
      { run: 'three', outcome: 'done' },
      { run: 'two', outcome: 'failed', message: 'it is over', fix: 'Nothing to do.' },
      { run: 'one', outcome: 'queued' },
    ]);
  });
});
