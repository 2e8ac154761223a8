import { expect, it } from 'vitest';
import { openMaintenance } from '../../../../src/rooms/maintenance/open-maintenance.ts';
import { appendAndFold } from '../../../../src/rooms/maintenance/pass.ts';
import { rewording, rewordFacts } from '../../../../src/rooms/memory/distil/reword-facts.ts';
import type { Wording } from '../../../../src/rooms/memory/distil/wording.ts';
import { loadConfig } from '../../../../src/kit/settings.ts';
import { OkaError, type OkaErrorCode } from '../../../../src/core/schema/errors.ts';
import type { NewEvent } from '../../../../src/core/schema/event.ts';
import { maintainedHome } from '../../../support/maintain.ts';

const fact: NewEvent = {
  type: 'fact.kept',
  data: { id: 'lesson-1', namespace: 'tasks', text: 'The totals are in euro.', source: 'run' },
};

/** How often a model is asked that fails like this, when the budget of the day pays for two questions. */
async function askedOf(code: OkaErrorCode): Promise<number> {
  await using it = await maintainedHome();
  let asked = 0;
  const config = await loadConfig(it.home);
  config.maintenance.wording_budget = { tokens: 250, usd: 1 };
  const m = await openMaintenance(it.home, config, { parts: [rewording] });
  const wording = async (): ReturnType<Wording> => ({
    most: { tokens_in: 60, tokens_out: 40 },
    ask: () => {
      asked += 1;
      return Promise.reject(new OkaError(code, 'it timed out'));
    },
  });
  try {
    for (let pass = 0; pass < 5; pass += 1) {
      const write = (events: readonly NewEvent[]): Promise<void> => appendAndFold(m, events);
      await rewordFacts({ ...m, wording, rows: m.store, last: m.ledger.end.seq, write }, [fact]);
    }
  } finally {
    await m.close();
  }
  return asked;
}

it('a question that nobody waited for to the end counts as the most that it may take', async () => {
  expect(await askedOf('model-stalled')).toBe(2);
});

it('a question that was not taken costs nothing', async () => {
  expect(await askedOf('model-rate-limited')).toBe(5);
});
