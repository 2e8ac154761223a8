import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../rooms/task/roles/seed.ts';
import {
  type CheckContext,
  nextCheckCalls,
  type Finding,
  judgeCheck,
} from '../../../src/rooms/task/roles/check-calls.ts';
import { type Check, parseCheck, GRAMMAR } from '../../../src/kit/task/checks.ts';
import { parseCriterion } from '../../../src/kit/task/criteria.ts';
import { stepAcceptanceProblem } from '../../../src/kit/task/step-acceptance.ts';
import type { Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { filesTools } from '../../../src/rooms/desk/tools/files.ts';
import { httpTools } from '../../../src/rooms/desk/tools/http.ts';
import { shellTool } from '../../../src/rooms/desk/tools/shell.ts';
import { callOf } from '../../support/engine-fakes.ts';

const desk = mkdtempSync(join(tmpdir(), 'oka-checks-'));
const server = createServer((request, response) => {
  response.statusCode = request.url === '/health' ? 200 : 404;
  response.end('said');
});
let origin = '';
let tools: Map<string, Tool>;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const all = [
    ...filesTools({ desk }),
    shellTool({ desk, env: { PATH: process.env['PATH'] ?? '' } }),
    ...httpTools({ allowPrivate: () => true }),
  ];
  tools = new Map(all.map((tool) => [tool.name, tool]));
  const files: Record<string, string> = {
    'report.md': '# Report\n\nTotal: 12\n',
    'out.csv': 'name,note\na,"two\nlines"\nb,x\n',
    'names.txt': 'a\n\nb\nc',
    'data.json': '{"items":[{"name":"a"},{"name":"b"},{"name":"c"}],"total":3.5,"list":{"length":9}}',
    'list.json': '[1,2]',
    'broken.json': '{"a":',
    'empty.txt': '',
    'with space.md': 'x',
    'site/index.html': '<p>',
    'src/a.ts': '1',
    'bytes.bin': '\0\u0001\u0002',
    'long.txt': `${'é'.repeat(100_000)}NEEDLE${'x'.repeat(100_000)}\nlast line`,
  };
  mkdirSync(join(desk, 'site'));
  mkdirSync(join(desk, 'src'));
  mkdirSync(join(desk, 'bare'));
  for (const [path, content] of Object.entries(files)) writeFileSync(join(desk, path), content);
});

afterAll(() => {
  server.close();
  rmSync(desk, { recursive: true });
});

async function tried(text: string, around: CheckContext = {}): Promise<Finding> {
  const check = read(text.replace('ORIGIN', origin));
  const outcomes: Outcome[] = [];
  for (let calls = nextCheckCalls(check, around); calls.length > 0; calls = nextCheckCalls(check, around, outcomes)) {
    for (const { tool, input } of calls) {
      const found = tools.get(tool) as Tool;
      expect(found.input.safeParse(input).success).toBe(true);
      outcomes.push(await found.invoke(input, callOf({ tool, input })));
    }
  }
  return judgeCheck(check, outcomes, around);
}

function read(text: string): Check {
  const check = parseCheck(text);
  if (check === null || check.kind === 'problem') throw new Error(`${text}: ${JSON.stringify(check)}`);
  return check;
}

describe('the grammar', () => {
  it.each(GRAMMAR.flatMap(({ word, examples }) => examples.map((example) => [word, example] as const)))(
    '%s: the example "%s" is read as what it shows',
    (word, example) => {
      const { kind } = read(example);
      expect(word === 'lacks' ? 'contains' : word).toBe(kind);
    },
  );

  it.each<[string, string]>([
    ['report.md exists', 'file: report.md'],
    ['`with space.md` exists.', 'file: "with space.md"'],
    ['The file out/report.md is not empty', 'file: out/report.md is not empty'],
    ['report.md contains "Total"', 'contains: report.md "Total"'],
    ['report.md contains the text `Total`.', 'contains: report.md "Total"'],
    ['report.md does not contain "TODO"', 'lacks: report.md "TODO"'],
    ['out.csv has at least 10 rows', 'rows: out.csv >= 10'],
    ['out.csv has 3 lines', 'rows: out.csv == 3'],
    ['data.json is valid JSON', 'json: data.json'],
    ['`npm test` passes', 'command: npm test'],
    ['http://localhost:1/x answers 200', 'http: http://localhost:1/x 200'],
    ['draft.txt does not exist', 'file: draft.txt is absent'],
    ['src/a.ts is unchanged', 'unchanged: src/a.ts'],
    ['FILE: report.md', 'file: report.md'],
    ['file:report.md', 'file: report.md'],
    ['`file: report.md`', 'file: report.md'],
    ['file : report.md', 'file: report.md'],
  ])('"%s" means "%s"', (said, form) => {
    expect(parseCheck(said)).toEqual(read(form));
  });

  it.each([
    'report.md exists and is well written',
    'The report contains "Total"',
    'A summary exists',
    'npm test passes',
    'The page answers 200',
    'Note: file: x',
    'prose: exists: out.txt',
    'http://example.org is nice',
    'https://example.org/a is up to date',
    'report.md contains the totals',
    '',
  ])('"%s" is prose', (text) => {
    expect(parseCheck(text)).toBeNull();
  });

  it.each<[string, string]>([
    ['file:', 'give a path'],
    ['file: the report', '"report" is not understood'],
    ['file: /etc/passwd', 'is not a path inside'],
    ['file: ../x', 'is not a path inside'],
    ['contains: a.md', 'give the text'],
    ['contains: a.md ""', 'give the text'],
    ['matches: a.md Total', 'between slashes'],
    ['matches: a.md /(/', 'Invalid regular expression'],
    [String.raw`matches: a.md /(a)\1/`, 'not supported'],
    ['json: a.json {"type":"strin"}', '$.type in the schema has a wrong value'],
    ['json: a.json {"properties":{"a":{"oneOf":[]}}}', 'oneOf in the schema is not supported'],
    ['json: a.json {"type"', 'the schema is not JSON'],
    ['json: a.json items', 'neither a schema'],
    ['rows: a.csv many', 'say how many'],
    ['command:', 'give the command'],
    ['http: ftp://x', 'give an address'],
    ['unchanged: /etc/**', 'is not inside'],
  ])('"%s" is a problem that says how it is written', (text, problem) => {
    expect(parseCheck(text)).toEqual({ kind: 'problem', problem: expect.stringContaining(problem) });
    expect(parseCheck(text)).toMatchObject({ problem: expect.stringContaining(' is written like: ') });
  });
});

describe('a word before a colon that is no check', () => {
  const words = GRAMMAR.map(({ word }) => word);

  it.each<[string, string]>([
    ['exists: out.txt', 'file: out.txt'],
    ['fiel: out.txt', 'file: out.txt'],
    ['dir: site', 'folder: site'],
    ['contain: a.md "x"', 'contains: a.md "x"'],
    ['regex: a.md /x/', 'matches: a.md /x/'],
    ['lines: a.csv >= 2', 'rows: a.csv >= 2'],
    ['run: npm test', 'command: npm test'],
    ['url: https://example.org', 'http: https://example.org'],
    ['file-exists: out.txt', 'file: out.txt'],
    ['unchaged: src/**', 'unchanged: src/**'],
  ])('"%s" is a problem that suggests "%s" and lists the ten words', (text, suggestion) => {
    const found = parseCheck(text);
    expect(found).toMatchObject({ kind: 'problem', problem: expect.stringContaining(`did you mean "${suggestion}"?`) });
    expect(words).toHaveLength(10);
    for (const word of words)
      expect(found).toMatchObject({ problem: expect.stringMatching(new RegExp(`[ ,]${word} \\(`)) });
  });

  it('is never taken as prose, also when nothing is close, and the message says how prose is written', () => {
    expect(parseCriterion('zusammenfassung: gut', 'operator')).toEqual({
      problem: expect.stringMatching(
        /^"zusammenfassung: gut": "zusammenfassung" is not a check\. The checks are: file .*"prose: zusammenfassung: gut"$/,
      ),
    });
    expect(parseCheck('prüfung: gut')).toMatchObject({ kind: 'problem' });
    expect(parseCheck('prose:')).toMatchObject({
      kind: 'problem',
      problem: expect.stringContaining('give the sentence'),
    });
  });

  it('no lower-case word but the ten and "prose" passes', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), fc.string(), (word, rest) => {
        fc.pre(![...words, 'prose'].includes(word) && !rest.startsWith('//') && !rest.startsWith('\n'));
        expect(parseCheck(`${word}: ${rest}`)).toMatchObject({ kind: 'problem' });
      }),
    );
  });
});

describe('the acceptance of a step', () => {
  it.each(GRAMMAR.flatMap(({ examples }) => examples))('takes "%s"', (text) => {
    expect(stepAcceptanceProblem(text)).toBeNull();
  });

  it.each<[string, string]>([
    ['It reads well', '"It reads well" is prose, and a step accepts checks only: file, folder, contains'],
    ['prose: exists: x', 'is prose, and a step accepts checks only'],
    ['exists: out.txt', '"exists: out.txt": "exists" is not a check, did you mean "file: out.txt"?'],
    ['file: ../x', 'is not a path inside'],
    ['', 'is prose'],
  ])('does not take "%s"', (text, problem) => {
    expect(stepAcceptanceProblem(text)).toContain(problem);
    expect(stepAcceptanceProblem(text)).not.toContain('is written "prose:');
  });
});

describe('checks on a real desk, through the real tools', () => {
  it.each<[string, boolean, string]>([
    ['file: report.md', true, 'report.md has 20 bytes'],
    ['file: nothing.md', false, 'nothing.md is not there'],
    ['file: nowhere/at/all.md', false, 'is not there'],
    ['file: empty.txt', true, '0 bytes'],
    ['file: empty.txt is not empty', false, '0 bytes'],
    ['file: draft.txt is absent', true, 'is not there'],
    ['file: report.md is absent', false, '20 bytes'],
    ['file: site', false, 'is a folder'],
    ['file: site is absent', false, 'is a folder'],
    ['file: "with space.md"', true, '1 bytes'],
    ['folder: site is not empty', true, 'has something in it'],
    ['folder: bare is not empty', false, 'is empty'],
    ['folder: nosite', false, 'is not there'],
    ['contains: report.md "Total"', true, 'report.md, line 3: "Total: 12"'],
    ['contains: report.md "Sum"', false, '"Sum" is not in report.md'],
    ['contains: bytes.bin "x"', false, 'is not text'],
    ['contains: long.txt "éNEEDLEx"', true, 'long.txt, line 1'],
    ['contains: long.txt "NEEDLES"', false, 'is not in long.txt'],
    ['lacks: report.md "TODO"', true, 'is not in report.md'],
    ['lacks: report.md "Total"', false, 'line 3'],
    ['lacks: nothing.md "TODO"', false, 'is not there'],
    [String.raw`matches: report.md /^Total: \d+/m`, true, 'line 3: "Total: 12"'],
    [String.raw`matches: report.md /^Total: \d+/`, false, 'nothing in report.md matches'],
    ['matches: long.txt /^last/m', true, 'line 2'],
    ['json: data.json', true, 'is JSON'],
    ['json: broken.json', false, 'is not JSON'],
    ['json: data.json items.length >= 3', true, 'items.length is 3'],
    ['json: data.json list.length == 9', true, 'list.length is 9'],
    ['json: data.json items.length>3', false, 'items.length is 3'],
    ['json: data.json items[0].name == "a"', true, 'items.0.name is "a"'],
    ['json: data.json items[0].name == b', false, 'is "a"'],
    ['json: data.json total > 3', true, 'total is 3.5'],
    ['json: data.json total > "3"', false, 'total is 3.5'],
    ['json: data.json nobody != 3', false, 'nobody is not there'],
    ['json: data.json items exists', true, 'items is ['],
    ['json: list.json length == 2', true, 'length is 2'],
    [
      'json: data.json {"type":"object","required":["items"],"properties":{"items":{"type":"array","minItems":3,"items":{"required":["name"],"properties":{"name":{"type":"string","pattern":"^[a-c]$"}}}}}}',
      true,
      'it matches',
    ],
    ['json: data.json {"required":["items","owner"]}', false, '$.owner is missing'],
    ['json: data.json {"properties":{"total":{"type":"integer"}}}', false, '$.total is not integer'],
    ['json: data.json {"additionalProperties":false,"properties":{"items":{}}}', false, '$.total is not expected'],
    ['json: list.json {"items":{"maximum":1}}', false, '$[1] is above 1'],
    ['rows: out.csv >= 2', true, '2 rows'],
    ['rows: out.csv > 2', false, '2 rows'],
    ['rows: names.txt == 3', true, '3 rows'],
    ['rows: list.json at least 2', true, '2 rows'],
    ['rows: data.json 1', false, 'not a list'],
    ['command: test -s report.md', true, 'exit 0'],
    ['command: echo no >&2; exit 3', false, 'exit 3'],
    ['command: nosuchprogram', false, 'exit 127'],
    ['http: ORIGIN/health', true, 'answered 200'],
    ['http: ORIGIN/health 204', false, 'answered 200'],
    ['http: ORIGIN/other', false, 'answered 404'],
    ['http: ORIGIN/other 404', true, 'answered 404'],
    ['http: http://127.0.0.1:1/', false, '127.0.0.1:1'],
  ])('%s: %s', async (text, holds, evidence) => {
    const finding = await tried(text);
    expect(finding).toEqual({ holds, evidence: expect.stringContaining(evidence), seen: true });
  });

  it('paths are those of the folder of the task', async () => {
    expect(await tried('file: index.html', { dir: 'site' })).toMatchObject({ holds: true });
    expect(await tried('file: site/index.html', { dir: 'site/' })).toMatchObject({ holds: true });
    expect(await tried('command: test -f index.html', { dir: 'site' })).toMatchObject({ holds: true });
    const model = { dir: 'site', author: 'model' as const };
    expect(await tried('command: test -f site/index.html', model)).toMatchObject({ holds: true });
    expect(await tried('command: test -f index.html', model)).toMatchObject({ holds: false });
    expect(await tried('file: site/index.html', model)).toMatchObject({ holds: true });
    expect(await tried('unchanged: src/**', { dir: 'site', changed: ['src/a.ts'] })).toMatchObject({ holds: true });
  });

  it('unchanged is judged by what the run changed, and does not hold when that is not known', async () => {
    expect(await tried('unchanged: src/** package.json', { changed: ['out/a', 'lib/src/b'] })).toMatchObject({
      holds: true,
    });
    expect(await tried('unchanged: src', { changed: ['src/deep/a.ts'] })).toMatchObject({
      holds: false,
      evidence: 'changed: src/deep/a.ts',
    });
    expect(await tried('unchanged: src/**')).toMatchObject({ holds: false, seen: false });
    expect(await tried('unchanged: src/**', { changed: null })).toMatchObject({ holds: false, seen: false });
  });
});

describe('C1 a check whose subject could not be read has not passed', () => {
  const outcomes: Outcome[] = [
    { status: 'denied', error: 'no' },
    { status: 'cancelled', error: 'stopped' },
    { status: 'waiting', for: { kind: 'question', text: '?' } },
    { status: 'ok', output: null },
    { status: 'ok', output: 'size: 3' },
  ];
  const forms = GRAMMAR.flatMap(({ examples }) => examples);

  it.each(forms)('%s', (text) => {
    const check = read(text);
    expect(judgeCheck(check, [])).toMatchObject({ holds: false, seen: false });
    for (const outcome of outcomes) expect(judgeCheck(check, [outcome])).toMatchObject({ holds: false, seen: false });
  });

  it('C2 a text is not said to be missing when only a part of the file was read, or when it changed meanwhile', () => {
    const part = (size: number): Outcome => ({
      status: 'ok',
      output: { path: 'a', size, content: 'x', binary: false },
    });
    const check = read('lacks: a "y"');
    expect(judgeCheck(check, [part(70_000)])).toMatchObject({ holds: false, seen: false });
    expect(judgeCheck(check, [part(70_000), part(70_001)])).toMatchObject({
      holds: false,
      seen: false,
      evidence: 'a changed while it was read',
    });
    expect(judgeCheck(check, [part(70_000), part(70_000)])).toMatchObject({ holds: true });
    expect(nextCheckCalls(check, {}, [part(10_000_000)])).toEqual([]);
  });

  it('evidence is one bounded line without anything invisible', () => {
    const { evidence } = judgeCheck(read('command: x'), [
      { status: 'failed', error: `\u202e\u001b[31m\n${'long '.repeat(1000)}` },
    ]);
    expect(evidence.length).toBeLessThanOrEqual(1000);
    for (const hidden of ['\n', '\u202e', '\u001b']) expect(evidence).not.toContain(hidden);
  });

  it('every step of a runbook has to be done; a fallback of its author counts and is reported', () => {
    const end = (id: string, status: 'done' | 'failed' | 'pending' | 'skipped', fallback = false) => ({
      id,
      status,
      reason: 'exit 1',
      fallback,
    });
    const look = (...steps: ReturnType<typeof end>[]): Finding => judgeCheck({ kind: 'steps' }, [], { steps });
    expect(look(end('a', 'done'), end('b', 'done', true))).toEqual({
      holds: true,
      evidence: '2 of 2 steps are done; with the fallback of b',
      seen: true,
    });
    for (const status of ['failed', 'pending', 'skipped'] as const)
      expect(look(end('a', 'done'), end('b', status))).toMatchObject({
        holds: false,
        evidence: `b is ${status} (exit 1)`,
      });
    expect(look()).toMatchObject({ holds: false });
  });
});
