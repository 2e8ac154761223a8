import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import { Procedure, type ProcedureNumbers } from '../../src/core/schema/procedure.ts';
import { readSkillFolder } from '../../src/kit/skills/skill-folder.ts';
import { oka, type TemporaryFolder, temporaryFolder } from '../support/cli.ts';

const procedure = Procedure.parse({
  id: 'sort-rows-1',
  title: 'Sort <path>',
  trigger: ['Sort a.csv'],
  task: 'Sort {{path}}',
  shape: '0'.repeat(64),
  parameters: [{ name: 'path', kind: 'path', from: 'task', examples: ['a.csv'] }],
  graph: { id: 'plan', nodes: [] },
  criteria: [],
  tools: ['shell'],
  targets: ['{{path}}'],
  steps: ['sort {{path}}'],
  evidence: [{ run: 'jan', seq: 4 }],
});
const side = { runs: 3, fine: 3, seconds: 2, tokens: 1000 };
const numbers: ProcedureNumbers = {
  successes: 3,
  with: { ...side, tokens: 0 },
  without: side,
  wins: 3,
  losses: 0,
  e_value: 24.5,
  contradictions: 0,
  last_validated: null,
};

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = temporaryFolder();
  await oka('init', '--dir', folder.dir);
  const home = homeAt(folder.dir);
  const redact = (text: string): string => text;
  const maintenance = await openLedger(home.ledgers.maintenance, 'maintenance', { redact });
  await maintenance.append({ type: 'procedure.drafted', data: { procedure } });
  await maintenance.append({ type: 'procedure.drafted', data: { procedure: { ...procedure, id: 'sort-rows-2' } } });
  const worker = await openLedger(home.ledgers.run, 'run', { redact });
  const chosen = { procedure: procedure.id, version: 1, parameters: {}, saves: null, reason: 'tried' };
  await worker.append({ type: 'procedure.chosen', run: 'mar', data: { ...chosen, arm: 'trial' } });
  await worker.append({ type: 'run.ended', run: 'mar', data: { status: 'done', reason: '' } });
  await worker.close();
  const move = { procedure: procedure.id, from: 'candidate', to: 'promoted', by: 'gate', numbers } as const;
  await maintenance.append({ type: 'procedure.moved', data: { ...move, reason: 'better than without it' } });
  await maintenance.close();
});
afterAll(() => folder[Symbol.dispose]());

const told = (...args: string[]) => oka('procedures', ...args, '--dir', folder.dir);
const data = async (...args: string[]): Promise<unknown> => JSON.parse((await told(...args, '--json')).out);

describe('oka procedures export', () => {
  it('writes a promoted procedure as a skill that is sound by the specification', async () => {
    expect((await told('export', 'sort-rows-1')).out).toContain('Wrote the skill sort-rows-1');
    const place = join(folder.dir, 'workspace', 'skills', 'sort-rows-1');
    const skill = readSkillFolder(place);
    if ('problems' in skill) throw new Error(skill.problems.join('; '));
    expect(skill.header.description).toBe('Sort <path>. Use it for tasks such as: Sort a.csv');
    expect(skill.body).toContain('1. `sort {{path}}`');
    expect(skill.notes).toEqual([]);
    expect(await told('export', 'sort-rows-1')).toMatchObject({ code: 2 });
  });

  it('refuses one that has not proven itself', async () => {
    const { code, err } = await told('export', 'sort-rows-2');
    expect(code).toBe(3);
    expect(err).toContain('sort-rows-2 is candidate; only a promoted procedure is exported');
  });
});

describe('oka procedures', () => {
  it('lists them and how they stand, as the ledger says', async () => {
    expect((await told('list')).out).toMatch(
      /sort-rows-1 {2}promoted[^]*evidence 24\.5[^]*sort-rows-2 {2}candidate[^]*not judged/,
    );
    expect(await data('list')).toMatchObject({
      procedures: [
        { id: 'sort-rows-1', status: 'promoted', forced: false },
        { id: 'sort-rows-2', status: 'candidate' },
      ],
    });
  });

  it('shows one by the start of its name, and says so when that is not enough', async () => {
    expect((await told('show', 'sort-rows-1')).out).toContain('1. `sort {{path}}`');
    expect(await data('show', 'sort-rows-2')).toMatchObject({
      status: 'candidate',
      procedure: { task: 'Sort {{path}}' },
    });
    expect(await told('show', 'sort')).toMatchObject({
      code: 2,
      err: expect.stringContaining('sort-rows-1, sort-rows-2'),
    });
    expect(await told('show', 'other')).toMatchObject({ code: 2, err: expect.stringContaining('oka procedures list') });
  });

  it('says why: every move with its numbers and the runs behind it', async () => {
    const { out } = await told('why', 'sort-rows-1');
    expect(out).toContain('made from  jan (event 4)');
    expect(out).toMatch(
      /candidate → promoted\n {2}better than without it\n[^]*3 better, 0 worse[^]*trial {5}mar \(event 1\) {2}done/,
    );
    expect(await data('why', 'sort-rows-1')).toMatchObject({
      moves: [{ to: 'promoted', runs: [{ run: 'mar', arm: 'trial', ended: 'done' }] }],
    });
  });

  it('promotes only by force, and records that it was asked for', async () => {
    expect(await told('promote', 'sort-rows-2')).toMatchObject({ code: 2, err: expect.stringContaining('--force') });
    expect((await told('promote', 'sort-rows-1', '--force')).out).toContain('already');
    expect((await told('promote', 'sort-rows-2', '--force', '--reason', 'I know')).out).toContain(
      'overriding the numbers',
    );
    expect((await told('demote', 'sort-rows-1')).code).toBe(0);
    const asked: object[] = [];
    for await (const { type, data } of readEvents(homeAt(folder.dir).ledgers.run))
      if (type === 'intake.received') asked.push(data.intake);
    expect(asked).toHaveLength(2);
    expect(asked).toContainEqual({ kind: 'procedure', procedure: 'sort-rows-2', to: 'promoted', reason: 'I know' });
    expect(asked).toContainEqual({ kind: 'procedure', procedure: 'sort-rows-1', to: 'demoted', reason: '' });
  });

  it('says that there are none in a home without maintenance', async () => {
    using empty = temporaryFolder();
    await oka('init', '--dir', empty.dir);
    expect(await oka('procedures', 'list', '--dir', empty.dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('No procedures yet'),
    });
  });
});
