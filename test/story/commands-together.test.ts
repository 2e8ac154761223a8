/** Commands that write, typed at once where no worker runs: each waits for its turn with the pen, and all of it is kept. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { launcher } from '../support/cli.ts';
import { openStory } from '../support/story.ts';

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
