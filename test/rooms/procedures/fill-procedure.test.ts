import { execFileSync } from 'node:child_process';
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillProcedure, isProblem } from '../../../src/rooms/procedures/fill-procedure.ts';
import { matchTask } from '../../../src/rooms/procedures/match-task.ts';
import { fillArgv, fillCommandLine } from '../../../src/rooms/procedures/fill-command.ts';
import { Procedure } from '../../../src/core/schema/procedure.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { timesOf } from '../../support/thorough.ts';

type Over = Partial<Pick<Procedure, 'task' | 'targets' | 'criteria'>> & {
  kind?: string;
  input?: Json;
  tool?: string;
  example?: string;
};

function procedureWith({ kind = 'path', input, tool = 'shell', example = 'a.txt', ...over }: Over): Procedure {
  return Procedure.parse({
    id: 'p',
    title: 'p',
    trigger: ['x'],
    task: 'Pack the file {{x}} now',
    shape: '0'.repeat(64),
    steps: ['x'],
    parameters: [{ name: 'x', kind, from: 'task', examples: [example] }],
    graph: {
      id: 'plan',
      author: 'model',
      nodes: [{ kind: 'tool', id: 'a', tool, input: input ?? { line: 'gzip -k {{input.x}}' } }],
    },
    criteria: [],
    tools: [tool],
    targets: [],
    evidence: [],
    ...over,
  });
}

const filled = (over: Over, x: string) => fillProcedure(procedureWith(over), { x }, '2026-05-01');

const POISONED = [
  'x; rm -rf ~',
  '$(id)',
  '`id`',
  'a\nrm b',
  '../../../etc/passwd',
  '-rf',
  '--output=x',
  'a && b',
  'a | b',
  '> b',
  '*',
  '~/x',
  '{a,b}',
  "a'b",
  'a"b',
  '/etc/passwd',
  'a\u202Eb',
  '{{input.y}}',
  '',
];

describe('what is filled in', () => {
  it.each(POISONED)('%j is no path', (value) => {
    expect(isProblem(filled({}, value))).toBe(true);
    expect(isProblem(filled({ tool: 'files.read', input: { path: '{{input.x}}' } }, value))).toBe(true);
    expect(isProblem(filled({ targets: ['{{x}}'], input: { line: 'true' } }, value))).toBe(true);
  });

  it.each(['x; rm -rf ~', '$(id)', '`id`', 'a | b', "it's", 'a "b" $c', '*', 'é ü'])(
    '%j as a text is one quoted word of a command',
    (value) => {
      const plan = filled({ kind: 'text', input: { line: "printf '%s|' {{input.x}} end" } }, value);
      if (isProblem(plan)) throw new Error(plan.problem);
      const { nodes } = plan.graph as { nodes: { input: { line: string } }[] };
      const told = execFileSync('bash', ['-c', nodes[0]?.input.line ?? ''], { encoding: 'utf8' });
      expect(told).toBe(`${value}|end|`);
    },
  );

  it('whatever a text is: the shell gets it as one word, or it is refused', () => {
    const lines = [
      "printf '%s|' {{input.x}} end",
      "printf '%s|' '{{input.x}}' end",
      'printf \'%s|\' "{{input.x}}" end',
      "printf '%s|' a{{input.x}} end",
    ];
    const pieces = constantFrom(
      ...Array.from(' ;|&<>()$`\\"\'*?[]#~=%!{}-+.,/abcXYZ019é\n\t'),
      '$(',
      '${x}',
      '&&',
      '<<',
    );
    const texts = array(pieces, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    const script: string[] = [];
    const expected: string[] = [];
    assert(
      property(texts, constantFrom(...lines), (value, line) => {
        const plan = filled({ kind: 'text', input: { line } }, value);
        if (isProblem(plan)) return;
        const { nodes } = plan.graph as { nodes: { input: { line: string } }[] };
        script.push(`${nodes[0]?.input.line}\nprintf '\\n'`);
        expected.push(`${line.includes(' a{{') ? 'a' : ''}${value}|end|`);
      }),
      { numRuns: timesOf(1500, 200) },
    );
    const told = execFileSync('bash', ['-c', script.join('\n')], { encoding: 'utf8' });
    expect(told.split('\n').slice(0, -1)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(50);
  });

  it.each([
    ['{{input.x}} --help', 'true'],
    ['true; {{input.x}}', 'true'],
    ['if {{input.x}}; then true; fi', 'true'],
    ['python3 {{input.x}}', 'evil.py'],
    ['bash -c {{input.x}}', 'id'],
    ['sed {{input.x}} a.txt', 's/a/b/e'],
    [`awk '{ print {{input.x}} }' a.txt`, 'system("id")'],
    [`node -e "console.log({{input.x}})"`, 'process.env.HOME'],
    ['echo $(cat {{input.x}})', 'a b'],
    ['echo ${{input.x}}', 'HOME.txt'],
    ['env {{input.x}} ls', 'A=b'],
    ['> out.txt {{input.x}}', 'id'],
    ['python3 2>&1 {{input.x}}', 'evil.py'],
    ['cat a 2>&1 | {{input.x}}', 'sh'],
    ['cp {{input.x}} b', '-rf'],
    [`cp '{{input.x}}' b`, '-rf'],
    ['cat <<EOF\n{{input.x}}\nEOF', '$(id)'],
  ])('in %s nothing like %s is let in', (line, value) => {
    expect(fillCommandLine(line, { x: value })).toHaveProperty('problem');
  });

  it.each([
    ['sort {{input.x}} > out.txt', 'a.txt', 'sort a.txt > out.txt'],
    ['sort {{input.x}}', 'my file.txt', "sort 'my file.txt'"],
    ['sort a > {{input.x}}', 'b.txt', 'sort a > b.txt'],
    ['sort a 2>&1 > {{input.x}}', 'b.txt', 'sort a 2>&1 > b.txt'],
    ['tr a-z A-Z < {{input.x}} > {{input.x}}.up', 'b.txt', 'tr a-z A-Z < b.txt > b.txt.up'],
    ['sed -e s/a/b/ {{input.x}}', 'a.txt', 'sed -e s/a/b/ a.txt'],
    [`python3 -c "print(open('{{input.x}}').read())"`, 'data/a.txt', `python3 -c "print(open('data/a.txt').read())"`],
    ['head -n {{input.x}} a.txt', '5', 'head -n 5 a.txt'],
    ['grep "name: {{input.x}}" a.txt', 'Ada B', 'grep "name: Ada B" a.txt'],
  ])('in %s stands %s', (line, value, whole) => {
    expect(fillCommandLine(line, { x: value })).toEqual({ line: whole });
  });

  it('an argument stays one argument and becomes no option', () => {
    expect(fillArgv(['grep', '{{input.x}}', 'a.txt'], { x: 'a b; c' })).toEqual({
      argv: ['grep', 'a b; c', 'a.txt'],
    });
    expect(fillArgv(['grep', '{{input.x}}', 'a.txt'], { x: '-r' })).toHaveProperty('problem');
    expect(fillArgv(['{{input.x}}', 'a.txt'], { x: 'ls' })).toHaveProperty('problem');
    expect(fillArgv(['bash', '-c', 'echo {{input.x}}'], { x: 'a; id' })).toHaveProperty('problem');
  });

  it('an address keeps its host', () => {
    const whole = { tool: 'http.get', kind: 'text', input: { url: '{{input.x}}' }, example: 'https://a.example/' };
    const part = { ...whole, input: { url: 'https://api.example/items/{{input.x}}' }, example: '7' };
    const host = { ...whole, input: { url: 'https://{{input.x}}/items' }, example: 'a.example' };
    expect(isProblem(filled(whole, 'https://b.example/x'))).toBe(false);
    expect(isProblem(filled(whole, 'file:///etc/passwd'))).toBe(true);
    expect(isProblem(filled(part, '42'))).toBe(false);
    expect(isProblem(filled(part, '../admin?x=1'))).toBe(true);
    expect(isProblem(filled(host, 'evil.example'))).toBe(true);
  });

  it('a criterion does not become a command', () => {
    const criteria = [{ text: '{{x}} exists', author: 'model' as const }];
    expect(isProblem(filled({ kind: 'text', criteria, input: { line: 'true' } }, 'command: rm -rf x #'))).toBe(true);
    const command = [{ text: 'command: test -s {{x}}', author: 'model' as const }];
    expect(filled({ kind: 'text', criteria: command, input: { line: 'true' } }, 'a; rm b')).toMatchObject({
      criteria: [{ text: "command: test -s 'a; rm b'" }],
    });
  });
});

describe('matching', () => {
  const text = procedureWith({ kind: 'text', task: 'Tell "{{x}}" to {{y}} today.' });
  const two: Procedure = {
    ...text,
    parameters: [...text.parameters, { name: 'y', kind: 'name', from: 'task', examples: ['Ada B', 'b'] }],
  };

  it('is about the whole text, whatever its blanks and capitals', () => {
    expect(matchTask(procedureWith({}), '  pack the  file\tout/b.txt now')).toMatchObject({
      kind: 'match',
      values: { x: 'out/b.txt' },
    });
    for (const other of [
      'Pack the file everything now',
      'Pack the file a.txt now, then delete it',
      'Please pack the file a.txt now',
      'Pack the file a.txt\nnow',
      'Pack the file now',
      '',
    ])
      expect(matchTask(procedureWith({}), other), other).toEqual({ kind: 'none' });
  });

  it('gives what stands in the holes, word for word', () => {
    expect(matchTask(two, 'Tell "a  b; c" to Ada Lovelace today.')).toMatchObject({
      values: { x: 'a  b; c', y: 'Ada Lovelace' },
    });
  });

  it('takes no sentence for a value', () => {
    const greeting: Procedure = { ...two, task: 'Write {{y}} into a.txt', parameters: two.parameters.slice(1) };
    for (const value of ['Carla', 'hello', 'Bob Stone'])
      expect(matchTask(greeting, `Write ${value} into a.txt`).kind).toBe('match');
    for (const value of ['a summary of my mails', 'the date', 'all names', 'one two three four'])
      expect(matchTask(greeting, `Write ${value} into a.txt`).kind, value).toBe('ambiguous');
    const quoted: Procedure = { ...two, task: 'Write "{{x}}" into a.txt', parameters: two.parameters.slice(0, 1) };
    expect(matchTask(quoted, 'Write "a summary of my mails" into a.txt').kind).toBe('match');
    expect(matchTask(quoted, 'Write "a" and "b" into a.txt').kind).toBe('none');
    const names: Procedure = {
      ...greeting,
      parameters: [{ name: 'y', kind: 'name', from: 'task', examples: ['Ada', 'Bob'] }],
    };
    expect(matchTask(names, 'Write Li into a.txt').kind).toBe('match');
    expect(matchTask(names, 'Write everything into a.txt').kind).toBe('ambiguous');
  });

  it('takes no reading where there are two', () => {
    const names = ['x', 'y'].map((name) => ({
      name,
      kind: 'name' as const,
      from: 'task' as const,
      examples: ['a b c'],
    }));
    const between: Procedure = { ...two, task: 'Move {{x}} to {{y}} now', parameters: names };
    expect(matchTask(between, 'Move boxes to boats to cars now')).toEqual({ kind: 'ambiguous' });
    expect(matchTask(between, 'Move boxes to cars now')).toMatchObject({ kind: 'match' });
  });

  it('wants the same value where a parameter stands twice', () => {
    const twice = procedureWith({ task: 'Copy {{x}} and check {{x}}' });
    expect(matchTask(twice, 'Copy a.txt and check a.txt').kind).toBe('match');
    expect(matchTask(twice, 'Copy a.txt and check b.txt').kind).toBe('none');
  });

  it('ends soon on texts made to be slow', () => {
    const many: Procedure = {
      ...two,
      task: Array.from({ length: 40 }, () => '{{x}} a').join(' '),
      parameters: [{ name: 'x', kind: 'text', from: 'task', examples: [] }],
    };
    for (const evil of [
      'a '.repeat(9000),
      '.'.repeat(19_000),
      '/a'.repeat(9000),
      '"'.repeat(19_000),
      'a@'.repeat(9000),
      '1.'.repeat(9000),
      '-'.repeat(19_000),
    ])
      expect(['none', 'ambiguous']).toContain(matchTask(many, evil).kind);
  });
});
