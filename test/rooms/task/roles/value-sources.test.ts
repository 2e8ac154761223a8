import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresIn } from '../../../../src/rooms/task/roles/traced-values.ts';
import { describeSources } from '../../../../src/rooms/task/roles/value-sources.ts';

describe('a figure', () => {
  it('is one figure with separators of thousands, and a date is one, too', () => {
    expect(figuresIn('1,240.50 on 2026-03-01 at 8:30, 12,5')).toEqual(['1240.50', '2026-03-01', '8:30', '12,5']);
  });
});

describe('the sources of values', () => {
  const inputs = {
    task: 'Write the total of 2026 to out.md.',
    made: [{ name: 'out.md', text: 'Total 2026: 1,240 of 17 invoices\n' }],
    read: [{ name: 'a.csv', text: 'a,1240\n' }],
    given: ['job/a.csv', 'job/rates.csv'],
    calls: ['{"path":"job/a.csv"}'],
  };

  it('are named where there are none: what is in no input, and what nobody has read', () => {
    expect(describeSources(inputs)).toBe('out.md: in no input: 17\nno step has read: job/rates.csv');
  });

  it('name what was computed and is in nothing that was made', () => {
    const given = { ...inputs, computed: ['1240', '999'] };
    expect(describeSources(given)).toContain('computed, and in nothing that was made: 999');
    expect(describeSources({ ...inputs, computed: ['1240'] })).not.toContain('computed');
  });

  it('are not spoken of where all is in order', () => {
    expect(describeSources({ ...inputs, read: [{ name: 'x', text: '1240 17' }], calls: ['cat job/*'] })).toBe('');
  });

  const said = (text: string, read: string, more: object = {}): string =>
    describeSources({
      ...inputs,
      task: 'Write a letter.',
      made: [{ name: 'out.md', text }],
      given: [],
      calls: [],
      ...more,
      read: [{ name: 'a', text: read }],
    });

  it.each<[text: string, read: string, unknown: string]>([
    ['The party is on 18.07.2026.', 'party: 2026-07-18', ''],
    ['The party is on July 18, 2026.', 'party: 18/07/2026', ''],
    ['The party is on 18 July.', 'party: 2026-07-18', ''],
    ['The party is on 19 July 2026.', 'party: 2026-07-18', '19 July 2026'],
    ['Am 3. März 2026 wird geliefert.', 'delivery,2026-03-03', ''],
    ['Dear customer, write to Anna Rossi, please.', 'Rossi, Anna; Acme', ''],
    ['Dear customer, write to Anna Russo, please.', 'Rossi, Anna; Acme', 'Anna Russo'],
    ['The margin of Margo was 12.50 and 3.', 'Margo,12.5,3', ''],
    ['See notes/plan-b.md or ask bo@acme.example.', 'plan-a.md', 'plan-b.md, bo@acme.example'],
    ['name,city,visits\nAnna,Bergen,3\nBo,Oslo,4\n', 'Anna lives in Bergen: 3\nBo: 4', 'Oslo'],
    ['# Monthly Report\n\nIt is done. Nothing else is. Every total is right.', '', ''],
    ['Das ist eine Rechnung für den Kunden, mit Summe und Datum sowie einem Betrag.', 'invoice 7', ''],
  ])('%j made from %j: not found %j', (text, read, unknown) => {
    expect(said(text, read)).toBe(unknown === '' ? '' : `out.md: in no input: ${unknown}`);
  });

  it('are named where there is a choice: a value that only one input has', () => {
    const read = [
      { name: 'files.read {"path":"job/chatter.md"}', text: 'Bo said 40 of 50, and it was 2026-03-01.' },
      { name: 'shell {"line":"wc -l job/a.csv"}', text: '50 job/a.csv' },
    ];
    const made = [{ name: 'out.md', text: 'Counted by Bo on 1 March 2026: 40 of 50.' }];
    expect(describeSources({ task: '', made, read, given: [], calls: [] })).toBe(
      'out.md: only in job/chatter.md: 1 March 2026, 40, Bo',
    );
  });

  it('a name, a date and a path of a text that was copied from its inputs are always found in them', () => {
    const word = fc.stringMatching(/^[A-ZÄØ][a-zäø]{2,8}$/);
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(word, word, day, fc.nat(99_999), (first, last, at, number) => {
        const [iso = ''] = at.toISOString().split('T');
        const [y, m, d] = iso.split('-').map(Number);
        const read = `${last};${first};${iso};${number};lists/${first}.csv`;
        const text = `It was ${first} ${last} who paid ${number} on ${d}.${m}.${y}, see lists/${first}.csv.`;
        expect(said(text, read)).toBe('');
      }),
    );
  });
});
