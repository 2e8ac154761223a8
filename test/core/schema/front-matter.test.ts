import matter from 'gray-matter';
import { afterEach, describe, expect, it } from 'vitest';
import { OkaError } from '../../../src/core/schema/errors.ts';
import { linesIn, readFrontMatter } from '../../../src/core/schema/front-matter.ts';

const read = (text: string) => readFrontMatter(text, 'task.md');
const readYaml = (yaml: string) => read(`---\n${yaml}\n---\nbody\n`).data;

describe('what is read', () => {
  it('splits a file into the data between the fences and the body behind them', () => {
    const { data, body } = read('---\ntitle: Tidy up\ntags: [a, b]\nbudget:\n  usd: 0.5\n---\n\n# Heading\n');
    expect(data).toEqual({ title: 'Tidy up', tags: ['a', 'b'], budget: { usd: 0.5 } });
    expect(body).toBe('\n# Heading\n');
  });

  it.each([
    '',
    'just text',
    '# Heading\n\n---\n\nand a rule below\n',
    '\n---\n\nA rule, then text.\n',
    '----\nA longer rule: then text.\n',
    '- a: 1\n- b: 2\n',
    '***\n',
  ])('takes %j, which does not open with a fence, as body alone', (text) =>
    expect(read(text)).toEqual({ data: {}, body: text }),
  );

  it('reads a file whose lines end with a carriage return alone', () => {
    expect(read('---\rtitle: x\r---\rone\rtwo\r')).toEqual({ data: { title: 'x' }, body: 'one\ntwo\n' });
  });

  it.each(['---\n---\nbody', '---\n\n---\nbody', '---\n# a comment\n---\nbody'])(
    'reads empty front matter %j as no data',
    (text) => expect(read(text)).toEqual({ data: {}, body: 'body' }),
  );

  it('reads Windows line ends like others', () => {
    expect(read('---\r\ntitle: x\r\nsteps: |\r\n  one\r\n  two\r\n---\r\nline\r\n')).toEqual({
      data: { title: 'x', steps: 'one\ntwo\n' },
      body: 'line\n',
    });
  });

  it('ignores a byte order mark, with and without front matter', () => {
    expect(read('\uFEFF---\ntitle: x\n---\nbody')).toEqual({ data: { title: 'x' }, body: 'body' });
    expect(read('\uFEFFbody')).toEqual({ data: {}, body: 'body' });
  });

  it('allows spaces behind a fence and keeps them out of the body', () => {
    expect(read('---  \na: 1\n--- \t\n  indented\n')).toEqual({ data: { a: 1 }, body: '  indented\n' });
  });

  it('allows the closing fence to be the end of the file', () => {
    expect(read('---\na: 1\n---')).toEqual({ data: { a: 1 }, body: '' });
  });

  it('leaves rules in the body alone', () => {
    expect(read('---\na: 1\n---\none\n---\ntwo\n').body).toBe('one\n---\ntwo\n');
  });

  it('reads words, dates and names of YAML 1.2 as what they look like', () => {
    expect(readYaml('a: yes\nb: 2026-01-02\nc: "5"\nd: 1.5\ne: true\nf:\n1: x\n<<: y')).toEqual({
      a: 'yes',
      b: '2026-01-02',
      c: '5',
      d: 1.5,
      e: true,
      f: null,
      '1': 'x',
      '<<': 'y',
    });
  });

  it('shares no object between two reads of the same text', () => {
    const text = '---\ntags: [a]\n---\nbody';
    const first = read(text);
    first.data['tags'] = 'changed';
    first.data['more'] = 1;
    expect(read(text).data).toEqual({ tags: ['a'] });
    expect(read(text).data).not.toBe(read(text).data);
  });
});

describe('F1 nothing in a file is ever executed', () => {
  const ran = (): unknown => (globalThis as Record<string, unknown>)['okaFrontMatterRan'];
  const code = '(globalThis.okaFrontMatterRan = true, { title: "x" })';
  afterEach(() => Reflect.deleteProperty(globalThis, 'okaFrontMatterRan'));

  it('is tried with a block that gray-matter alone would run', () => {
    matter(`---js\n${code}\n---\nbody`, { language: 'yaml' });
    expect(ran()).toBe(true);
  });

  it.each(['js', 'javascript', 'JS', 'js ', 'json', 'coffee', 'coffeescript', 'cson', 'toml', 'yaml', 'yml', '{a: 1}'])(
    'refuses the engine "%s" and does not run its block',
    (engine) => {
      expect(() => read(`---${engine}\n${code}\n---\nbody`)).toThrow(
        expect.objectContaining({ code: 'invalid-file', message: expect.stringContaining('task.md, line 1: ') }),
      );
      expect(ran()).toBeUndefined();
    },
  );

  it.each(['--- js', '---\tjs', '---\u00a0js', '---\u2028js', '\uFEFF\uFEFF---js', '----js', '---\rjs'])(
    'takes %j for text, not for an engine',
    (fence) => {
      const text = `${fence}\n${code}\n---\nbody`;
      expect(read(text).data).toEqual({});
      expect(ran()).toBeUndefined();
    },
  );

  it('refuses an engine behind a byte order mark or with Windows line ends', () => {
    expect(() => read(`\uFEFF---js\r\n${code}\r\n---\r\n`)).toThrow('front matter in "js" is not read');
    expect(ran()).toBeUndefined();
  });

  it.each(['a: !!js/function "function () { globalThis.okaFrontMatterRan = true }"', 'a: !!js/undefined ""'])(
    'refuses the code tag in %j',
    (yaml) => {
      expect(() => readYaml(yaml)).toThrow('task.md, line 2: Unresolved tag');
      expect(ran()).toBeUndefined();
    },
  );
});

describe('F3 a near miss of front matter is refused, never read as text', () => {
  const header = 'accept:\n  - file: out.txt\n---\nbody\n';

  it.each<[what: string, text: string, line: number]>([
    ['a blank line above', `\n---\n${header}`, 2],
    ['three lines of white space above', ` \n\t\n\r\n---\n${header}`, 4],
    ['a byte order mark on a line of its own', `\uFEFF\n---\n${header}`, 2],
    ['two byte order marks', `\uFEFF\uFEFF---\n${header}`, 1],
    ['an invisible space before the fence', `\u200B---\n${header}`, 1],
    ['an indented fence', `  ---\n${header}`, 1],
    ['a fence of two dashes', `--\n${header}`, 1],
    ['a fence of four dashes', `----\n${header}`, 1],
    ['a fence that an editor made a long dash', `—\n${header}`, 1],
    ['a fence that an editor made a long dash and a dash', `—-\n${header}`, 1],
    ['a fence with a word behind it', `--- yaml\n${header}`, 1],
    ['spaced dashes', `- - -\n${header}`, 1],
    ['underlines', `___\n${header}`, 1],
    ['the fence of TOML', '+++\ntitle = "x"\n+++\nbody\n', 1],
    ['a comment below a late fence', `\n---\n# what counts\n\n${header}`, 2],
    ['a quoted name', `\n---\n"accept": []\n---\n`, 2],
    ['carriage returns alone', '\r---\raccept: []\r---\rbody', 2],
  ])('%s', (_, text, line) => {
    expect(() => read(text)).toThrow(`task.md, line ${line}: `);
    expect(() => linesIn(text, 'task.md')).toThrow('front matter');
  });
});

describe('F2 YAML is read strictly', () => {
  const refusals: [what: string, text: string, message: string][] = [
    ['a missing closing fence', '---\ntitle: x\n\nbody\n', 'line 1: front matter is not closed'],
    ['a lone fence', '---', 'line 1: front matter is not closed'],
    ['a line of four dashes inside', '---\na: 1\n----\nb: 2\n---\n', 'line 3: "----" starts with --- but is not'],
    ['a line that only begins like a fence', '---\na: 1\n---js\n---\n', 'line 3: "---js" starts with --- but is not'],
    ['a duplicate name', '---\na: 1\nb: 2\na: 3\n---\n', 'line 4: Map keys must be unique'],
    ['a duplicate name further inside', '---\nx:\n  a: 1\n  a: 2\n---\n', 'line 4: Map keys must be unique'],
    ['an alias', '---\na: &x [1]\nb: *x\n---\n', 'line 3: YAML aliases are not read'],
    ['an alias of nothing', '---\na: *x\n---\n', 'line 2: YAML aliases are not read'],
    ['a merge', '---\na: &x {b: 1}\nc:\n  <<: *x\n---\n', 'line 4: YAML aliases are not read'],
    ['a tag of its own', '---\nb: 1\na: !foo x\n---\n', 'line 3: Unresolved tag: !foo'],
    ['a tag of its own on a list', '---\na: !foo [x]\n---\n', 'line 2: Unresolved tag: !foo'],
    ['bytes', '---\na: !!binary aGk=\n---\n', 'line 2: Unresolved tag'],
    ['a timestamp', '---\na: !!timestamp 2026-01-01\n---\n', 'line 2: Unresolved tag'],
    ['a set', '---\na: !!set {x, y}\n---\n', 'line 2: Unresolved tag'],
    ['a name that is a map', '---\n? {a: 1}\n: b\n---\n', 'line 2: '],
    ['a number without end', '---\nb: 1\na: .inf\n---\n', 'line 3: ".inf" is not plain data'],
    ['no number', '---\na: [.nan]\n---\n', 'line 2: ".nan" is not plain data'],
    ['a second document', '---\na: 1\n...\nb: 2\n---\n', 'line 4: '],
    ['a text as root', '---\njust text\n---\n', 'line 1: front matter must be a list of "name: value" lines'],
    ['a list as root', '---\n- a\n- b\n---\n', 'line 1: front matter must be a list of "name: value" lines'],
    ['broken YAML', '---\na: 1\nb: [1, 2\n---\n', 'line 3: '],
    ['a broken line behind Windows line ends', '---\r\na: 1\r\nb: "x\r\n---\r\n', 'line 3: '],
  ];

  it.each(refusals)('refuses %s and names source and line', (_, text, message) => {
    const error = thrownBy(() => read(text));
    expect(error).toBeInstanceOf(OkaError);
    expect(error).toMatchObject({ code: 'invalid-file' });
    expect((error as OkaError).message).toContain(`task.md, ${message}`);
  });

  it('refuses an alias bomb before it grows', () => {
    const levels = Array.from({ length: 20 }, (_, level) => {
      const inner = level === 0 ? 'x' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array(9).fill(inner).join(', ')}]`;
    });
    expect(() => readYaml(levels.join('\n'))).toThrow('task.md, line 3: YAML aliases are not read');
  });

  it('reads 64 KB of front matter and refuses one byte more', () => {
    const longest = `a: ${'x'.repeat(64 * 1024 - 'a: \n'.length)}`;
    expect(readYaml(longest)).toEqual({ a: longest.slice(3) });
    expect(() => readYaml(`${longest}x`)).toThrow('task.md, line 1: front matter is longer than 64 KB');
    expect(() => readYaml(`a: ${'ä'.repeat(33 * 1024)}`)).toThrow('longer than 64 KB');
  });

  it('does not count the body towards the size', () => {
    const body = 'x'.repeat(1024 * 1024);
    expect(read(`---\na: 1\n---\n${body}`)).toEqual({ data: { a: 1 }, body });
  });

  it('reads maps and lists 20 deep and refuses the 21st level', () => {
    const maps = (depth: number): string => 'a: {'.repeat(depth - 1) + 'a: 1' + '}'.repeat(depth - 1);
    const lists = (depth: number): string => `a: ${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`;
    for (const nested of [maps, lists]) {
      expect(() => readYaml(nested(20))).not.toThrow();
      expect(() => readYaml(nested(21))).toThrow('task.md, line 2: nested more than 20 deep');
    }
  });

  it('refuses nesting that would exhaust the stack', () => {
    const error = thrownBy(() => readYaml(`a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`));
    expect(error).toMatchObject({ name: 'OkaError', code: 'invalid-file' });
  });

  it('keeps names such as __proto__ as plain names and changes no prototype', () => {
    const data = readYaml('__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}\nx:\n  __proto__: 2');
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(Object.keys(data)).toEqual(['__proto__', 'constructor', 'x']);
    expect(Object.getPrototypeOf(data['x'])).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(JSON.parse(JSON.stringify(data))).toEqual(data);
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
