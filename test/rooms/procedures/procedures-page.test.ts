import { describe, expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import { Procedure, type ProcedureNumbers } from '../../../src/core/schema/procedure.ts';
import { procedureQuery } from '../../../src/rooms/procedures/procedure-page/procedure-query.ts';
import { proceduresQuery } from '../../../src/rooms/procedures/page/procedures-query.ts';
import { askQuery } from '../../support/ask-query.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const procedure = Procedure.parse({
  id: 'sort-rows',
  title: 'Sort <path>',
  trigger: ['Sort a.csv'],
  task: 'Sort {{path}}',
  shape: '0'.repeat(64),
  parameters: [{ name: 'path', kind: 'path', from: 'task', examples: ['a.csv'] }],
  graph: { id: 'plan', nodes: [] },
  tools: ['shell'],
  targets: ['{{path}}'],
  steps: ['sort {{path}}'],
  evidence: [{ run: 'jan', seq: 4 }],
});
const side = { runs: 3, fine: 3, seconds: 2, tokens: 1000 };
const last = { e_value: 24.5, contradictions: 0, last_validated: null };
const numbers: ProcedureNumbers = { successes: 3, with: side, without: side, wins: 3, losses: 0, ...last };

describe('the pages about procedures', () => {
  it('show the status with its reason, the numbers, and how the last uses went', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    const home = homeAt(folder.dir);
    const redact = (text: string): string => text;
    const maintenance = await openLedger(home.ledgers.maintenance, 'maintenance', { redact });
    await maintenance.append({ type: 'procedure.drafted', data: { procedure } });
    const move = { procedure: 'sort-rows', from: 'candidate', to: 'promoted', by: 'gate', forced: false } as const;
    await maintenance.append({ type: 'procedure.moved', data: { ...move, numbers, reason: 'better than without it' } });
    await maintenance.append({ type: 'procedure.drafted', data: { procedure: { ...procedure, id: 'new-one' } } });
    await maintenance.close();
    const worker = await openLedger(home.ledgers.run, 'run', { redact });
    const chosen = { procedure: 'sort-rows', version: 1, parameters: {}, saves: null, reason: 'it fits' };
    for (const [run, arm, status] of [
      ['feb', 'used', 'done'],
      ['mar', 'used', 'failed'],
      ['apr', 'held_back', 'done'],
    ] as const) {
      await worker.append({ type: 'procedure.chosen', run, data: { ...chosen, arm } });
      await worker.append({ type: 'run.ended', run, data: { status, reason: '' } });
    }
    await worker.append({ type: 'procedure.chosen', run: 'may', data: { ...chosen, arm: 'used' } });
    await worker.close();

    expect(await askQuery(proceduresQuery, home)).toMatchObject({
      procedures: [
        {
          procedure: 'sort-rows',
          status: 'promoted',
          used: 3,
          trend: ['fine', 'bad', 'open'],
          reason: 'better than without it',
        },
        { procedure: 'new-one', status: 'candidate', used: 0, numbers: null },
      ],
      retired: 0,
    });
    const shown = await askQuery(procedureQuery, home, { procedure: 'sort-rows' });
    expect(shown).toMatchObject({
      evidence: [{ run: 'jan', seq: 4 }],
      moves: [{ to: 'promoted', numbers: { wins: 3 } }],
      uses: [
        { run: 'may', ended: null },
        { run: 'apr', arm: 'held_back' },
        { run: 'mar', outcome: 'bad' },
        { run: 'feb' },
      ],
    });
    expect(shown['page']).toContain('sort {{path}}');
    await expect(askQuery(procedureQuery, home, { procedure: 'nobody' })).rejects.toThrow('there is no procedure');
  });
});
