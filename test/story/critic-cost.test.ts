import { expect, it } from 'vitest';
import { memoryRows } from '../../src/core/ledger/memory-rows.ts';
import { taskRecordOf, taskRecords } from '../../src/kit/learning/task-record.ts';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan, verdict } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

it('what the critic cost is known of every task, so that work that it judges is compared with work that it does not', async () => {
  const model = inParts({
    planner: () => plan([goal('write', 'Greet Ada', ['files.write', 'files.read'])], ['The greeting is friendly.']),
    executor: acting(
      call('files_write', { path: 'hello.txt', content: 'How good to see you, Ada!\n' }),
      call('files_read', { path: 'hello.txt' }),
    ),
    critic: ({ text }) => {
      const evidence = [...text.matchAll(/\b(E\d+) files\.read/g)].at(-1)?.[1] ?? '';
      const judged = verdict('done', [{ criterion: 'c1', holds: true, evidence, quote: 'How good to see you' }]);
      return { ...judged, usage: { in: 4000, out: 321 } };
    },
  });
  await using story = await openStory({ model });
  story.work();
  story.drop('greet.md', '---\nid: greet\n---\nWrite a friendly greeting for Ada into hello.txt\n');
  expect((await story.ended('greet')).status).toBe('done');
  const rows = memoryRows();
  for (const event of await story.events()) taskRecords.take({ event, text: () => null }, rows);
  const record = taskRecordOf(rows, 'greet');
  const questions = story.model.requests.length;
  expect(record).toMatchObject({ critic_tokens: 4321, tokens: 4321 + 15 * (questions - 1), thoughts: questions });
});
