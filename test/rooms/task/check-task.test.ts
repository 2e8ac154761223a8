import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oka, okaWith, type Ran, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

let folder: TemporaryFolder;
let home: string;
beforeEach(async () => {
  folder = temporaryFolder();
  home = join(folder.dir, 'home');
  await oka('init', '--dir', home);
});
afterEach(() => folder[Symbol.dispose]());

const check = (text: string, ...words: string[]): Promise<Ran> => {
  const file = join(folder.dir, 'report.md');
  writeFileSync(file, text);
  return okaWith({ env: { OKA_MODEL: undefined } }, 'check', file, ...words, '--dir', home);
};

const RUNBOOK = `---
dir: sales
accept:
  - rows: totals.csv >= 12
  - The totals are right.
---
# Totals

\`\`\`bash net:api.example.org
curl https://api.example.org
\`\`\`

\`\`\`
echo not a step
\`\`\`

## Sort

\`\`\`python
print(1)
\`\`\`
`;

describe('oka check', () => {
  it.each([
    ['', true],
    ['dir: photos', false],
    ['place: own', false],
    ['writes: [reports]', false],
    ['writes: [/srv/backup]', true],
  ])('with %j says whether a line would let it run beside others: %s', async (field, expected) => {
    const { out } = await check(`---\ntitle: Place\n${field}\n---\n\`\`\`bash\ntrue\n\`\`\`\n`);
    expect(out.includes('It works on the whole desk')).toBe(expected);
  });

  it('names the steps with their lines, the criteria, what a model is needed for, and a block that would not run', async () => {
    const { code, out } = await check(RUNBOOK);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'Totals: a runbook with 2 steps (each code block has a heading of its own)',
        '  1. Totals (shell, reaches api.example.org) line 9',
        '  2. Sort (python) line 19',
        '  dir: "sales"',
        'Done when:',
        '  - rows: totals.csv >= 12',
        '  - The totals are right. (a model judges)',
        'It needs a language model, and none is set: it would wait until there is one (OKA_MODEL).',
        'Note: line 13: this block has no language and is not run; write ```bash if it is a step',
        'oka can take this task.',
        '',
      ].join('\n'),
    );
  });

  it('a request that shows code is prose for a model; without one both possibilities are named, and nothing is taken', async () => {
    const text = 'Please fix `v.py`. Keep the signature:\n\n```python\ndef valid(address): ...\n```\n';
    const alone = await check(text);
    expect(alone.code).toBe(1);
    expect(alone.out).toMatch(/two ways.*line 1 asks for something.*`steps: true`.*language model, and none is set/);
    const { code, out } = await okaWith(
      { env: { OKA_MODEL: 'ollama:llama3.2' } },
      'check',
      join(folder.dir, 'report.md'),
      '--dir',
      home,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/plain prose; .* \(line 1 asks for something: "Please fix/);
    expect((await check(`---\nsteps: true\n---\n${text}`)).out).toContain('a runbook with 1 step (its front matter');
  });

  it('names every mistake with its line, exits with 1, and puts nothing into the inbox', async () => {
    const { code, out } = await check(RUNBOOK.replace('rows:', 'row:').replace('net:api', 'net:?'));
    expect(code).toBe(1);
    const line = RUNBOOK.split('\n').findIndex((each) => each.includes('rows:')) + 1;
    expect(out).toContain(`Line ${line}: accept[`);
    expect(out).toMatch(/did you mean "rows: totals.csv >= 12"[^]*Line 9: net "\?\.example\.org"[^]*could not do/);
    const refused = await check(RUNBOOK.replace('dir:', 'folder:'));
    expect(refused).toMatchObject({
      code: 1,
      out: expect.stringMatching(/line \d+: front matter field "folder" is not known/) as string,
    });
    expect(readdirSync(join(home, 'workspace/inbox')).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  it('reads a folder with its files, a text, and the model that is set; --json has the same', async () => {
    const task = join(folder.dir, 'job');
    mkdirSync(task);
    writeFileSync(join(task, 'TASK.md'), 'Sum up orders.csv.\n');
    writeFileSync(join(task, 'orders.csv'), 'a\n');
    const set = { env: { OKA_MODEL: 'ollama:llama3.2' } };
    expect((await okaWith(set, 'check', task, '--dir', home)).out).toMatch(
      /plain prose[^]*Files next to it: orders.csv[^]*It needs a language model: ollama:llama3.2/,
    );
    const { out } = await oka('check', 'Sort the photos', '--json', '--dir', home);
    expect(JSON.parse(out)).toMatchObject({ kind: 'prose', title: 'Sort the photos', problems: [] });
  });

  it.each(['check', 'add', 'run'])('%s refuses the name of a file that is not there', async (command) => {
    expect(await oka(command, join(folder.dir, 'reprot.md'), '--dir', home)).toMatchObject({
      code: 2,
      err: expect.stringContaining('reprot.md does not exist') as string,
    });
  });
});
