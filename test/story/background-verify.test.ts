import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

it('a worker finds damage in older events by itself, pauses the run, and status and doctor say so', async () => {
  await using story = await openStory();
  story.work();
  story.drop('old.md', '---\nid: old\n---\nThink about the rent of last winter.\n'); // prose, which waits for a model
  const { run } = await story.until('the wait', async () => (await story.waiting())[0]);
  await story.rest();
  const file = story.home.ledgers.run;
  const bytes = readFileSync(file);
  const year = bytes.indexOf('"at":"2', bytes.indexOf('"run":"old"')) + '"at":"'.length;
  bytes.write('3', year); // in place, as a bad disk would do it
  writeFileSync(file, bytes);

  story.work();
  const found = await story.until('the damage', async () => (await story.eventsOf('ledger.damage_found'))[0]);
  expect(found.data).toMatchObject({ ledger: 'run', runs: [run] });
  const { seq } = found.data;
  expect(seq).toBeLessThan(found.seq);
  expect((await story.eventsOf('run.paused', run)).at(-1)?.data.reason).toContain(`event ${seq} is damaged`);
  expect((await story.oka('status')).out).toContain(`event ${seq} of the run ledger is damaged`);
  expect((await story.oka('doctor')).out).toContain(`event ${seq} of the run ledger is damaged`);
  await story.rest();

  const restored = readFileSync(file);
  restored.write('2', year);
  writeFileSync(file, restored); // what was appended since is intact
  expect(await story.oka('verify')).toMatchObject({ code: 0 });
});
