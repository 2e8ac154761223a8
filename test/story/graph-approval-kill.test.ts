/** A graph that asks for an approval, and a worker that is killed before and after the answer: it sends once. */
import type { Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canJail, whyNot } from '../support/launcher.ts';
import { openRecordingServer, portOf } from '../support/recording-server.ts';
import { openStory } from '../support/story.ts';

let server: Server;
let requests: string[];
beforeEach(async () => {
  requests = [];
  server = await openRecordingServer('counter', requests);
});
afterEach(() => void server.close());

const killed = async (worker: {
  kill: (signal: 'SIGKILL') => boolean;
  once: (event: 'exit', done: () => void) => unknown;
}): Promise<void> => {
  const gone = new Promise<void>((done) => worker.once('exit', done));
  worker.kill('SIGKILL');
  await gone;
};

describe.runIf(canJail)(`a graph that asks${whyNot}`, () => {
  it('before it sends, and is killed around the answer, sends once', async () => {
    await using story = await openStory();
    const url = `http://127.0.0.1:${portOf(server)}/`;
    const node = {
      kind: 'tool',
      id: 'send',
      tool: 'http.request',
      input: { method: 'POST', url, body: 'x' },
      timeout_seconds: 60,
      max_retries: 2,
    };
    story.write('workspace/graphs/post.json', JSON.stringify({ id: 'post', title: 'Post', nodes: [node] }));
    story.write(
      'workspace/schedules/post.json',
      JSON.stringify({ graph: 'post', at: new Date(Date.now() - 60_000).toISOString() }),
    );
    const first = story.start(['worker']);
    const { wait } = await story.asked('approval');
    await killed(first);
    expect(requests).toEqual([]);
    const second = story.start(['worker']);
    await story.until('a worker', async () => ((await story.eventsOf('worker.started')).length > 1 ? true : undefined));
    await story.oka('approve', wait);
    await story.until('its request', async () => (requests.length > 0 ? true : undefined));
    await killed(second);
    story.work();
    const ended = await story.until('its end or a question', async () => {
      const asked = (await story.waiting()).find((each) => each.for.kind === 'question');
      if (asked !== undefined) await story.oka('answer', asked.wait, 'done');
      return (await story.eventsOf('run.ended'))[0];
    });
    expect(ended.data.status).toBe('done');
    expect(requests).toEqual(['counter POST']);
  });
});
