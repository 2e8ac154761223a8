import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTask } from '../../../src/kit/inbox/parse-task.ts';
import { parseRunbook } from '../../../src/kit/task/runbook.ts';
import { hintsAtFences, kindOf } from '../../../src/kit/task/task-kind.ts';
import type { TaskFile } from '../../../src/core/schema/task-file.ts';

const fence = (info: string, code = 'true'): string => `\n\`\`\`${info}\n${code}\n\`\`\`\n`;
const kind = (body: string, task: TaskFile = {}): string => kindOf(body, task, 1).kind;
const SIGNATURE = fence('python', 'def valid(address: str) -> bool:\n    ...');

describe('K1 a runbook says that its blocks are steps', () => {
  it.each<[string, string]>([
    ['nothing but a block', fence('bash')],
    ['a heading above each', `# Pack${fence('bash')}\n## Check it${fence('bash')}`],
    [
      'an introduction, and a heading above each',
      `# Backup\n\nIt packs the notes. Then it looks into the archive, which takes a minute.\n\n## Pack${fence('bash')}`,
    ],
    ['one heading and several blocks', `# Collect what is there${fence('bash')}${fence('python', 'print(1)')}`],
    [
      'short captions',
      `# Totals\n\nCount the lines:\n${fence('bash', 'wc -l a')}\nSort them:\n${fence('bash', 'sort a')}`,
    ],
    ['numbered steps', `1. Fetch\n\n   \`\`\`bash\n   true\n   \`\`\`\n2. Count${fence('bash')}`],
    [
      'a first line that says so',
      `Run the following commands, and tell me. They should be quick.\n\nThey are old.\n${fence('bash')}`,
    ],
    ['a title that says so', `# Runbook: weekly\n\nPlease watch it. It should not fail.\n${fence('bash')}`],
    ['a block of other languages as text', `# Look${fence('json', '{}')}${fence('bash')}`],
    ['captions that speak of what is to be run', `Run this:\n${fence('bash')}\nThis takes a minute:\n${fence('bash')}`],
    ['captions of steps that make things', `Make the folder:\n${fence('bash')}\nAdd the new row:\n${fence('bash')}`],
    ['a caption with an error that is looked for', `Check the log for errors:\n${fence('bash', 'grep ERROR log')}`],
    ['a script that the step itself names', `## Test clean.sh${fence('bash', 'sh clean.sh --dry-run')}`],
    ['a file of another kind', `## Totals into out.csv${fence('python', 'print(1)')}`],
    [
      'criteria, which are no text around steps',
      `# Look${fence('bash')}\nDone when:\n- The table should be sorted. Is it?\n- file: a.txt`,
    ],
  ])('%s', (_, body) => {
    expect(kind(body)).toBe('runbook');
  });

  it('`steps: true` says so for any text, and `steps: false` the opposite', () => {
    expect(kind(`Please fix this function:\n${SIGNATURE}`, { steps: true })).toBe('runbook');
    expect(kind(fence('bash'), { steps: false })).toBe('prose');
    expect(parseRunbook(fence('bash wrong-setting'), { steps: false })).toBeNull();
  });

  it('what is delivered with oka are runbooks', () => {
    const welcome = readTask(readFileSync(join(import.meta.dirname, '../../../share/welcome/TASK.md')), 'TASK.md');
    expect(kind(welcome.body, welcome.task)).toBe('runbook');
    const guide = readFileSync(join(import.meta.dirname, '../../../docs/TASKS.md'), 'utf8');
    const recipes = [...guide.matchAll(/^````markdown\n([\s\S]*?)^````$/gm)].map(([, text]) =>
      readTask(Buffer.from(text ?? ''), 'recipe.md'),
    );
    expect(recipes.length).toBeGreaterThan(8);
    for (const { body, task } of recipes) expect(kind(body, task)).toBe(body.includes('```') ? 'runbook' : 'prose');
  });
});

describe('K2 a text that asks for something and shows code is no runbook', () => {
  it.each<[string, string]>([
    [
      'a request with the signature to keep',
      `Please fix the e-mail validator in \`v.py\`: it refuses plus signs.\nKeep the signature:\n${SIGNATURE}`,
    ],
    ['one short sentence', `Fix the bug in v.py:\n${fence('python', 'print(valid("a+b@c.de"))')}`],
    ['a question', `Why does this print 3?\n${fence('js', 'console.log(1 + 2)')}`],
    ['an example of the call', `Write a script count.sh. Example:\n${fence('bash', './count.sh a.txt')}`],
    ['a heading that shows', `# Slugs with umlauts\n\n## Current code${fence('python', 'print(1)')}`],
    ['text below the block', `# Validator${fence('python', 'print(valid("x"))')}\nIt should accept plus signs.`],
    ['a function under a heading', `# Validator${SIGNATURE}`],
    [
      'a list of what is wanted',
      `The validator\n\n- accepts plus signs\n- refuses spaces\n\nIt is called so.\n${fence('python', 'print(1)')}`,
    ],
    [
      'a longer text',
      `The report is made from the orders of the week. It has one line for each customer.\n${fence('bash', 'head orders.csv')}`,
    ],
    ['code to be changed, in a few words', `Make the function below faster.\n${fence('python', 'print(1)')}`],
    ['code that is spoken of', `Turn this into a class:\n${fence('python', 'print(1)')}`],
    ['work on code', `Add type hints:\n${fence('python', 'print(1)')}`],
    ['a file that is to have this content', `Save this as clean.sh:\n${fence('bash', 'rm -rf build')}`],
    ['what is to be put into a file', `Put the following into notes.md:\n${fence('bash', 'rm -rf build')}`],
    ['a file with its content', `Create clean.sh with:\n${fence('bash', 'rm -rf build')}`],
    ['names of files as headings', `# App\n\n## app.py${fence('python', 'print(1)')}\n## run.sh${fence('bash', 'ls')}`],
    ['a heading about a file that the block is from', `# Fix the validator in v.py${fence('python', 'print(1)')}`],
    ['a heading that asks', `# Why does this print 3?${fence('python', 'print(1)')}`],
    [
      'a state before and one after',
      `# Rename\n\n## Before${fence('python', 'a = 1')}\n## After${fence('python', 'b = 1')}`,
    ],
    ['a sentence around blocks', `Change\n${fence('python', 'x = 1')}\nto\n${fence('python', 'x = 2')}\nin v.py.`],
    ['what goes wrong', `The build fails with:\n${fence('bash', 'make')}`],
    ['a wrong result', `This gives the wrong result:\n${fence('js', 'console.log(1)')}`],
    ['text at the end', `${fence('python', 'print(1)')}\nMake it accept plus signs.`],
    ['another language', `Korrigiere die Funktion:\n${fence('python', 'print(1)')}`],
    [
      'one of several blocks',
      `# Do it${fence('bash')}\nI want the output to look like this:\n${fence('bash', 'echo 1')}`,
    ],
  ])('%s', (_, body) => {
    expect(kind(body)).toBe('unclear');
    expect(parseRunbook(body, {})).toMatchObject({ kind: 'unclear' });
    expect(hintsAtFences(body, {}, 1).join()).toMatch(/not run: .*`steps: true`/);
  });

  it('says which line it goes by, counted in the file', () => {
    const body = `# Slugs\n\nPlease handle umlauts.\n${fence('python', 'print(1)')}`;
    expect(kindOf(body, {}, 5).why).toBe('line 7 asks for something: "Please handle umlauts."');
  });

  it('text without blocks that run, and every text of an agent, is prose', () => {
    expect(kind(`Say hello${fence('json', '{}')}`)).toBe('prose');
    const from_chat = { conversation: '01jd3k5m7abc', message: '01jd3k5m7xyz', agent: 'oka' };
    expect(kind(fence('bash'), { from_chat })).toBe('prose');
  });
});

describe('R5 what the text of a runbook demands is a criterion', () => {
  const criteria = (body: string, task: TaskFile = {}): string[] => {
    const read = parseRunbook(body, task);
    return read?.kind === 'runbook' ? read.criteria.map(({ text }) => text) : [];
  };

  it('a file that is to be made, next to every step, unless a criterion mentions it', () => {
    const body = `# Repair\n\nSave it as \`fixed.py\`.\n${fence('bash')}`;
    expect(criteria(body)).toEqual(['Every step ends with exit status 0.', 'file: fixed.py is not empty']);
    expect(criteria(body, { accept: ['contains: fixed.py "def"'] })).toEqual(['contains: fixed.py "def"']);
  });
});
