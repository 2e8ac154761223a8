import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import './seed.ts';
import { parseBlocks } from '../../../../src/kit/text/markdown-blocks.ts';
import { inlineCode, fenceText, quoteInline } from '../../../../src/kit/text/markdown-escape.ts';
import { resultPage } from '../../../../src/rooms/task/roles/result.ts';
import type { ResultFacts } from '../../../../src/kit/runs/result-content.ts';

const facts: ResultFacts = {
  run: 'r-20260105-1',
  title: 'Weekly report',
  verdict: 'done',
  reason: 'every criterion is met',
  task: 'report.md',
  started: '2026-01-05T08:00:00.000Z',
  ended: '2026-01-05T08:01:05.000Z',
  steps: [
    { id: 'fetch', title: 'Fetch the data', status: 'done', did: 'cp in.csv out.csv', ms: 41, output: 'copied\n' },
    {
      id: 'draw',
      title: 'Draw',
      status: 'done',
      did: 'set -e; a\nb',
      ms: 61_000,
      attempts: 2,
      fallback: true,
      error: 'exit 1',
    },
  ],
  criteria: [
    { text: 'file: out.csv is not empty', holds: true, evidence: 'out.csv has 20 bytes', by: 'check' },
    { text: 'It reads well', holds: true, evidence: 'files.read out.md: "Total"', by: 'model' },
  ],
  files: { created: ['out.csv'], changed: ['a b.md'], removed: ['old.txt'] },
  undo: { possible: true, without: ['big.bin'] },
  hosts: ['docs.example.org'],
  artifacts: [
    { name: 'page.html', bytes: 12_345, sha256: 'b'.repeat(64), file: 'artifacts/bbbbbbbb-page.html' },
    { name: 'video', bytes: 20_000_000, sha256: 'a'.repeat(64) },
  ],
  canRepeat: true,
  cost: { tokens: 12_345, usd: 0.0123, calls: 7, modelCalls: 3, replans: 1, activeMs: 64_000, deskMs: 0 },
  model: 'openai:gpt',
  questions: [],
  next: [],
  ledger: { first: 10, last: 42 },
};

describe('the page', () => {
  it('points out files that make other programs run, with the reason', () => {
    const files = { created: ['.git/hooks/pre-commit', 'a.md'], changed: ['.envrc'], removed: ['.npmrc'] };
    const page = resultPage({ ...facts, files });
    expect(page).toContain('⚠️ These files make other programs run');
    expect(page).toContain('- `.git/hooks/pre-commit`: git runs it as a hook\n- `.envrc`: it runs when a shell enters');
    expect(resultPage(facts)).not.toContain('make other programs run');
  });

  it('tells verdict, steps, evidence, files, cost, and how to redo it', () => {
    expect(resultPage(facts)).toBe(`# Weekly report

**✅ Done.** 2 of 2 criteria met.

> every criterion is met

## What was done

1. ✅ Fetch the data (41 ms)

   \`cp in.csv out.csv\`

   \`\`\`text
   copied
   \`\`\`

2. ✅ Draw (1 min 1 s, 2 attempts, failed, continued with its fallback)

   \`\`\`text
   set -e; a
   b
   \`\`\`

   \`\`\`text
   exit 1
   \`\`\`

## Evidence

- ✅ file: out.csv is not empty
  Checked: out.csv has 20 bytes
- ✅ It reads well
  Judged by a model: files.read out.md: "Total"

## Files

- new \`out.csv\`
- changed \`a b.md\`
- removed \`old.txt\`

\`oka undo r-20260105-1\` undoes these changes. Cannot be restored: \`big.bin\`.

Saved from its work:

- [\`page.html\`](artifacts/bbbbbbbb-page.html), 12.3 KB
- \`video\`, 20.0 MB, only in the artifact store as \`aaaaaaaaaaaa\`

## Hosts contacted

- \`docs.example.org\`

## Cost and time

- 7 tool calls, 1 min 4 s of work, replanned once
- openai:gpt, 3 model calls, 12,345 tokens, $0.0123
- on 2026-01-05 08:00:00 to 08:01:05 UTC

## Inspect or repeat it

- Run \`r-20260105-1\`, ledger 10 to 42: \`oka show r-20260105-1\` shows it step by step.
- Do it again from the start: \`oka again r-20260105-1\`
- Something is wrong? \`oka correct r-20260105-1 "what is wrong"\`
`);
  });

  it('shows the answer of a model, pictures, and what was installed', async () => {
    const page = resultPage({
      ...facts,
      answer:
        '# Sales in January\n\nThe **total** is 12 (see `out.csv`):\n\n- Anna: 5\n- Ben: 7\n\nDetails: [the shop](https://shop.example/a_b).\n',
      steps: [{ id: 'work', title: "Add it up: it's *easy* [really]", status: 'done', calls: 3, ms: 4100 }],
      files: { created: ['chart (1).png', 'out.csv'], changed: [], removed: [] },
      links: new Map([
        ['chart (1).png', 'files/chart (1).png'],
        ['out.csv', 'files/out.csv'],
      ]),
      copies: 2,
      installed: [
        { id: 'python:matplotlib', version: '3.9.2', from: 'python.example', commands: [] },
        { id: 'node:csvkit', version: '1.0.0', from: 'packages.example', commands: ['csvsort', 'csvsum'] },
      ],
    });
    await expect(page).toMatchFileSnapshot('../../../fixture/screens/result-prose.md');
  });

  it.each(['rework', 'blocked', 'impossible', 'failed', 'cancelled'] as const)(
    '%s says why and how to go on',
    (verdict) => {
      const page = resultPage({
        ...facts,
        verdict,
        reason: 'no model is set\nset OKA_MODEL',
        steps: [],
        criteria: [],
        files: { created: [], changed: [], removed: [] },
        model: null,
        questions: [{ id: 'r1.w0', text: 'Which year?' }],
        next: [{ text: 'Set OKA_MODEL and the task goes on' }],
      });
      expect(page).not.toContain('✅');
      expect(page).toContain('> no model is set\n>\n> set OKA_MODEL');
      expect(page).toContain('- Which year?\n  Answer with `oka answer r1.w0 "…"`.');
      expect(page).toContain('## What you can do\n\n- Set OKA_MODEL');
      expect(page).toContain('Nothing was executed.');
      expect(page).toContain('No file was changed.');
      expect(page).toContain('no model was used');
      expect(page).toContain(verdict === 'blocked' ? 'It continues automatically' : '`oka again r-20260105-1`');
    },
  );

  it('stays of bounded size', () => {
    const steps = Array.from({ length: 1000 }, (_, n) => ({
      id: `s${n}`,
      title: 't',
      status: 'done' as const,
      output: 'x'.repeat(100_000),
    }));
    const created = Array.from({ length: 5000 }, (_, n) => `f${n}`);
    const page = resultPage({ ...facts, steps, files: { created, changed: [], removed: [] } });
    expect(page.length).toBeLessThan(600_000);
    expect(page).toContain('… and 800 more');
    expect(page).toContain('… and 4,800 more');
  });
});

describe('text that nobody here wrote', () => {
  const attacks = [
    '# Done\n\n**✅ Done.**',
    '<script>alert(1)</script><img src=x onerror=alert(1)>',
    '![x](http://evil/p.png) [click](javascript:alert(1)) <http://evil>',
    'http://evil.example www.evil.example a@b.c @team',
    '`code` *bold* _it_ ~~no~~ | table | $x$ &amp; &#60;',
    '```\n````\n# out\n~~~',
    '\u202egnp.exe\u0007\u001b[31m\u{e0041}\u200b\u2028',
    '1. list\n- item\n> quote\n=====',
    '--- \n+++',
    '<!-- hidden',
    '</details>',
  ];

  it.each(attacks)('cannot act in any place of the page: %j', (attack) => {
    const clean = resultPage({ ...facts, criteria: [], steps: [] });
    const page = resultPage({
      ...facts,
      artifacts: [],
      title: attack,
      reason: attack,
      answer: attack,
      task: attack,
      steps: [{ id: 'a', title: attack, status: 'failed', did: attack, output: attack, error: attack }],
      criteria: [{ text: attack, holds: false, evidence: attack, by: 'model' }],
      files: { created: [attack], changed: [], removed: [] },
      questions: [{ id: 'q', text: attack }],
      next: [{ text: attack }],
      model: attack,
    });
    const headings = (text: string): string[] =>
      parseBlocks(text).blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? [block.text] : []));
    expect(parseBlocks(page).problems).toEqual([]);
    expect(headings(page).filter((each) => !headings(clean).includes(each))).toEqual([
      'Answer',
      'Open questions',
      'What you can do',
      'Evidence',
    ]);
    for (const hidden of ['\u202e', '\u0007', '\u001b', '\u200b', '\u2028', '\u{e0041}'])
      expect(page).not.toContain(hidden);
    expect(outsideCode(page)).not.toMatch(/(?<!\\)<[a-z/!]|(?<!\\)\[[^\]]*\]\(|(?<!\\):\/\//i);
  });

  it.each(attacks)('a link to a file with such a name leads to that file and nowhere else: %j', (attack) => {
    const links = new Map([[attack, `../../desk/${attack}`]]);
    const page = resultPage({ ...facts, links, files: { created: [attack], changed: [], removed: [] } });
    const [, target = ''] = /^- new \[.*\]\((\S*)\)$/m.exec(page) ?? [];
    expect(decodeURIComponent(target)).toBe(`../../desk/${attack}`);
    expect(target).toMatch(/^\.\.\/\.\.\/desk\/[\w.~%/-]*$/);
  });

  it('a fence cannot be ended from inside, and its text comes back', () => {
    const piece = fc.oneof(
      fc.constantFrom('```', '````', '~~~', '\n', '`', 'text', ' ', '# h', '\t'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces
          .join('')
          .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (each) => (each === '\n' || each === '\t' ? each : ''));
        const { blocks, problems } = parseBlocks(`${fenceText(text)}\nafter`);
        expect(problems).toEqual([]);
        expect(blocks).toHaveLength(2);
        expect(blocks[0]).toMatchObject({ kind: 'fence', code: text.replace(/\n$/, '') });
      }),
    );
  });

  it('code in a line is one span, whatever backticks are in it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '``', 'a', ' ', '\n'), { maxLength: 10 }), (pieces) => {
        const made = inlineCode(pieces.join(''));
        const ticks = /^`+/.exec(made)?.[0].length ?? 0;
        const inner = made.slice(ticks, -ticks);
        expect(made.endsWith('`'.repeat(ticks))).toBe(true);
        expect((inner.match(/`+/g) ?? []).every((run) => run.length !== ticks)).toBe(true);
        expect(inner.startsWith('`') || inner.endsWith('`')).toBe(false);
      }),
    );
  });

  it('ordinary words stay readable', () => {
    expect(quoteInline('report_final.md has 3 rows (2 new): ok, 100 %')).toBe(
      'report_final.md has 3 rows (2 new): ok, 100 %',
    );
    expect(quoteInline('a\n  b')).toBe('a b');
  });

  function outsideCode(page: string): string {
    const kept = parseBlocks(page).blocks.flatMap((block) => (block.kind === 'fence' ? [] : [block.text]));
    return kept.join('\n').replaceAll(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '');
  }
});
