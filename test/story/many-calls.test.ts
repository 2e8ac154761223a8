import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { goal, inParts, plan, refusing, turnOf } from '../support/story-model.ts';
import { call, calls } from '../support/wire-server-reply.ts';

it('of an answer with 500 calls none is made, the model is told, and it goes on with fewer', async () => {
  await using story = await openStory({
    model: inParts({
      planner: () => plan([goal('add', 'add the lines', ['shell'])], ['file: log.txt']),
      executor: (request) => {
        if (request.text.includes('none of them was made: at most 32'))
          return call('shell', { line: 'echo one >> log.txt' });
        if (turnOf(request) > 1) return call('finish', { output: 'done' });
        return calls(
          Array.from({ length: 500 }, (_, index) => ({ name: 'shell', input: { line: `echo ${index} >> log.txt` } })),
        );
      },
      critic: refusing,
    }),
  });
  story.drop('add.md', '---\nid: add\nbudget: { replans: 0 }\n---\nAdd one line to log.txt.\n');
  story.work();
  await story.ended('add');
  expect(story.deskText('log.txt')).toBe('one\n');
});
