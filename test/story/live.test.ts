import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { socketFile } from '../../src/kit/socket/live-socket.ts';
import { followLive } from '../../src/kit/socket/follow-live.ts';
import type { LiveMessage } from '../../src/core/schema/live.ts';
import { openStory } from '../support/story.ts';
import { oka } from '../support/cli.ts';
import { inParts, plan } from '../support/story-model.ts';

/** A runbook whose command writes a line and then waits for a file. */
const TASK = `---
id: slow
accept: ['file: go']
---
\`\`\`sh
echo "now at the first line"
while [ ! -e go ]; do sleep 0.1; done
echo "and the last"
\`\`\`
`;

describe('what is done now', () => {
  it('is shown by oka show --follow while a command runs, and never through the ledger', async () => {
    await using story = await openStory();
    story.drop('slow.md', TASK);
    story.work();
    await story.until('the command', async () =>
      (await story.eventsOf('call.started')).find(({ data }) => data.tool === 'shell'),
    );
    const followed = oka('show', 'slow', '--follow', '--dir', story.home.dir);
    const json = { text: '' };
    const lines = story.start(['show', 'slow', '--follow', '--json']);
    lines.stdout?.on('data', (text: string) => (json.text += text));
    await story.until('the first line', async () => (json.text.includes('now at the first line') ? true : undefined));
    expect(JSON.stringify(await story.events())).not.toContain('"stdout":"now at the first line');
    story.write('workspace/desk/go', '');
    await story.ended('slow');
    const shown = (await followed).out;
    expect(shown).toContain('now at the first line');
    expect(shown).toContain('# ');
    const live = json.text.split('\n').filter((line) => line.includes('"kind":"output"'));
    expect(JSON.parse(live[0] ?? '{}')).toMatchObject({ kind: 'output', text: expect.stringContaining('first line') });
  });

  it('a worker that was killed leaves a socket that the next one replaces', async () => {
    await using story = await openStory();
    const first = story.start(['worker']);
    const isThere = async (): Promise<true | undefined> =>
      existsSync(socketFile(story.home, 'live')) ? true : undefined;
    await story.until('the socket', isThere);
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(await isThere()).toBe(true);
    const seen: LiveMessage[] = [];
    const stop = new AbortController();
    const following = followLive(story.home, stop.signal, (message) => seen.push(message));
    story.drop('slow.md', TASK);
    story.work();
    await story.until('the first line', async () => (seen.length > 0 ? true : undefined));
    story.write('workspace/desk/go', '');
    await story.ended('slow');
    stop.abort();
    await following;
  });

  it('the tokens of a model are counted while somebody watches', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () => {
          const content = 'a long file '.repeat(200);
          return plan(
            [{ id: 'write', tool: 'files.write', input: { path: 'a.txt', content }, targets: ['a.txt'] }],
            ['file: a.txt'],
          );
        },
      }),
    });
    const seen: LiveMessage[] = [];
    const stop = new AbortController();
    const following = followLive(story.home, stop.signal, (message) => seen.push(message));
    story.drop('slow.md', TASK);
    story.work();
    await story.until('somebody who watches', async () => (seen.length > 0 ? true : undefined));
    story.write('workspace/desk/go', '');
    story.drop('prose.md', "---\nid: prose\naccept: ['file: a.txt']\n---\nWrite it.\n");
    await story.ended('prose');
    stop.abort();
    await following;
    expect(seen).toContainEqual({ run: 'prose', step: 'plan', kind: 'tokens', count: expect.any(Number) });
    expect(story.model.requests.some(({ stream }) => stream)).toBe(true);
  });
});
