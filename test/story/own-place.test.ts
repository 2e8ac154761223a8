import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { addWebTask } from '../../src/app/web/tasks/add-web-task.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan, type Step } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';
import type { WireRequest, WireReply } from '../support/wire-server-reply.ts';

/** The folder that a task from Now is told to be its own. */
const ownOf = ({ text }: WireRequest): string => /its own folder, ([^/\s]+)\//.exec(text)?.[1] ?? 'nowhere';

const LONG = 'Wait for the sign and note it.';
const PLANS: Record<string, (own: string) => { steps: Step[]; criteria: string[] }> = {
  [LONG]: (own) => ({
    steps: [goal('wait', `long in ${own}`, ['shell'], [`${own}/**`])],
    criteria: [`file: ${own}/ended.txt is not empty`],
  }),
  'Write report.txt with the word steel.': () => ({
    steps: [goal('write', 'report', ['files.write'], ['report.txt'])],
    criteria: ['contains: report.txt "steel"'],
  }),
  'Note the price of 12.': () => ({
    steps: [goal('note', 'prices', ['shell'], ['prices/today.txt'])],
    criteria: ['contains: prices/today.txt "12"'],
  }),
};

function answer(request: WireRequest): WireReply {
  const asked = Object.keys(PLANS).find((text) => request.text.includes(text)) ?? LONG;
  const own = ownOf(request);
  return inParts({
    planner: () => {
      const { steps, criteria } = PLANS[asked]?.(own) ?? { steps: [], criteria: [] };
      return plan(steps, criteria);
    },
    executor: acting(
      asked === LONG
        ? call('shell', {
            line: `touch ${own}/begun\nuntil [ -e ${own}/go ]; do sleep 0.05; done\necho ended > ${own}/ended.txt`,
          })
        : asked.startsWith('Write')
          ? call('files_write', { path: 'report.txt', content: 'steel' })
          : call('shell', { line: 'mkdir -p prices\necho 12 > prices/today.txt' }),
    ),
  })(request) as WireReply;
}

/** As Now adds it; its run. */
async function say(story: Story, text: string): Promise<string> {
  addWebTask(story.home, { text }, Date.now());
  return story.until(`the run of "${text}"`, async () => {
    const started = await story.eventsOf('run.started');
    return started.find(({ data }) => data.title === text)?.run ?? undefined;
  });
}

it('sentences from Now run beside each other: each in a folder of its own, and where its plan says', async () => {
  await using story = await openStory({ model: answer });
  story.work();
  const long = await say(story, LONG);
  await story.until('the long command', async () => existsSync(story.desk(`${long}/begun`)) || undefined);
  const report = await say(story, 'Write report.txt with the word steel.');
  const prices = await say(story, 'Note the price of 12.');
  expect((await story.ended(report)).status).toBe('done');
  expect((await story.ended(prices)).status).toBe('done');
  expect(await story.eventsOf('run.ended', long)).toEqual([]);
  expect([story.deskText('report.txt'), story.deskText('prices/today.txt')]).toEqual(['steel', '12\n']);
  // a folder of its own that nothing was put into does not stay
  expect([report, prices].filter((run) => existsSync(story.desk(run)))).toEqual([]);
  const places = (await story.eventsOf('desk.kept')).map(({ run, data }) => [run?.split('.')[0], data.place]);
  expect(places).toContainEqual([report, ['report.txt']]);
  expect(places).toContainEqual([prices, [prices, 'prices']]);
  expect((await story.oka('undo', report)).code).toBe(0);
  expect((await story.oka('undo', prices)).code).toBe(0);
  expect(['report.txt', 'prices/today.txt'].filter((path) => existsSync(story.desk(path)))).toEqual([]);
  story.write(`workspace/desk/${long}/go`, '');
  expect((await story.ended(long)).status).toBe('done');
});

const READS = [
  ['files_read', { path: 'prices/book.txt' }, { content: 'whole\n' }],
  ['files_search', { pattern: 'h', path: '.' }, { matches: [{ path: 'prices/book.txt', line: 1, text: 'whole' }] }],
  [
    'files_list',
    { path: 'prices' },
    { entries: ['book.txt', 'go', 'older.txt'].map((name) => ({ path: `prices/${name}` })) },
  ],
] as const;

it.each(READS)('%s sees what another task is in the middle of writing when it is whole', async (tool, input, seen) => {
  const model = inParts({
    planner: () => plan([goal('say', 'say it', [tool.replace('_', '.')])], ['it is said']),
    executor: acting(call(tool, input)),
  });
  await using story = await openStory({ model });
  story.write('workspace/desk/prices/older.txt', '');
  const WRITE = 'echo half > book.txt; until [ -e go ]; do sleep 0.05; done; echo whole > book.txt';
  story.drop('write.md', `---\nid: write\ndir: prices\n---\n\`\`\`bash\n${WRITE}\n\`\`\`\n`);
  story.work();
  await story.until('its half', async () => story.deskText('prices/book.txt') ?? undefined);
  const reader = await say(story, 'Say what is in prices.');
  const waited = await story.until('its waiting', async () => (await story.eventsOf('desk.awaited'))[0]);
  expect([waited.run, waited.data.behind].map((run) => run?.split('.')[0])).toEqual([reader, 'write']);
  story.write('workspace/desk/prices/go', '');
  const read = await story.until('what it read', async () =>
    (await story.eventsOf('call.ended')).find(({ data }) => data.call === waited.data.call),
  );
  expect(read.data.output).toMatchObject(seen);
});

it('a command waits for a file that its words name, and what else it reads only with reads:', async () => {
  await using story = await openStory();
  story.write('workspace/desk/prices/book.txt', 'old\n');
  const WRITE = 'echo half > book.txt; touch begun; until [ -e go ]; do sleep 0.05; done; echo whole > book.txt';
  const runbook = (id: string, fields: string, line: string): void =>
    story.drop(`${id}.md`, `---\nid: ${id}\n${fields}---\n\`\`\`bash\n${line}\n\`\`\`\n`);
  runbook('write', 'dir: prices\n', WRITE);
  story.work();
  await story.until('its half', async () => story.deskText('prices/begun') ?? undefined);
  runbook('names', 'writes: [names]\n', 'cat prices/book.txt > names/seen.txt');
  runbook('reads', 'writes: [reads]\nreads: [prices]\n', 'cd prices\ncat *.txt > ../reads/seen.txt');
  runbook('other', 'writes: [other]\n', 'cd prices\ncat *.txt > ../other/seen.txt');
  expect((await story.ended('other')).status).toBe('done');
  expect(story.deskText('other/seen.txt')).toBe('half\n');
  const waits = await story.until('both waits', async () => {
    const runs = (await story.eventsOf('desk.awaited')).map(({ run }) => run?.split('.')[0] ?? '');
    return runs.includes('names') && runs.includes('reads') ? runs : undefined;
  });
  expect(waits).not.toContain('other');
  story.write('workspace/desk/prices/go', '');
  for (const id of ['names', 'reads']) {
    expect((await story.ended(id)).status).toBe('done');
    expect(story.deskText(`${id}/seen.txt`)).toBe('whole\n');
  }
});

it('undo of a task does not wait for another one that works elsewhere, and for one in the same place it does', async () => {
  await using story = await openStory({});
  const drop = (id: string, dir: string, line: string): void =>
    story.drop(`${id}.md`, `---\nid: ${id}\ndir: ${dir}\n---\n\`\`\`bash timeout=120\n${line}\n\`\`\`\n`);
  for (const dir of ['here', 'there']) story.write(`workspace/desk/${dir}/kept.txt`, 'kept\n');
  story.work();
  for (const dir of ['here', 'there']) {
    drop(`made-${dir}`, dir, 'echo x > made.txt');
    expect((await story.ended(`made-${dir}`)).status).toBe('done');
  }
  drop('long', 'there', 'touch begun; while [ ! -e go ]; do sleep 0.1; done');
  await story.until('the long task', async () => (story.deskText('there/begun') === null ? undefined : true));
  const waiting = story.oka('undo', 'made-there');
  expect(await story.oka('undo', 'made-here')).toMatchObject({ code: 0 });
  expect([story.deskText('here/made.txt'), story.deskText('there/made.txt')]).toEqual([null, 'x\n']);
  expect(await story.eventsOf('run.ended', 'long')).toEqual([]);
  story.write('workspace/desk/there/go', '');
  expect(await waiting).toMatchObject({ code: 0 });
  expect(story.deskText('there/made.txt')).toBeNull();
  expect((await story.ended('long')).status).toBe('done');
});

it('a time of a schedule begins beside a long task elsewhere; one for the whole desk says for whom it waits', async () => {
  await using story = await openStory({});
  for (const dir of ['here', 'there']) story.write(`workspace/desk/${dir}/kept.txt`, 'kept\n');
  story.work();
  const long = 'touch begun; while [ ! -e go ]; do sleep 0.1; done';
  story.drop('long.md', `---\nid: long\ndir: there\n---\n\`\`\`bash timeout=120\n${long}\n\`\`\`\n`);
  await story.until('the long task', async () => (story.deskText('there/begun') === null ? undefined : true));
  const schedule = (name: string, lines: string): void =>
    story.write(
      `workspace/schedules/${name}.md`,
      `---\nat: ${new Date(Date.now() + 2000).toISOString()}\n${lines}---\n\`\`\`bash\ndate > ${name}.txt\n\`\`\`\n`,
    );
  schedule('beside', 'dir: here\n');
  await story.until('the one beside it', async () => (story.deskText('here/beside.txt') === null ? undefined : true));
  schedule('behind', '');
  const waits = await story.until('the one behind it', async () => (await story.eventsOf('desk.awaited'))[0]);
  expect(waits.run).toMatch(/^behind/);
  expect((await story.oka('status')).out).toMatch(/behind[^]*waits for the desk: long/);
  expect([story.deskText('behind.txt'), ...(await story.eventsOf('run.ended', 'long'))]).toEqual([null]);
  story.write('workspace/desk/there/go', '');
  await story.until('its end', async () => (story.deskText('behind.txt') === null ? undefined : true));
});
