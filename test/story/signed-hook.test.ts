/** A hook from its key to the task: the worker checks the signature, and the web server has no key to check it with. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { signWebhook } from '../../src/rooms/channels/webhook/webhook-channel.ts';
import { openStory } from '../support/story.ts';
import { openWebClient } from '../support/web-client.ts';

it('a signed call becomes a task that runs; forged and replayed ones do not, and the key is in the vault alone', async () => {
  await using story = await openStory();
  const { home } = story;
  story.write('.oka/rules/hooks/deploy.md', '# Deploy\n\n```bash\ncat payload.json\n```\n');
  const made = await story.oka('channels', 'hook', 'deploy', '--json');
  const { key, path } = JSON.parse(made.out) as { key: string; path: string };
  expect(await story.oka('channels', 'hook', 'deploy')).toMatchObject({
    code: 2,
    err: expect.stringContaining('oka secrets rm hook.deploy') as string,
  });
  expect((await story.oka('channels', 'hook', '../x')).code).toBe(2);

  const client = await openWebClient({ home });
  const call = async (id: string, body: string, signedWith = key): Promise<[number, unknown]> => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signWebhook(signedWith, id, timestamp, body);
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    const { status, text } = await client.send(path, { method: 'POST', headers, body });
    return [status, JSON.parse(text)];
  };
  try {
    // Without a worker a call waits for it.
    expect(await call('msg_0', '{"version":0}')).toEqual([202, { status: 'stored' }]);
    story.work();
    const results = async (): Promise<string[]> =>
      (await story.eventsOf('run.ended')).flatMap(({ run }) => (run?.startsWith('hook-') === true ? [run] : []));
    await story.until('the first task', async () => (await results())[0]);

    const [status, accepted] = await call('msg_1', '{"version":1}');
    expect([status, accepted]).toMatchObject([202, { status: 'accepted' }]);
    expect(await call('msg_1', '{"version":1}')).toMatchObject([200, { status: 'repeated' }]);
    expect((await call('msg_2', '{}', 'whsec_Zm9yZ2Vk'))[0]).toBe(401);
    const { task } = accepted as { task: string };
    const ended = await story.until('the second task', async () => (await story.eventsOf('run.ended', task))[0]);
    expect(ended.data.status).toBe('done');
    const received = await story.eventsOf('channel.received');
    expect(received.map(({ data }) => data.became)).toEqual(['task', 'task', 'nothing']);

    // Whoever forges calls takes nothing from whoever signs them, also from behind the same proxy.
    const forged = Array.from({ length: 200 }, (_, n) => call(`msg_f${n}`, '{}', 'whsec_Zm9yZ2Vk'));
    const [amid] = await call('msg_3', '{"version":3}');
    expect(new Set((await Promise.all(forged)).map(([code]) => code))).toEqual(new Set([401]));
    const [behind] = await call('msg_4', '{"version":4}');
    expect([amid, behind]).toEqual([202, 202]);
    expect((await story.oka('channels', 'log')).out).toContain('it was signed with the key of deploy');
  } finally {
    await client.close();
  }
  await story.rest();
  const secret = key.replace('whsec_', '');
  const files = readdirSync(home.dir, { recursive: true, encoding: 'utf8' }).filter((file) =>
    lstatSync(join(home.dir, file)).isFile(),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => readFileSync(join(home.dir, file), 'latin1').includes(secret))).toEqual([]);
});
