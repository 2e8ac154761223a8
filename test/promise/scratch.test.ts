import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';

const LINES = 20_000;

it('R1 a read has a folder for its temporary files and no other place to write', async () => {
  const look = (id: string, line: string): { id: string; tool: string; input: { line: string } } => ({
    id,
    tool: 'shell',
    input: { line },
  });
  await using story = await openStory({
    model: inParts({
      planner: () =>
        plan(
          [
            look('sort', 'sort -n -r -S 32k --parallel=1 numbers.txt | head -n 1'),
            look('long-text', 'cat <<< "$(seq 1 40000)" | wc -l'),
            look('where', 'printenv TMPDIR'),
          ],
          ['file: numbers.txt'],
        ),
    }),
  });
  story.write('workspace/desk/numbers.txt', Array.from({ length: LINES }, (_, at) => `${at + 1}\n`).join(''));
  story.drop('look.md', "---\nid: look\naccept: ['file: numbers.txt']\n---\nLook at numbers.txt.\n");
  story.work();
  expect((await story.ended('look')).status).toBe('done');
  const started = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === 'shell');
  expect(started.map(({ data }) => data.class)).toEqual(['read', 'read', 'read']);
  const ended = await story.eventsOf('call.ended');
  const [sorted, counted, folder = ''] = ['sort', 'long-text', 'where'].map((node) => {
    const output = ended.find(({ data }) => data.node === node)?.data.output;
    return (output as { stdout: string } | undefined)?.stdout.trim();
  });
  expect([sorted, counted]).toEqual([`${LINES}`, '40000']);
  expect(folder).toContain(join('.oka', 'scratch', 'call-'));
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(join(story.home.oka, 'scratch'))).toEqual([]);
});
