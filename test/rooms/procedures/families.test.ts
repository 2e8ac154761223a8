import { describe, expect, it } from 'vitest';
import { stableShare } from '../../../src/rooms/procedures/choose-procedure.ts';
import { fillProcedure, isProblem } from '../../../src/rooms/procedures/fill-procedure.ts';
import { matchTask } from '../../../src/rooms/procedures/match-task.ts';
import { isSamePlan } from '../../../src/rooms/procedures/plan-sample.ts';
import { taskText } from '../../../src/rooms/procedures/task-text.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Procedure } from '../../../src/core/schema/procedure.ts';
import { graphOf, learning, type Told } from '../../support/procedures.ts';

type Task = Omit<Told, 'run'>;

const pick = (list: readonly string[], seed: number): string => list[seed % list.length] ?? '';
const file = (seed: number): string =>
  pick(['jan', 'feb-2', 'Q3_all', 'sales.eu', 'x', 'very-long-name-of-a-file'], seed);
const folder = (seed: number): string => pick(['data', 'in/new', 'a/b/c', 'reports'], seed * 7 + 1);
const person = (seed: number): string => pick(['Ada', 'Bob Stone', 'Ève Müller', 'Li', "Mary O'Hara"], seed * 3);
const said = (seed: number): string => pick(['hello', 'see you at 5', 'wait: what?', 'a; b & c', 'ok'], seed * 11 + 2);
const day = (seed: number): string => `2026-0${1 + (seed % 9)}-1${seed % 10}`;

/** Tasks as people write them, and the plans a model makes of them. */
const families: Record<string, (seed: number) => Task> = {
  'sorting a table': (s) => {
    const [from, to] = [`${folder(s)}/${file(s)}.csv`, `${folder(s)}/${file(s)}.sorted.csv`];
    return {
      body: `# Sort\n\nPlease sort ${from} by its first column and save it as ${to}.`,
      steps: [{ tool: 'shell', input: { line: `sort -t, -k1 ${from} > ${to}` } }],
      criteria: [`file: ${to} is not empty`],
      targets: [to],
    };
  },
  'the first rows': (s) => ({
    body: `Take the first ${s * 5 + 3} lines of ${file(s)}.log and put them into head.txt`,
    steps: [{ tool: 'shell', input: { line: `head -n ${s * 5 + 3} ${file(s)}.log > head.txt` } }],
    criteria: ['file: head.txt'],
    targets: ['head.txt'],
  }),
  'a greeting': (s) => ({
    body: `Write a greeting for ${person(s)} into greeting.txt.`,
    steps: [{ tool: 'files.write', input: { path: 'greeting.txt', content: `Dear ${person(s)},\nwelcome!\n` } }],
    criteria: ['contains: greeting.txt "welcome"'],
    targets: ['greeting.txt'],
  }),
  'a note with a text in quotes': (s) => ({
    body: `Add the line "${said(s)}" to notes/${file(s)}.md.`,
    steps: [{ tool: 'files.write', input: { path: `notes/${file(s)}.md`, content: `${said(s)}\n`, append: true } }],
    criteria: [`file: notes/${file(s)}.md`],
    targets: [`notes/${file(s)}.md`],
  }),
  'a page of a text': (s) => ({
    body: `Convert \`${folder(s)}/${file(s)}.md\` to HTML next to it.`,
    steps: [
      { tool: 'files.read', input: { path: `${folder(s)}/${file(s)}.md` } },
      {
        tool: 'shell',
        needs: ['step-0'],
        input: { argv: ['pandoc', `${folder(s)}/${file(s)}.md`, '-o', `${folder(s)}/${file(s)}.html`] },
      },
    ],
    criteria: [`file: ${folder(s)}/${file(s)}.html is not empty`],
    targets: [`${folder(s)}/${file(s)}.html`],
  }),
  'a backup with its day': (s) => ({
    body: `Back up the folder ${folder(s)}/ of ${day(s)}.`,
    steps: [{ tool: 'shell', input: { line: `tar -czf backup-${day(s)}.tgz ${folder(s)}/` } }],
    criteria: [`file: backup-${day(s)}.tgz is not empty`],
    targets: [`backup-${day(s)}.tgz`],
  }),
  'counting words in python': (s) => ({
    body: `Count the words of ${file(s)}.txt with Python and write the number to ${file(s)}.count`,
    steps: [
      {
        tool: 'shell',
        input: {
          line: `python3 -c "import sys; print(len(open('${file(s)}.txt').read().split()))" > ${file(s)}.count`,
        },
      },
    ],
    criteria: [`matches: ${file(s)}.count /^\\d+/`],
    targets: [`${file(s)}.count`],
  }),
  'a list of things to do': (s) => ({
    body: `Prepare the meeting:\n\n- date: ${day(s)}\n- with: ${person(s)}\n- about: "${said(s)}"\n\nWrite an agenda to agenda.md.`,
    steps: [
      { tool: 'files.write', input: { path: 'agenda.md', content: `# ${said(s)}\n\n${day(s)} with ${person(s)}\n` } },
    ],
    criteria: ['file: agenda.md is not empty'],
    targets: ['agenda.md'],
  }),
  'getting a page': (s) => ({
    body: `Fetch https://example.org/${file(s)}/index.html and say whether it answers`,
    steps: [{ tool: 'http.get', input: { url: `https://example.org/${file(s)}/index.html` } }],
    criteria: [],
    targets: [],
  }),
  'a folder of its own': (s) => ({
    body: 'Zip everything in this folder.',
    dir: `cases/${file(s)}`,
    steps: [{ tool: 'shell', input: { line: 'zip -r all.zip .', dir: `cases/${file(s)}` } }],
    criteria: ['file: all.zip is not empty'],
    targets: [`cases/${file(s)}/all.zip`],
  }),
  'a wish in the front matter': (s) => ({
    body: 'Make an empty file with the name that is asked for.',
    accept: [`file: ${folder(s)}/${file(s)}.txt`],
    steps: [{ tool: 'files.write', input: { path: `${folder(s)}/${file(s)}.txt`, content: '' } }],
    criteria: [],
    targets: [`${folder(s)}/${file(s)}.txt`],
  }),
  'replacing a word': (s) => ({
    body: `In ${file(s)}.html replace every "colour" by "color"`,
    steps: [{ tool: 'shell', input: { line: `sed -i -e s/colour/color/g ${file(s)}.html` } }],
    criteria: [`lacks: ${file(s)}.html "colour"`],
    targets: [`${file(s)}.html`],
  }),
};

/** What the procedure made of the first tasks does with the next ones. */
function tried(tasks: (seed: number) => Task): {
  procedure: Procedure | undefined;
  right: number;
  wrong: number;
  not: string[];
} {
  const { task, conclude } = learning();
  let procedure: Procedure | undefined;
  for (const seed of [0, 1, 2, 3]) {
    task({ run: `r${seed}`, at: `2026-03-0${seed + 1}T10:00:00.000Z`, ...tasks(seed) });
    procedure = conclude().at(-1) ?? procedure;
  }
  const result = { procedure, right: 0, wrong: 0, not: [] as string[] };
  for (let seed = 4; seed < 24; seed += 1) {
    const { body, dir = null, accept = [], steps, criteria = [], targets = [] } = tasks(seed);
    const text = taskText({ accept }, dir, body);
    const match = procedure === undefined ? null : matchTask(procedure, text);
    const filled =
      procedure === undefined || match?.kind !== 'match'
        ? { problem: match?.kind ?? 'no procedure' }
        : fillProcedure(procedure, match.values, '2026-05-01');
    if (isProblem(filled)) result.not.push(`${text}: ${filled.problem}`);
    else {
      const graph = JSON.parse(JSON.stringify(graphOf(steps))) as Json;
      const own = criteria.map((each) => ({ text: each, author: 'model' as const }));
      const sample = { run: 'x', seq: 1, day: '2026-05-01', text, graph, criteria: own, tools: [], targets };
      if (isSamePlan(filled, sample)) result.right += 1;
      else result.wrong += 1;
    }
  }
  return result;
}

describe('families of tasks', () => {
  it.each(Object.entries(families))('%s: the procedure plans the next tasks as the model would have', (_, tasks) => {
    const { procedure, right, wrong, not } = tried(tasks);
    expect(procedure, 'a procedure').toBeDefined();
    expect(wrong).toBe(0);
    expect(not.slice(0, 3)).toEqual([]);
    expect(right).toBe(20);
  });

  it('a procedure of one family takes no task of another', () => {
    const made = Object.entries(families).map(([name, tasks]) => ({ name, ...tried(tasks) }));
    for (const { name, procedure } of made)
      for (const [other, tasks] of Object.entries(families)) {
        const { body, dir = null, accept = [] } = tasks(9);
        const text = taskText({ accept }, dir, body);
        if (other !== name && procedure !== undefined)
          expect(matchTask(procedure, text).kind, `${name} ${other}`).toBe('none');
      }
  });

  it('the arms have their shares', () => {
    const runs = Array.from({ length: 4000 }, (_, at) => stableShare(`run-${at}`, 'a-procedure'));
    expect(runs.filter((share) => share < 0.1).length / 4000).toBeCloseTo(0.1, 1);
    expect(runs.filter((share) => share < 0.25).length / 4000).toBeCloseTo(0.25, 1);
  });
});
