import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPseudoTerminal } from '../support/pseudo-terminal.ts';
import { openStory, type Story } from '../support/story.ts';

const until = (file: string): string =>
  `touch begun\nuntil [ -e ${file} ]; do sleep 0.05; done\necho ended > ended.txt`;
const runbook = (id: string, line: string, fields = ''): string =>
  `---\nid: ${id}\n${fields}---\n\`\`\`bash\n${line}\n\`\`\`\n`;

/** A task with a folder of its own. */
function dropFolder(story: Story, id: string, line: string): void {
  story.drop(`${id}/data.txt`, id);
  story.drop(`${id}/TASK.md`, runbook(id, line));
}

const begun = (story: Story, file: string): Promise<unknown> =>
  story.until(file, async () => existsSync(story.desk(file)) || undefined);

/** The run that a task waits for. */
const behind = (story: Story, id: string): Promise<string | null> =>
  story.until(`the wait of ${id}`, async () => {
    const found = (await story.eventsOf('desk.awaited')).find(({ run }) => run?.startsWith(`${id}.`));
    return found?.data.behind ?? undefined;
  });

it('a task is done beside a long command that it does not touch, and one that touches it waits and says for whom', async () => {
  await using story = await openStory();
  const worker = story.start(['worker']);
  dropFolder(story, 'long', until('go'));
  await begun(story, 'long/begun');
  dropFolder(story, 'short', 'cp data.txt copy.txt');
  await story.ended('short');
  expect(story.deskText('short/copy.txt')).toBe('short');
  story.drop('same.md', runbook('same', 'cat ended.txt', 'dir: long\n'));
  expect(await behind(story, 'same')).toMatch(/^long\./);
  story.drop('plain.md', runbook('plain', 'cat long/ended.txt > all.txt'));
  expect(await behind(story, 'plain')).toMatch(/^same\./);
  expect(await story.eventsOf('run.ended', 'long')).toEqual([]);
  const waits = /waits for the desk: long \(since \d+ s\)/;
  expect((await story.oka('status')).out).toMatch(waits);
  await using terminal = openPseudoTerminal(['status', '--dir', story.home.dir], { columns: 100, rows: 40 });
  await terminal.ended;
  const lines = terminal.screen().lines.filter((line) => waits.test(line));
  expect(lines).toHaveLength(2); // each on one line of the terminal
  for (const id of ['same', 'plain'])
    expect((await story.oka('runs')).out).toMatch(new RegExp(`waits +${id}, ${waits.source}`));
  await setTimeout(1100); // shorter waits count as work
  story.write('workspace/desk/long/go', '');
  for (const id of ['long', 'same', 'plain']) expect((await story.ended(id)).status).toBe('done');
  expect(story.deskText('all.txt')).toBe('ended\n');
  expect(story.page('same')).toMatch(/of work, [\d.]+ s of waiting for the desk/);
  expect((await story.oka('runs')).out).not.toMatch(/waits/);
  expect((await story.oka('metrics')).out).toMatch(/waited for the desk/);
  worker.kill('SIGTERM');
  await once(worker, 'exit');
});

it('a task cannot write beyond its place, whoever writes there', async () => {
  await using story = await openStory();
  story.write('workspace/desk/other/notes.txt', 'kept');
  story.work();
  dropFolder(story, 'tame', 'cat ../other/notes.txt > seen.txt');
  dropFolder(story, 'wild', 'echo mine > ../other/notes.txt');
  story.drop('wide.md', runbook('wide', 'echo more > ../made/new.txt', 'dir: other\nwrites: [made]\n'));
  expect((await story.ended('tame')).status).toBe('done');
  expect(story.deskText('tame/seen.txt')).toBe('kept');
  expect((await story.ended('wild')).status).toBe('failed');
  expect(story.deskText('other/notes.txt')).toBe('kept');
  expect((await story.ended('wide')).status).toBe('done');
  expect(story.deskText('made/new.txt')).toBe('more\n');
});

it('after a kill a command that lives on keeps its own place only, and undo restores each place by itself', async () => {
  await using story = await openStory();
  const first = story.start(['worker']);
  dropFolder(story, 'long', until('go'));
  await begun(story, 'long/begun');
  first.kill('SIGKILL');
  await once(first, 'exit');
  dropFolder(story, 'short', 'cp data.txt copy.txt');
  const second = story.start(['worker']);
  expect((await story.ended('short')).status).toBe('done');
  expect(existsSync(story.desk('long/ended.txt'))).toBe(false);
  expect(await story.oka('undo', 'short')).toMatchObject({ code: 0 });
  expect(existsSync(story.desk('short/copy.txt'))).toBe(false);
  story.write('workspace/desk/long/go', '');
  expect((await story.ended('long')).status).toBe('done');
  rmSync(story.desk('long/go'));
  expect(await story.oka('undo', 'long')).toMatchObject({ code: 0 });
  expect(['ended.txt', 'begun'].filter((name) => existsSync(story.desk(`long/${name}`)))).toEqual([]);
  expect(story.deskText('long/data.txt')).toBe('long');
  second.kill('SIGTERM');
  await once(second, 'exit');
});

it('tasks that wait for the desk take no place from one that could work, and what is not taken, or due and not begun, says why', async () => {
  await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 2 } } });
  story.write('workspace/schedules/plan.md', '---\nevery: monday 08:00\n---\n```bash\necho x >> plan.txt\n```\n');
  const worker = story.start(['worker']);
  dropFolder(story, 'long', until('go'));
  await begun(story, 'long/begun');
  for (const id of ['one', 'two', 'three']) story.drop(`${id}.md`, runbook(id, 'true', 'dir: long\n'));
  for (const id of ['one', 'two', 'three']) await behind(story, id);
  dropFolder(story, 'short', 'true');
  expect((await story.ended('short')).status).toBe('done');
  dropFolder(story, 'other', until('go'));
  await begun(story, 'other/begun');
  dropFolder(story, 'late', 'true');
  const backfill = story.start(['schedule', 'backfill', 'plan', '2026-11-01', '2026-11-07', '--yes']);
  const full = '2 tasks are at work, and no more than 2';
  const said = await story.until('the time that has come', async () => {
    const text = (await story.oka('status')).out.replaceAll(/\s+/g, ' ');
    return text.includes('plan: 2026-11-02') ? text : undefined;
  });
  expect(said).toContain(`1 waits to be taken: ${full}`);
  expect(said).toMatch(new RegExp(`plan: 2026-11-02 \\d\\d:\\d\\d UTC has come and it has not begun: ${full}`));
  for (const id of ['long', 'other']) story.write(`workspace/desk/${id}/go`, '');
  await once(backfill, 'exit');
  expect(story.deskText('plan.txt')).toBe('x\n');
  for (const id of ['late', 'one', 'two', 'three']) expect((await story.ended(id)).status).toBe('done');
  worker.kill('SIGTERM');
  await once(worker, 'exit');
});

it('one task at work is said to be one', async () => {
  await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 1 } } });
  story.work();
  dropFolder(story, 'long', until('go'));
  await begun(story, 'long/begun');
  dropFolder(story, 'late', 'true');
  const full = /1 waits to be taken: 1 task is at work, and no more than 1 may be/;
  await story.until(
    'why it waits',
    async () => full.test((await story.oka('status')).out.replaceAll(/\s+/g, ' ')) || undefined,
  );
  story.write('workspace/desk/long/go', '');
  expect((await story.ended('late')).status).toBe('done');
});

it('the seconds of a budget begin with the turn', async () => {
  await using story = await openStory();
  const worker = story.start(['worker']);
  dropFolder(story, 'long', until('go'));
  await begun(story, 'long/begun');
  story.drop('brief.md', runbook('brief', 'true', 'dir: long\nbudget: { seconds: 2 }\n'));
  await behind(story, 'brief');
  await setTimeout(2500);
  story.write('workspace/desk/long/go', '');
  expect((await story.ended('brief')).status).toBe('done');
  worker.kill('SIGTERM');
  await once(worker, 'exit');
});
