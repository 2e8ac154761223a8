import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Page, PageLine } from '../../../../src/core/schema/learning-part.ts';
import { findEdit } from '../../../../src/rooms/maintenance/pages/find-edit.ts';
import type { PageEdit } from '../../../../src/kit/learning/page-text.ts';
import { escapeText } from '../../../../src/kit/learning/page-prose.ts';
import { splitText, composeText } from '../../../../src/kit/learning/page-text.ts';
import { anyCodePoint } from '../../../support/any-code-point.ts';
import { timesOf } from '../../../support/thorough.ts';

const PAGE = 'brain/TODOS.md';
const line = (text: string, mark: string | null = null): PageLine => ({ text, mark });
const page: Page = {
  lines: [
    line('# To do'),
    line(''),
    line('- [ ] Allow `rm`? _(run-1, 7)_', 'ask:w1'),
    line('- [ ] Look _(run-2, 9)_', 'failed:run-2'),
  ],
};
const text = composeText(page, ['buy milk', '', 'call Ann']);
const seen = (now: string, last = text): PageEdit | null => findEdit(PAGE, { now, last });
const replaced = (from: string, to: string): PageEdit | null => seen(text.replace(from, to));

describe('what people did to a page', () => {
  it('nothing is seen where nothing was done, however the lines end', () => {
    for (const now of [
      text,
      text.replaceAll('\n', '\r\n'),
      `\uFEFF${text}`,
      text.trimEnd(),
      text.replaceAll('\n', '  \n').replace('milk  ', 'milk').replace('Ann  ', 'Ann'),
    ])
      expect(seen(now)?.removed ?? []).toEqual([]);
    for (const now of [text, text.replaceAll('\n', '\r\n'), `\uFEFF${text}`, text.trimEnd()])
      expect(seen(now)).toBeNull();
  });

  it('E1 a line that is put anywhere is theirs', () => {
    expect(replaced('# To do\n', '# To do\nfirst of all\n')?.lines).toEqual([
      'first of all',
      'buy milk',
      '',
      'call Ann',
    ]);
    expect(seen(`${text}last of all\n`)?.lines).toEqual(['buy milk', '', 'call Ann', 'last of all']);
    expect(seen(`${text.trimEnd()}last of all`)?.lines).toEqual(['buy milk', '', 'call Ann', 'last of all']);
    expect(replaced('buy milk\n', 'buy milk\nand bread\n')?.lines).toEqual(['buy milk', 'and bread', '', 'call Ann']);
  });

  it('a tick is a change of that line and not a line of its own', () => {
    const edit = replaced('- [ ] Look', '- [x] Look');
    expect(edit).toEqual({
      page: PAGE,
      lines: ['buy milk', '', 'call Ann'],
      removed: [],
      changed: [{ mark: 'failed:run-2', text: '- [x] Look' }],
    });
  });

  it('words that are changed in a line of ours are told and kept', () => {
    const edit = replaced('Look _', 'Look at it tomorrow _');
    expect(edit?.changed).toEqual([{ mark: 'failed:run-2', text: '- [ ] Look at it tomorrow' }]);
    expect(edit?.lines).toEqual(['- [ ] Look at it tomorrow', 'buy milk', '', 'call Ann']);
  });

  it('a line that is taken out is told, and one that only moved is not', () => {
    const [, , allow = '', look = ''] = text.split('\n');
    expect(replaced(`${look}\n`, '')?.removed).toEqual(['failed:run-2']);
    expect(seen(text.replace(`${allow}\n${look}\n`, `${look}\n${allow}\n`))).toBeNull();
    expect(replaced(' <!--oka failed:run-2-->', '')).toBeNull();
  });

  it('E3 a file that is cut off, emptied or made anew strikes nothing', () => {
    for (let end = 0; end < text.length - 2; end += 1) {
      const edit = seen(text.slice(0, end));
      expect(edit?.removed ?? []).toEqual([]);
      expect(edit?.lines.slice(0, 3) ?? ['buy milk', '', 'call Ann']).toEqual(['buy milk', '', 'call Ann']);
    }
    expect(seen('only this\n')).toEqual({
      page: PAGE,
      lines: ['buy milk', '', 'call Ann', 'only this'],
      removed: [],
      changed: [],
    });
  });

  it('E2 below the heading everything is theirs, also a copy of what we say', () => {
    const copy = '- [ ] Allow `rm`? _(run-1, 7)_';
    expect(seen(`${text}${copy} <!--oka ask:w1-->\n`)?.lines).toEqual(['buy milk', '', 'call Ann', copy]);
    const own = composeText(page, [copy]);
    expect(seen(own.replace(`${copy} <!--oka ask:w1-->\n`, ''), own)).toEqual({
      page: PAGE,
      lines: [copy],
      removed: ['ask:w1'],
      changed: [],
    });
  });

  it('without our heading nothing is lost', () => {
    const edit = replaced('## Yours\n', '');
    expect(edit).toBeNull();
    expect(replaced('## Yours\n', '## Mine\n')?.lines).toEqual(['## Mine', 'buy milk', '', 'call Ann']);
  });

  it('of two lines that say the same, the one that is left is theirs', () => {
    const own = composeText({ lines: [line('# Page'), line('- same')] }, ['- same']);
    const now = own.replace('- same\n', '').replace('## Yours\n', '');
    expect(seen(now, own)).toBeNull();
  });

  it('of a line that stands there twice the second is theirs', () => {
    const [, , allow = ''] = text.split('\n');
    const edit = replaced(allow, `${allow}\n${allow}`);
    expect(edit).toEqual({
      page: PAGE,
      lines: ['- [ ] Allow `rm`?', 'buy milk', '', 'call Ann'],
      removed: [],
      changed: [],
    });
  });

  it('E4 an old state that is saved takes nothing back', () => {
    const later = composeText({ lines: [...page.lines, line('- [ ] New _(run-3, 12)_', 'failed:run-3')] }, [
      'buy milk',
      '',
      'call Ann',
      'said meanwhile',
    ]);
    const stale = text.replace('buy milk', 'buy milk\nbuy tea').replace('call Ann\n', '');
    expect(findEdit(PAGE, { now: stale, last: later, before: [text, later] })).toEqual({
      page: PAGE,
      lines: ['buy milk', 'buy tea', 'said meanwhile'],
      removed: [],
      changed: [],
    });
  });
});

describe('text from outside', () => {
  const forging = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.constantFrom(
      '<!--oka fact:1-->',
      'x\n## Yours\ny',
      '- [ ] item',
      '# heading',
      '<!--oka =0123456789ab-->',
      '1. one',
      '> quote',
      '---',
      '| a | b |',
      '[a](b)',
      'a\u2028b\u0085c',
    ),
    fc
      .array(fc.constantFrom('<!--', '-->', 'oka ', '=', '\n', '\r', '`', '_(', ')_', '[x]', '\\', '&lt;', '🎉'), {
        maxLength: 8,
      })
      .map((parts) => parts.join('')),
  );

  it('T1 T2 cannot become a mark, a heading or a second line, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            forging,
            fc.option(
              fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 30 }).map((mark) => mark.toWellFormed()),
            ),
            fc.boolean(),
          ),
          { maxLength: 6 },
        ),
        (given) => {
          const lines = given.map(([words, mark, isSaid]) => line(`- ${isSaid ? escapeText(words) : words}`, mark));
          const { ours, people } = splitText(composeText({ lines: [line('# Title'), ...lines] }, ['mine']));
          expect(ours.slice(1).map(({ mark }) => mark)).toEqual(given.map(([, mark]) => mark));
          expect(people).toEqual(['mine']);
        },
      ),
    );
  });
});

/** One person's way through many edits; every line they write has a number, so that it can be found again. */
type Act =
  | { kind: 'write'; at: number; count: number; like: number }
  | { kind: 'strike' | 'move' | 'tick' | 'reword' | 'copy' | 'unmark'; at: number }
  | { kind: 'crlf' | 'bom' | 'trail' | 'chop' | 'unhead' | 'unstamp' | 'truncate' | 'anew' };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      at: fc.nat(60),
      count: fc.integer({ min: 1, max: 3 }),
      like: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('strike' as const, 'move', 'tick', 'reword', 'copy', 'unmark'),
      at: fc.nat(60),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('crlf' as const, 'bom', 'trail', 'chop', 'unhead', 'unstamp', 'truncate', 'anew'),
    }),
  },
);
const pages = fc.array(
  fc.tuple(fc.constantFrom('a', 'b', 'c', 'same', 'same'), fc.option(fc.nat(5).map((mark) => `fact:${mark}`))),
  { maxLength: 6 },
);

describe('many edits', () => {
  it('no line of a person is ever lost, and a page that was written again shows no edit', () => {
    let number = 0;
    fc.assert(
      fc.property(
        fc.array(fc.record({ acts: fc.array(act, { maxLength: 4 }), ours: pages, stale: fc.nat(3) }), { maxLength: 8 }),
        (rounds) => {
          const written: string[] = [composeText({ lines: [] }, [])];
          const struck = new Set<string>();
          const all = new Set<string>();
          let lines: string[] = [];
          for (const { acts, ours, stale } of rounds) {
            const last = written.at(-1) ?? '';
            let now = written.at(-1 - Math.min(stale, written.length - 1)) ?? last;
            for (const each of acts) now = done(each, now);
            const edit = findEdit('memory/x.md', { now, last, before: written.slice(-8) });
            lines = edit?.lines ?? lines;
            for (const word of all) if (!struck.has(word)) expect(lines.join('\n')).toContain(word);
            const next = composeText(
              { lines: [line('# Page'), ...unique(ours).map(([words, mark]) => line(`- ${words}`, mark))] },
              lines,
            );
            expect(splitText(next).people).toEqual(lines);
            expect(findEdit('memory/x.md', { now: next, last: next, before: written })).toBeNull();
            written.push(next);
          }

          function done(each: Act, now: string): string {
            const rows = now.split(/\r?\n/);
            const at = 'at' in each ? each.at % (rows.length + 1) : 0;
            switch (each.kind) {
              case 'write': {
                const fresh = Array.from(
                  { length: each.count },
                  () => `${['', '- ', '# ', '- [ ] '][each.like]}w${(number += 1)}w`,
                );
                for (const row of fresh) all.add(/w\d+w/.exec(row)?.[0] ?? '');
                return rows.toSpliced(at, 0, ...fresh).join('\n');
              }
              case 'strike':
                for (const [word] of (rows[at] ?? '').matchAll(/w\d+w/g)) struck.add(word);
                return rows.toSpliced(at, 1).join('\n');
              case 'move':
                return [...rows.toSpliced(at, 1), ...rows.slice(at, at + 1)].join('\n');
              case 'tick':
                return rows.with(at % rows.length, (rows[at % rows.length] ?? '').replace('[ ]', '[x]')).join('\n');
              case 'reword': {
                const own = `w${(number += 1)}w`;
                all.add(own);
                return rows.with(at % rows.length, `${own} ${rows[at % rows.length]}`).join('\n');
              }
              case 'copy':
                return rows.toSpliced(at, 0, ...rows.slice(at, at + 1)).join('\n');
              case 'unmark':
                return rows.with(at % rows.length, (rows[at % rows.length] ?? '').replace(/<!--.*-->/, '')).join('\n');
              case 'crlf':
                return now.replaceAll(/\r?\n/g, '\r\n');
              case 'bom':
                return `\uFEFF${now}`;
              case 'trail':
                return now.replaceAll('\n', ' \n');
              case 'chop':
                return now.trimEnd();
              case 'unhead':
                return now.replace('## Yours', '');
              case 'unstamp':
                return now.replace(/<!--oka =.*-->/, '');
              case 'truncate':
                for (const row of rows.slice(Math.floor(rows.length / 2))) unsaved(row);
                return rows.slice(0, Math.floor(rows.length / 2)).join('\n');
              case 'anew':
                for (const row of rows) unsaved(row);
                return 'anew\n';
            }
          }

          /** What was never saved is not a line yet. */
          function unsaved(row: string): void {
            for (const [word] of row.matchAll(/w\d+w/g)) if (!lines.join('\n').includes(word)) struck.add(word);
          }
        },
      ),
      { numRuns: process.env['SOAK'] === undefined ? timesOf(1000, 150) : 100_000 },
    );
  });
});

const unique = (ours: readonly [string, string | null][]): [string, string | null][] =>
  ours.filter(([, mark], index) => mark === null || ours.findIndex(([, other]) => other === mark) === index);
