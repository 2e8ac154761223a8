/** The recipes of docs/TASKS.md and the example of README.md, done by a real worker. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { okaWith } from '../support/cli.ts';
import { canJail, whyNot } from '../support/launcher.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan, verdict } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const TOP = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(TOP, path), 'utf8');
const TOKEN = 'tok-recipe-5521';
const ORDERS = Array.from(
  { length: 24 },
  (_, index) => `2026-${String((index % 12) + 1).padStart(2, '0')}-03,pens,2.5`,
);
const NOTES = '# Meeting\n\nWe chose blue. Ada orders the paint.\n';

/** What a recipe finds on the desk, and what it leaves there. */
type Case = {
  files?: Record<string, string>;
  folder?: Record<string, string>;
  leaves: Record<string, string | RegExp>;
};

const CASES: Record<string, Case> = {
  'Totals by month': {
    files: { 'orders.csv': `date,item,amount\n${ORDERS.join('\n')}\n` },
    leaves: { 'totals.csv': /^month,total\n2026-01,5\.00\n[^]*2026-12,5\.00\n$/ },
  },
  'A report in Python': {
    files: { 'totals.csv': 'month,total\n2026-01,5.00\n2026-02,7.50\n' },
    leaves: { 'report.md': /Best month: 2026-02 with 7\.50/ },
  },
  'Rename photos': {
    files: { 'photos/IMG_1.JPG': 'a', 'photos/My Cat.JPG': 'b', 'photos/originals/X.jpg': 'c' },
    leaves: { 'photos/img_1.jpg': 'a', 'photos/my cat.jpg': 'b', 'photos/originals/X.jpg': 'c' },
  },
  'A backup that is tested': { files: { 'notes/today.md': 'Hello.\n' }, leaves: { 'backup/notes.tar.gz': /./ } },
  'Clean up a list with JavaScript': {
    files: { 'people.txt': 'Eve\nAda\n\nAda \n' },
    leaves: { 'people.json': /"Ada"[^]*"Eve"/ },
  },
  'Fetch something from the web': { leaves: { 'rates.json': '{"EUR":1.1}' } },
  'Call an API with a secret': { leaves: { 'orders.json': '[{"id":1}]' } },
  'Go on when a step fails': { files: { 'mail.txt': 'one\ntwo\n' }, leaves: { 'summary.txt': '2\n' } },
  'A task with its own files': {
    folder: {
      'hours.csv': 'day,hours\nmon,3\ntue,4\n',
      'invoice.py':
        'import csv, sys\nprint("Total:", 80 * sum(int(row["hours"]) for row in csv.DictReader(open(sys.argv[1]))))\n',
    },
    leaves: {},
  },
  'A summary in plain words': {
    files: { 'notes.md': NOTES },
    leaves: { 'summary.md': 'Blue was chosen. Ada orders the paint.\n', 'notes.md': NOTES },
  },
};

const model = inParts({
  planner: () => plan([goal('sum-up', 'Sum up notes.md in summary.md', ['files.read', 'files.write'])], []),
  executor: acting(
    call('files_read', { path: 'notes.md' }),
    call('files_write', { path: 'summary.md', content: 'Blue was chosen. Ada orders the paint.\n' }),
    call('files_read', { path: 'summary.md' }),
  ),
  critic: ({ text }) => {
    const evidence = /\b(E\d+) files\.read \{"path":"summary\.md"/.exec(text)?.[1] ?? '';
    const criteria = [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => criterion);
    const quote = 'Blue was chosen. Ada orders the paint.';
    return verdict(
      'done',
      criteria.map((criterion) => ({ criterion, holds: true, evidence, quote })),
    );
  },
});

const recipePart = read('docs/TASKS.md').split('\n## Recipes\n')[1] ?? '';
const recipes = [...recipePart.matchAll(/^### (.+)$[^]*?^````markdown\n([^]*?)^````$/gm)].map(
  ([, title = '', task = '']) => ({ title, task }),
);

let story: Story;
let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer(({ url, headers }, response) => {
    const isAllowed = url !== '/orders' || headers.authorization === `Bearer ${TOKEN}`;
    response.writeHead(isAllowed ? 200 : 401).end(url === '/orders' ? '[{"id":1}]' : '{"EUR":1.1}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  story = await openStory({ model });
  const secret = ['secrets', 'set', 'API_TOKEN', '--tool', 'shell', '--host', address, '--dir', story.home.dir];
  expect(await okaWith({ input: TOKEN }, ...secret)).toMatchObject({ code: 0 });
  story.work();
});
afterAll(async () => {
  await story[Symbol.asyncDispose]();
  server.close();
});

/** The recipe with the server of this test, which is not public: only a step with a secret for it may reach it. */
const local = (task: string): string =>
  task
    .replaceAll('https://api.example.org', `http://${address}`)
    .replaceAll('api.example.org', address)
    .replace('timeout:1m', 'timeout:1m secrets:API_TOKEN');

describe.skipIf(!canJail)(`docs/TASKS.md${whyNot}`, () => {
  it('has ten recipes, and each has a case here', () => {
    expect(recipes.map(({ title }) => title)).toEqual(Object.keys(CASES));
    expect(recipes).toHaveLength(10);
  });

  it.each(recipes)('"$title" is understood and done', async ({ title, task }) => {
    const { files = {}, folder, leaves } = CASES[title] ?? { leaves: {} };
    for (const [path, text] of Object.entries(files)) story.write(join('workspace/desk', path), text);
    const name = title.toLowerCase().replaceAll(' ', '-');
    story.write('recipe.md', local(task));
    expect(await story.oka('check', join(story.home.dir, 'recipe.md'))).toMatchObject({ code: 0 });
    if (folder === undefined) story.drop(`${name}.md`, local(task));
    else for (const [path, text] of Object.entries({ ...folder, 'TASK.md': task })) story.drop(join(name, path), text);
    const run = await story.until(`the run of ${title}`, async () => {
      const received = await story.eventsOf('task.received');
      return received.find(({ data }) => data.name.startsWith(name))?.run ?? undefined;
    });
    const { status, page } = await story.ended(run);
    expect(status, page).toBe('done');
    for (const [path, content] of Object.entries(leaves)) expect(story.deskText(path)).toMatch(content);
    expect(page).not.toContain(TOKEN);
  });

  it('README.md shows the recipe for totals by month', () => {
    expect(read('README.md')).toContain(recipes[0]?.task);
  });
});
