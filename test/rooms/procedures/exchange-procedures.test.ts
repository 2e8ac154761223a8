import { describe, expect, it } from 'vitest';
import { procedureChanges, procedureTexts } from '../../../src/rooms/procedures/exchange-procedures.ts';
import { knownProcedure, procedureView } from '../../../src/kit/learning/procedure-rows.ts';
import { MOST_SHARED_PROCEDURES, readShared, SharedProcedure } from '../../../src/core/schema/fleet-memory.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { ProcedureMove } from '../../../src/core/schema/procedure.ts';
import { type Learning, learning } from '../../support/procedures.ts';

const options = { topics: ['procedures'], redact: (text: string) => text.replaceAll('hunter2', '***') };
const side = { runs: 3, fine: 3, seconds: 1, tokens: 1 };
const numbers = { successes: 3, with: side, without: side, wins: 3, losses: 0, e_value: 6, contradictions: 0 };

/** A home that has learned one procedure, whose command has these words in it, and promoted it. */
function home(words: string, more: Partial<ProcedureMove> = {}): Learning {
  const here = learning();
  for (const name of ['a', 'b'])
    here.task({
      run: name,
      body: `Sort the lines of ${name}.csv and write them into ${name}.txt`,
      steps: [{ tool: 'shell', input: { line: `sort -u ${words} ${name}.csv > ${name}.txt` } }],
      targets: [`${name}.txt`],
    });
  const [procedure] = here.conclude();
  const move = { from: 'candidate', to: 'promoted', by: 'gate', forced: false, reason: '' } as const;
  const data = { ...move, procedure: procedure?.id ?? '', numbers: { ...numbers, last_validated: null }, ...more };
  here.tell({ type: 'procedure.moved', data }, '2026-04-02T00:00:00.000Z', 'maintenance');
  expect(knownProcedure(here.book, procedure?.id ?? '')?.status).toBe(data.to);
  return here;
}

const sharedAt = ({ book }: Learning, more = {}): string[] => procedureTexts(book, { ...options, ...more });

describe('the procedures that a member shares', () => {
  it('are those that have proven themselves, where the operator names the topic', () => {
    expect(sharedAt(home('-r'))).toHaveLength(1);
    expect(sharedAt(home('-r'), { topics: ['ops'] })).toEqual([]);
    expect(sharedAt(home('-r', { forced: true, by: 'person' }))).toEqual([]);
    expect(sharedAt(home('-r', { to: 'demoted' }))).toEqual([]);
  });

  it.each(['hunter2', '/home/anna/list', '~/list', '--to=/srv/tmp'])('are none with %s', (words) => {
    expect(sharedAt(home(words))).toEqual([]);
  });
});

describe('the procedures of another member', () => {
  const shared = (): SharedProcedure => SharedProcedure.parse(JSON.parse(sharedAt(home('-r'))[0] ?? ''));
  const asText = (procedures: unknown): string => JSON.stringify({ facts: [], procedures });
  const given = (procedures: unknown): readonly SharedProcedure[] => readShared(asText(procedures))?.procedures ?? [];
  const hasTool = (name: string): boolean => name === 'shell';

  it('are recorded once, and their end too', () => {
    const here = learning([procedureView]);
    const follow = (procedures: unknown): NewEvent[] => {
      const changes = procedureChanges('h0', given(procedures), { rows: here.book, hasTool });
      for (const each of changes) here.tell(each);
      return changes;
    };
    const good = shared();
    expect(follow([good])).toMatchObject([{ type: 'procedure.shared', data: { member: 'h0', id: good.id } }]);
    expect(follow([good])).toEqual([]);
    expect(follow([])).toMatchObject([{ data: { id: good.id, procedure: null } }]);
    expect(follow([])).toEqual([]);
  });

  it('are left out where a tool is missing, a path leads out, or they cannot be read', () => {
    const good = shared();
    const rows = learning([procedureView]).book;
    const count = (each: unknown, known = hasTool): number =>
      procedureChanges('h0', given([each]), { rows, hasTool: known }).length;
    expect(count(good)).toBe(1);
    expect(count(good, () => false)).toBe(0);
    expect(count(JSON.parse(JSON.stringify(good).replace('sort -u', 'sort -u /etc/passwd')))).toBe(0);
    expect(count({ ...good, targets: null })).toBe(0);
    expect(count('nothing')).toBe(0);
    expect(readShared('nothing')).toBeNull();
    expect(readShared(asText(Array.from({ length: MOST_SHARED_PROCEDURES + 1 }, () => good)))).toBeNull();
  });
});
