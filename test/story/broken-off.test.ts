/** Calls whose other side breaks off, through the command line: what may have happened outside is counted there. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { portOf } from '../support/recording-server.ts';
import { openStory, type Story } from '../support/story.ts';

let server: Server;
let posts = 0;
/** How the server treats the next request: it has taken it in any case. */
let after: 'hang up' | 'stay silent' | 'answer' = 'hang up';
beforeEach(async () => {
  posts = 0;
  server = createServer((request, response) => {
    posts += 1;
    if (after === 'hang up') request.socket.destroy();
    if (after === 'answer') response.end('taken');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function openPosting(): Promise<Story> {
  const host = `127.0.0.1:${portOf(server)}`;
  const story = await openStory({
    policy: (text) => text.replace('rules: []', `rules:\n  - { effect: allow, host: '${host}' }`),
  });
  const post = { kind: 'tool', id: 'post', tool: 'http.request', timeout_seconds: 5, max_retries: 2 };
  const input = { method: 'POST', url: `http://${host}/`, body: 'x' };
  const save = { kind: 'tool', id: 'save', tool: 'files.write', needs: ['post'], timeout_seconds: 60, max_retries: 0 };
  story.write(
    'workspace/graphs/posting.json',
    JSON.stringify({
      id: 'posting',
      nodes: [
        { ...post, input },
        { ...save, input: { path: 'after.txt', content: 'went on' } },
      ],
    }),
  );
  return story;
}

it.each(['hang up', 'stay silent'] as const)(
  'a graph whose POST has arrived and got no answer (%s) is in doubt: it is sent once, and a person decides',
  async (how) => {
    after = how;
    await using story = await openPosting();
    const { out } = await story.oka('graph', 'run', 'posting');
    expect(out).toMatch(/blocked.*broke off, and how it ended/s);
    expect(await story.eventsOf('run.ended')).toEqual([]);
    const { wait } = await story.asked('question');
    after = 'answer';
    story.work();
    await story.oka('answer', wait, 'done');
    await story.until('its end', async () => (await story.eventsOf('run.ended'))[0]);
    expect((await story.eventsOf('run.ended'))[0]?.data).toMatchObject({ status: 'done' });
    expect(story.deskText('after.txt')).toBe('went on');
    expect(posts).toBe(1);
  },
);
