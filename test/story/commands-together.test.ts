/** Commands that write, typed at once where no worker runs: each waits for its turn with the pen, and all of it is kept. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { launcher } from '../support/cli.ts';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { openStory, type Story } from '../support/story.ts';

/** Runs the commands in processes of their own, all at once. */
async function together(dir: string, commands: readonly { words: string[]; input?: string }[]) {
  return Promise.all(
    commands.map(async ({ words, input = '' }) => {
      const child = spawn(process.execPath, [launcher, ...words, '--dir', dir]);
      child.stdin.end(input);
      const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { code: code as number | null, out, err };
    }),
  );
}

it('six frames that are put at once are all there', async () => {
  await using story = await openStory({ config: {} });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) {
    story.write(`workspace/desk/${name}.txt`, `This is the file ${name}.\n`);
    writeFileSync(join(story.home.dir, `${name}.md`), `What ${name} is about.\n`);
  }
  expect((await story.oka('context', 'scan')).code).toBe(0);
  const put = names.map((name) => ({
    words: ['context', 'put-frame', `desk/${name}.txt`, join(story.home.dir, `${name}.md`)],
  }));
  const ran = await together(story.home.dir, put);
  expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
  const events = await story.events();
  expect(events.filter(({ type }) => type.startsWith('frame.'))).toHaveLength(6);
});

it('four secrets that are set at once are all in the vault and in the ledger', async () => {
  await using story = await openStory({ config: {} });
  await together(story.home.dir, [{ words: ['secrets', 'set', 'FIRST'], input: 'value-of-the-first' }]);
  const names = ['ONE', 'TWO', 'THREE', 'FOUR'];
  const set = names.map((name) => ({ words: ['secrets', 'set', name], input: `value-of-${name}` }));
  const ran = await together(story.home.dir, set);
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const listed = (await story.oka('secrets', 'list')).out;
  for (const name of names) expect(listed).toContain(name);
  const recorded = (await story.events()).flatMap(({ type, data }) => (type === 'secret.changed' ? [data.name] : []));
  expect(recorded.toSorted()).toEqual(['FIRST', ...names].toSorted());
});

it('different commands at once: facts, tidying and archiving', async () => {
  await using story = await openStory({ config: {} });
  const ran = await together(story.home.dir, [
    { words: ['memory', 'fact', 'add', 'The dentist is in Mill Lane.'] },
    { words: ['memory', 'fact', 'add', 'Invoices go to the folder bills.'] },
    { words: ['tidy'] },
    { words: ['ledger', 'archive', '--before', '2020-01-01'] },
  ]);
  expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
});

/** What differs from run to run: numbers, and names that are made from the time. */
const plain = ({ code, out }: { code: number | null; out: string }): string =>
  `${code} ${out.replaceAll(/[\da-f]{8,}|\d+/g, '#')}`;

/** Commands that write, one after the other, with what each printed and its exit code. */
async function writeAll(story: Story): Promise<string[]> {
  const node = { id: 'a', kind: 'tool', tool: 'shell', input: { line: 'echo x >> x.txt' }, timeout_seconds: 60 };
  const write = (name: string, line: string): void =>
    story.write(
      `workspace/graphs/${name}.json`,
      JSON.stringify({ id: name, nodes: [{ ...node, max_retries: 0, input: { line } }] }),
    );
  write('good', 'echo x >> x.txt');
  write('bad', 'exit 3');
  const commands = [
    'memory fact add "The dentist is in Mill Lane." --id dentist',
    'memory fact delete dentist',
    'memory fact delete dentist',
    'run "```bash\necho alone >> alone.txt\n```"',
    'run "```bash\nexit 3\n```"',
    'run "think hard"',
    'graph run good --id g',
    'graph run good --id g',
    'graph run bad --id b',
    'graph resume b',
    'graph replay g',
    'graph fork g a --id f',
    'graph state set good key 1',
    'graph state delete good key',
    'graph state delete good key',
    'undo g --dry-run',
    'undo g',
    'runs pin g',
    'cancel g',
    'note g hello',
    'tools remove nothing',
    'tools install nothing-like-this',
    'requirements resolve nothing',
    'tidy',
    'ledger archive --before 2020-01-01',
    'context scan',
  ];
  const printed: string[] = [];
  for (const words of commands) {
    const ran = await story.oka(...(words.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')));
    printed.push(`${words}: ${plain({ ...ran, out: ran.out.replaceAll(story.home.dir, '') })}`);
  }
  return printed;
}

it('commands that write print the same and end with the same code alone and beside a worker', async () => {
  await using alone = await openStory({});
  await using beside = await openStory({});
  const expected = await writeAll(alone);
  beside.work();
  await beside.until('the worker', async () => penHolder(beside.home.ledgers.run) ?? undefined);
  expect(await writeAll(beside)).toEqual(expected);
  for (const name of ['x.txt', 'alone.txt']) expect(beside.deskText(name)).toBe(alone.deskText(name));
});

it('of facts that are added while the worker is killed each is there where its command says so, and not where it says that nothing was done', async () => {
  await using story = await openStory({});
  for (const round of [1, 2, 3]) {
    const worker = story.start(['worker']);
    await story.until('the worker', async () => penHolder(story.home.ledgers.run) ?? undefined);
    const ids = ['a', 'b', 'c', 'd'].map((name) => `${name}${round}`);
    const adding = together(
      story.home.dir,
      ids.map((id) => ({ words: ['memory', 'fact', 'add', `Fact ${id}.`, '--id', id] })),
    );
    await story.until(
      'one of them',
      async () => (await story.eventsOf('fact.kept')).some(({ data }) => data.id.endsWith(`${round}`)) || undefined,
    );
    worker.kill('SIGKILL');
    const ran = await adding;
    const kept = new Set((await story.eventsOf('fact.kept')).map(({ data }) => data.id));
    for (const [at, { code, err }] of ran.entries()) {
      if (code === 1) expect(err).toContain('may have been done');
      else expect([code, kept.has(ids[at] ?? '')]).toEqual(code === 3 ? [3, false] : [0, true]);
    }
  }
});
