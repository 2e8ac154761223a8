import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../rooms/task/roles/seed.ts';
import { checkGraph } from '../../../src/core/engine/check-graph.ts';
import { fillTemplate } from '../../../src/core/engine/template.ts';
import { EVERY_STEP } from '../../../src/kit/task/criteria.ts';
import { readTaskCriteria, type Runbook, parseRunbook } from '../../../src/kit/task/runbook.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { TaskFile } from '../../../src/core/schema/task-file.ts';

function runbook(text: string, task: TaskFile = {}): Runbook {
  const read = parseRunbook(text, task);
  if (read?.kind !== 'runbook') throw new Error(`not a runbook: ${JSON.stringify(read)}`);
  return read;
}

function problems(text: string, task: TaskFile = {}): [number, string][] {
  const read = parseRunbook(text, task);
  return read?.kind === 'problems' ? read.problems.map(({ line, problem }) => [line, problem]) : [];
}

const fence = (info: string, code = 'true'): string => `\`\`\`${info}\n${code}\n\`\`\`\n`;

/** What the tool is given when the node starts. */
function inputs({ graph, input }: Runbook): Json[] {
  return graph.nodes.map((node) => fillTemplate(node.input ?? null, (name) => (name === 'input' ? input : undefined)));
}

describe('fences become steps', () => {
  it('in order, each after the one before, named and titled by heading or numbered step', () => {
    const { graph, steps, author } = runbook(
      `# Weekly report\n\n${fence('bash', 'fetch')}\n## Clean *up* \`data\`:\n\n${fence('python', 'print(1)')}\n1. Draw the chart\n\n   \`\`\`js\n   draw()\n   \`\`\`\n`,
    );
    expect(steps.map(({ id, title, line, language }) => [id, title, line, language])).toEqual([
      ['weekly-report', 'Weekly report', 3, 'shell'],
      ['clean-up-data', 'Clean up data', 9, 'python'],
      ['draw-the-chart', 'Draw the chart', 15, 'javascript'],
    ]);
    expect(graph.nodes.map(({ needs }) => needs)).toEqual([[], ['weekly-report'], ['clean-up-data']]);
    expect(author).toBe('operator');
    expect(checkGraph(graph, { tools: new Set(['shell']) })).toEqual([]);
  });

  it('code goes to the shell tool: a line for bash, a program with its code for others', () => {
    const all = ['bash', 'sh', 'shell', 'python', 'py', 'js', 'javascript', 'node', 'BASH'];
    const read = runbook(all.map((language) => fence(language, 'x')).join('\n'));
    const shell = { line: 'x', timeout_seconds: 600 };
    const python = { argv: ['python3', '-c', 'x'], timeout_seconds: 600 };
    const node = { argv: ['node', '-e', 'x'], timeout_seconds: 600 };
    expect(inputs(read)).toEqual([shell, shell, shell, python, python, node, node, node, shell]);
  });

  it('R1 other fences are not executed', () => {
    const text = ['json', 'text', 'output', '', 'console', 'bashful', 'yaml'].map((info) => fence(info)).join('\n');
    expect(parseRunbook(text, {})).toBeNull();
    expect(runbook(`${text}${fence('bash')}`).steps).toHaveLength(1);
  });

  it('R3 each line of a block has to succeed, and line numbers stay those of the fence', () => {
    const [one, several] = inputs(runbook(`${fence('bash', 'false; true')}${fence('bash', '# first\nfalse\ntrue')}`));
    expect(one).toMatchObject({ line: 'false; true' });
    expect(several).toMatchObject({ line: 'set -e; # first\nfalse\ntrue' });
  });

  it('a task without fences is prose', () => {
    expect(parseRunbook('# Title\n\nPlease tidy up `a` and ```b```.', {})).toBeNull();
    expect(parseRunbook('', {})).toBeNull();
  });
});

describe('what a fence says of itself', () => {
  it('id, needs, timeout, fallback, net and dir, in several spellings', () => {
    const read = runbook(
      [
        fence('bash id:fetch timeout:30 net:yes net_refused:ok'),
        fence("bash {id=clean needs= timeout=5m dir='a b'}"),
        fence('bash id: report needs: fetch, clean fallback:"no \\"data\\"" net:api.example.org,*.b.org'),
        fence('bash needs:none fallback:{"exit":0} net:no key:order-4711'),
      ].join('\n'),
      { dir: 'site' },
    );
    expect(read.graph.nodes.map(({ id, needs }) => [id, needs])).toEqual([
      ['fetch', []],
      ['clean', []],
      ['report', ['fetch', 'clean']],
      ['step-4', []],
    ]);
    expect(inputs(read)).toEqual([
      { line: 'true', dir: 'site', timeout_seconds: 30, net: true, net_refused: 'ok' },
      { line: 'true', dir: 'site/a b', timeout_seconds: 300 },
      { line: 'true', dir: 'site', timeout_seconds: 600, net: ['api.example.org', '*.b.org'] },
      { line: 'true', dir: 'site', timeout_seconds: 600, key: 'order-4711' },
    ]);
    expect(read.graph.nodes.map(({ on_error, fallback }) => [on_error, fallback])).toEqual([
      ['fail', undefined],
      ['fail', undefined],
      ['fallback', 'no "data"'],
      ['fallback', { exit: 0 }],
    ]);
  });

  it.each<[string, string]>([
    ['bash ident:x', '"ident" is not known; there is: id:report'],
    ['bash skip', '"skip" is not understood'],
    ['bash secrets:gh-token', 'secrets "gh-token" is not a list of names in capital letters'],
    ['bash secrets:', 'secrets "" is not a list of names'],
    ['bash id:a id:b', 'id is given twice'],
    ['bash id:1x', 'id "1x" is not a name'],
    ['bash id:', 'id "" is not a name'],
    ['bash id:ünï', 'is not a name'],
    ['bash id:input', '"input" cannot be the id of a step'],
    ['bash timeout:soon', 'timeout "soon" is not a time'],
    ['bash timeout:0', 'is not a time'],
    ['bash timeout:25h', 'is not a time'],
    ['bash timeout:-1', 'is not a time'],
    ['bash needs:other', 'needs "other", but no step has this id'],
    ['bash id:me needs:me', 'these steps wait for each other: me'],
    ['bash dir:../up', 'is not inside'],
    ['bash dir:/etc', 'is not inside'],
    ['bash net:maybe/', 'neither yes or no nor a list of hosts'],
    ['bash fallback:', 'fallback has no value'],
    ['bash constructor:1', '"constructor" is not known'],
  ])('%s is a problem with its line', (info, problem) => {
    expect(problems(`# x\n\n${fence(info)}`)).toEqual([[3, expect.stringContaining(problem)]]);
  });

  it('R4 all problems come at once, in the order of their lines', () => {
    const text = `${fence('bash id:a needs:x')}${fence('bash id:a')}${fence('bash y:1')}\`\`\`json\n`;
    expect(problems(text).map(([line]) => line)).toEqual([1, 4, 7, 10]);
  });

  it('duplicate ids name the line of the first, circles their members', () => {
    expect(problems(`${fence('bash id:a')}${fence('bash id:a')}`)).toEqual([
      [4, 'id "a" is taken by the step in line 1'],
    ]);
    const circle = `${fence('bash id:a needs:c')}${fence('bash id:b')}${fence('bash id:c')}${fence('bash id:d needs:none')}`;
    expect(problems(circle)).toEqual([[1, 'these steps wait for each other: a, b, c']]);
  });

  it('empty, oversized and NUL-ridden code is refused; what just fits is not', () => {
    expect(problems(fence('bash', ' \n'))).toEqual([[1, 'this block is empty']]);
    expect(problems(fence('bash', 'a\0b'))).toEqual([[1, 'this block has a NUL in it']]);
    expect(problems(fence('python', 'é'.repeat(60_000)))[0]?.[1]).toContain('120000 bytes, more than 99000');
    expect(problems(fence('python', 'x'.repeat(99_000)))).toEqual([]);
  });

  it('lines are counted from where the body begins in the file', () => {
    const read = parseRunbook(fence('bash x:1'), {}, { firstLine: 7 });
    expect(read).toMatchObject({ kind: 'problems', problems: [{ line: 7 }] });
  });

  it('a folder of the task outside the desk is a problem', () => {
    expect(problems(fence('bash'), { dir: '../x' })).toEqual([[1, 'dir "../x" is not inside the desk']]);
  });
});

describe('names', () => {
  it('derived names are made free of each other, of given ones and of words with a meaning', () => {
    const { steps } = runbook(
      ['# Input', '# Build', '# Build', '# 2 Résumé', '# 日本', '# last']
        .map((h) => `${h}\n${fence('bash')}`)
        .join('\n') + `# x\n${fence('bash id:build')}${fence('bash')}`,
    );
    expect(steps.map(({ id }) => id)).toEqual([
      'input-2',
      'build-2',
      'build-3',
      'step-2-resume',
      'step-5',
      'last-2',
      'build',
      'x',
    ]);
  });

  it('several fences below one heading get numbers in their titles', () => {
    const { steps } = runbook(`## Build\n${fence('bash')}${fence('bash')}`);
    expect(steps.map(({ title }) => title)).toEqual(['Build', 'Build (2)']);
  });

  it('too many steps are a problem, found at once', () => {
    expect(problems(`# x\n${fence('bash').repeat(20_000)}`)).toEqual([
      [1, 'there are 20000 steps; a runbook has at most 500'],
    ]);
  });

  it('a very long heading gives a name that fits', () => {
    const { graph } = runbook(`# ${'long word '.repeat(100)}\n${fence('bash')}${fence('bash')}`);
    expect(graph.nodes.every(({ id }) => id.length <= 80)).toBe(true);
  });
});

describe('R2 code is no template', () => {
  it.each(['echo {{name}}', 'echo {{input.x}} {{last}}', "docker inspect -f '{{.Name}}'", 'f"{{x}}"', '{{ a.b }}'])(
    '%s reaches the tool as it is',
    (code) => {
      const read = runbook(`${fence('bash id:__proto__', code)}${fence('python', code)}`);
      expect(inputs(read)).toEqual([
        { line: code, timeout_seconds: 600 },
        { argv: ['python3', '-c', code], timeout_seconds: 600 },
      ]);
      expect(checkGraph(read.graph)).toEqual([]);
    },
  );

  it('for any code', () => {
    const piece = fc.constantFrom('{{', '}}', 'a', '.', ' ', 'input', 'last', '\n', '$(x)', '"', "'");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const code = `x${pieces.join('')}`;
        expect(inputs(runbook(fence('python', code)))).toEqual([
          { argv: ['python3', '-c', code], timeout_seconds: 600 },
        ]);
      }),
    );
  });
});

describe('modes and budgets of the task', () => {
  it.each(['strict', 'bounded', 'flex'] as const)('mode %s has the bounds that the engine asks for', (mode) => {
    const { graph } = runbook(`${fence('bash id:a')}${fence('bash id:b', 'x')}`, {
      mode,
      budget: { seconds: 60 },
      id: 'job',
    });
    expect(checkGraph(graph)).toEqual([]);
    expect(graph).toMatchObject({ id: 'job', mode, budgets: { seconds: 60 } });
  });
});

describe('accept on a fence', () => {
  it('becomes the acceptance of the step, once for each check, as it was written', () => {
    const info = String.raw`bash accept:"file: out.csv, is not empty" accept:'matches: a.md /^Total: \d+/m' accept="contains: a.md \"x, y\""`;
    const read = parseRunbook(fence(info.replace(', is', ' is')), {});
    expect(read).toMatchObject({
      kind: 'runbook',
      graph: {
        nodes: [
          {
            acceptance: [
              'file: out.csv is not empty',
              String.raw`matches: a.md /^Total: \d+/m`,
              'contains: a.md "x, y"',
            ],
          },
        ],
      },
    });
  });

  it.each<[string, string]>([
    ['accept:"exists: a.txt"', 'accept: "exists: a.txt": "exists" is not a check, did you mean "file: a.txt"?'],
    ['accept:"It is good"', 'is prose, and a step accepts checks only'],
    ['accept:"prose: It is good"', 'is prose, and a step accepts checks only'],
    ['accept:""', 'is prose, and a step accepts checks only'],
    ['accept:', 'is prose, and a step accepts checks only'],
  ])('%s is a problem at the line of the fence', (info, problem) => {
    expect(problems(`Text\n\n${fence(`bash ${info}`)}`)).toEqual([[3, expect.stringContaining(problem)]]);
  });
});

describe('criteria', () => {
  const texts = (text: string, accept?: string[]): string[] =>
    readTaskCriteria(text, accept === undefined ? {} : { accept }).criteria.map((each) => each.text);

  it.each<[string, string, string[]]>([
    ['a heading', '## Done when\n\n- file: a\n- It reads well\n\n## Next\n- no', ['file: a', 'It reads well']],
    ['a task list', '### Acceptance criteria:\n- [ ] file: a\n- [x] file: b', ['file: a', 'file: b']],
    ['numbers', '# Accept\n1. file: a\n2. file: b', ['file: a', 'file: b']],
    ['a line of text', 'Done when:\n\n- It is\n  good\n\nAnd then\n- no', ['It is good']],
    ['bold', '**Done when:**\n- file: a', ['file: a']],
    ['one line', 'Do it.\n\nDone when: report.md exists.', ['report.md exists.']],
    ['a paragraph', '## Done when\n\nreport.md exists', ['report.md exists']],
    ['a shell block', '## Done when\n```bash\ntest -f a\n```', ['command: test -f a']],
    [
      'a python block',
      "## Done when\n```python\nprint('a')\n```",
      [String.raw`command: python3 -c 'print('\''a'\'')'`],
    ],
    ['none', 'Done when I say so.\n- a', []],
  ])('are read from %s', (_, text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('those of the front matter come first, each once', () => {
    expect(texts('## Done when\n- file: a\n- file: b', ['file: b', ' It is good '])).toEqual([
      'file: b',
      'It is good',
      'file: a',
    ]);
  });

  it('a check that cannot be understood is a problem with its line, not prose', () => {
    expect(problems(`${fence('bash')}\n## Done when\n- json: a.json {"typ":1}\n`)).toEqual([
      [6, expect.stringContaining('$.typ in the schema is not supported')],
    ]);
  });

  it('a word that is no check is a problem with its field or line', () => {
    expect(problems(`${fence('bash')}\n## Done when\n- exists: b.txt\n`, { accept: ['file: a', 'exists: a'] })).toEqual(
      [
        [1, expect.stringContaining('accept[1]: "exists: a": "exists" is not a check, did you mean "file: a"?')],
        [6, expect.stringContaining('"exists: b.txt": "exists" is not a check')],
      ],
    );
    expect(readTaskCriteria('- x', { accept: ['exists: a'] }).problems).toHaveLength(1);
    expect(texts('x', ['prose: exists: a'])).toEqual(['prose: exists: a']);
  });

  it('a fence and a numbered list among the criteria are no steps', () => {
    const { steps, criteria } = runbook(`${fence('bash')}\n## Done when\n1. file: a\n\n${fence('bash', 'test -f a')}`);
    expect(steps).toHaveLength(1);
    expect(criteria.map(({ text, author }) => [text, author])).toEqual([
      ['file: a', 'operator'],
      ['command: test -f a', 'operator'],
    ]);
  });

  it('without any, every step has to end with 0', () => {
    expect(runbook(fence('bash')).criteria).toEqual([EVERY_STEP]);
  });
});

describe('characters that nobody sees', () => {
  it.each([
    ['a space without width', 'echo one\nrm\u200B -r a', 'line 2', 'U+200B'],
    ['text that is turned around', 'echo \u202Ea', 'line 1', 'U+202E'],
    ['an escape', 'echo \u001b[2J', 'line 1', 'U+001B'],
    ['a Hangul filler', 'echo \u3164', 'line 1', 'U+3164'],
  ])('%s in a command is refused', (_, code, line, name) => {
    for (const language of ['bash', 'python'])
      expect(problems(`Go.\n\n${fence(language, code)}`)).toEqual([
        [3, expect.stringMatching(`${line} .*${name.replace('+', '\\+')}`)],
      ]);
  });

  it('tabs and letters of other scripts are not', () => {
    expect(problems(fence('bash', 'echo\t日本語 ü'))).toEqual([]);
  });
});
