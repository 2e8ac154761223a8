/**
 * A whole first day with oka, through the command line: start it, give it work, answer it, undo, pause, stop it and start
 * it again. The screens are in test/fixture/screens; `vitest -u` writes them again, and whoever does that reads them.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { okaWith } from '../support/cli.ts';
import { pageText, screenText } from '../support/screen.ts';
import { openStory, type Story } from '../support/story.ts';

const TOKEN = 'tok-51zq-first-day-88';
const runbook = (title: string, code: string, fields = '', info = ''): string =>
  `${fields === '' ? '' : `---\n${fields}---\n`}# ${title}\n\n\`\`\`bash${info}\n${code}\n\`\`\`\n`;

const TOTALS = runbook(
  'Totals by month',
  `awk -F, 'NR>1 { t[$1] += $2 } END { print "month,total"; for (m in t) print m "," t[m] }' orders.csv > totals.csv
cat totals.csv`,
  'accept:\n  - rows: totals.csv >= 1\n',
);
const FAILS = runbook('Collect the logs', 'ls /var/log/nonexistent');
const POSTS = runbook('Report to the server', 'curl -X POST https://example.com/api -d x=1');
const WRONG = '---\naccept:\n  - exists: a.txt\ncolour: red\n---\nx\n';

it('a person gets through the first day', async () => {
  await using story = await openStory();
  const mine = personalFolder();
  const env = { XDG_CONFIG_HOME: join(mine, 'config'), XDG_STATE_HOME: join(mine, 'state') };
  const oka = (...words: string[]) => okaWith({ env }, ...words, '--dir', story.home.dir);
  /** Where lines break on a terminal depends on the paths of this machine. */
  const inPipe = (...words: string[]) =>
    okaWith({ env, width: Number.POSITIVE_INFINITY }, ...words, '--dir', story.home.dir);
  const show = async (screen: string, ...words: string[]): Promise<void> =>
    expectScreen((await inPipe(...words)).out, story, screen, mine);

  // Morning: set it up, store a secret, start it, and give it the first tasks.
  expect((await oka('init')).out).toContain('is set up already');
  const set = okaWith({ env, input: TOKEN }, 'secrets', 'set', 'TOKEN', '--tool', 'shell', '--dir', story.home.dir);
  expect((await set).code).toBe(0);
  let up = story.start(['up', '--alone'], env);
  await line(story, 'done: Welcome to oka');
  const sales = join(mine, 'sales');
  put(join(sales, 'TASK.md'), TOTALS);
  put(join(sales, 'orders.csv'), 'month,amount\n2026-01,5\n2026-01,7\n');
  expect(await oka('check', sales)).toMatchObject({ code: 0, out: expect.stringContaining('oka can take this task.') });
  expect((await oka('add', sales)).code).toBe(0);
  await line(story, 'done: Totals by month → ');
  await show('totals', 'show', 'sales');

  // A mistake is named with its line, before the task is given and when it is.
  put(join(mine, 'notes.md'), WRONG);
  expect(await oka('check', join(mine, 'notes.md'))).toMatchObject({ code: 1, out: expect.stringContaining('line 4') });
  await give(story, 'notes.md', WRONG, 'not a task: notes.md: line 4: ');
  await give(story, 'logs.md', FAILS, 'not done: Collect the logs: ');

  // What leaves the machine, or reads a folder of the person, is asked about; a secret is in no page.
  await give(story, 'server.md', POSTS, 'waits for your approval: Report to the server: ');
  const letters = runbook('Count the letters', `ls ${mine}/letters | wc -l`, `reads: [${mine}/letters]\n`);
  await give(story, 'letters.md', letters, 'waits for your approval: Count the letters: ');
  await give(story, 'poem.md', '# A poem\n\nWrite a poem about rain.\n', 'waits: A poem: ');
  const secret = runbook('Use the token', 'test -n "$TOKEN" && echo "it is $TOKEN"', '', ' secrets:TOKEN');
  await give(story, 'token.md', secret, 'done: Use the token → ');
  expect((await oka('show', 'token')).out).toMatch(/it is \[redacted:TOKEN\]/);
  await show('status', 'status');
  await show('runs', 'runs');
  expect((await oka('approve', 'letters')).code).toBe(0);
  await line(story, 'done: Count the letters → ');
  expect((await oka('deny', 'server')).code).toBe(0);
  await line(story, 'not done: Report to the server: ');
  await show('explain', 'explain', 'server');

  // Noon: undo, again, and a pause of everything, by command and by the file that stops it all.
  expect((await oka('undo', 'sales')).code).toBe(0);
  expect((await oka('again', 'sales')).code).toBe(0);
  await line(story, 'done: Totals by month → ', 2);
  expect((await oka('pause')).code).toBe(0);
  await line(story, 'paused: no new task begins');
  story.drop('later.md', runbook('Later', 'echo later > later.txt'));
  expect((await oka('unpause')).code).toBe(0);
  await line(story, 'done: Later → ');
  put(join(story.home.oka, 'STOP'), '');
  await line(story, 'stopped: nothing runs');
  rmSync(join(story.home.oka, 'STOP'));
  await line(story, 'goes on: tasks begin again', 2);

  // Evening: stop and start again; what waited goes on waiting.
  await stop(up);
  await expectScreen(`${story.told.join('\n')}\n`, story, 'up', mine);
  story.told.length = 0;
  up = story.start(['up', '--alone'], env);
  await give(story, 'last.md', runbook('The last one', 'true'), 'done: The last one → ');
  await stop(up);
  await expectScreen(`${story.told.join('\n')}\n`, story, 'up-again', mine);
  const pages = (await oka('runs', '--json')).out;
  expect([pages.includes(TOKEN), story.deskText('totals.csv')]).toEqual([false, null]);
});

function personalFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oka-person-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['anna.txt', 'ben.txt']) put(join(folder, 'letters', name), 'dear all\n');
  return folder;
}

function put(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

async function give(story: Story, name: string, text: string, expected: string): Promise<void> {
  story.drop(name, text);
  await line(story, expected);
}

/** Waits for a line on the console, as often as is expected. */
const line = (story: Story, part: string, times = 1): Promise<true> =>
  story.until(part, async () => (story.told.filter((each) => each.includes(part)).length >= times ? true : undefined));

async function stop(up: ChildProcess): Promise<void> {
  up.kill('SIGINT');
  expect(await once(up, 'exit')).toEqual([0, null]);
}

/** What is cut at the width of the terminal is cut elsewhere where a path or a duration is longer. */
const CUT = /(?<=~\/letters \(|failed in 0 s: ).*…/g;

function expectScreen(text: string, story: Story, name: string, mine: string): Promise<void> {
  const screen = screenText(pageText(text), story.home.dir).replaceAll(mine, '~').replaceAll(CUT, '…');
  return expect(screen).toMatchFileSnapshot(`../fixture/screens/${name}.txt`);
}
