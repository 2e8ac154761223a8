/** A real ntfy server: question, message on the phone, answer by a button, and the run goes on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { okaWith } from '../../support/cli.ts';
import { type NtfyMessage, type NtfyServer, ntfyProgram, openNtfyServer } from '../../support/ntfy-server.ts';
import { openStory, type Story } from '../../support/story.ts';

let server: NtfyServer;
let story: Story;

const paint = {
  id: 'paint',
  nodes: [{ kind: 'wait', id: 'ask', for: { kind: 'question', text: 'Which colour?', options: ['red', 'blue'] } }],
};

async function setUpChannel(extra: object = {}): Promise<void> {
  const { home } = story;
  for (const [name, value] of [
    ['NTFY', server.worker],
    ['BUTTONS', server.buttons],
  ] as const) {
    const words = ['secrets', 'set', name, '--tool', 'channels.phone', '--host', server.host, '--dir', home.dir];
    expect(await okaWith({ input: `${value}\n` }, ...words)).toMatchObject({ code: 0 });
  }
  const phone = {
    kind: 'ntfy',
    url: server.url,
    topic: 'oka',
    token: 'secret:NTFY',
    answers: { topic: 'answers', button_token: 'secret:BUTTONS' },
  };
  const file = { announce: ['needs_you', 'done', 'failed'], channels: { phone }, ...extra };
  writeFileSync(join(home.oka, 'rules', 'channels.json'), JSON.stringify(file));
  story.write('workspace/graphs/paint.json', JSON.stringify(paint));
}

const found = async (title: string): Promise<NtfyMessage> =>
  story.until(`the message ${title}`, async () => (await server.received()).find((each) => each.title.includes(title)));

describe.skipIf(ntfyProgram === null)('a real ntfy server', () => {
  beforeEach(async () => {
    server = await openNtfyServer();
    story = await openStory();
    await setUpChannel();
  });
  afterEach(async () => {
    await story[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('a question becomes a message with buttons; a button answers it, the run goes on, and the message is closed', async () => {
    story.work();
    submit(join(story.home.oka, 'intake'), { kind: 'run_graph', id: 'paint-1', graph: 'paint', input: {} });
    const message = await found('paint');
    expect(message.message).toBe('Which colour?');
    expect(message.actions?.map(({ label }) => label)).toEqual(['red', 'blue']);
    const blue = message.actions?.[1];
    if (blue === undefined) throw new Error('there is no second button');

    // The token of a button may write to the answer topic alone.
    const stolen = { ...blue, url: `${server.url}/oka` };
    expect(await server.press(stolen)).toBe(403);
    // Rubbish in the answer topic changes nothing.
    expect(await server.press({ ...blue, body: 'blue' })).toBe(200);
    expect(await server.press({ ...blue, body: blue.body.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')) })).toBe(
      200,
    );
    expect(await server.press(blue)).toBe(200);
    const closed = await story.until('the answer', async () => (await story.eventsOf('wait.closed'))[0]);
    expect(closed.data.answer).toMatchObject({ verdict: 'answered', text: 'blue', through: 'phone' });
    const ended = await story.until('the end', async () => (await story.eventsOf('run.ended', 'paint-1'))[0]);
    expect(ended.data.status).toBe('done');
    await story.until('the closing', async () =>
      (await server.received()).find(({ message: text }) => text.startsWith('Answered at')),
    );
    // A replay of the same button.
    const before = (await story.eventsOf('channel.received')).length;
    expect(await server.press(blue)).toBe(200);
    await story.until('the replay', async () => (await story.eventsOf('channel.received'))[before]);
    const received = await story.eventsOf('channel.received');
    expect(received.map(({ data }) => data.became)).toEqual(['nothing', 'nothing', 'answer', 'nothing']);
    expect(await story.eventsOf('wait.closed')).toHaveLength(1);
  });

  it('a flood is one message that is updated in place, and closed in place when all of it is answered', async () => {
    story.work();
    const runs = Array.from({ length: 16 }, (_, index) => `paint-${index}`);
    const ask = (some: readonly string[]): void => {
      for (const id of some)
        submit(join(story.home.oka, 'intake'), { kind: 'run_graph', id, graph: 'paint', input: {} });
    };
    ask(runs.slice(0, 8));
    await found('questions for you');
    ask(runs.slice(8));
    await story.until('an update', async () =>
      (await story.eventsOf('delivery.started')).find(({ data }) => data.act === 'update'),
    );
    await story.until('all sixteen', async () => {
      const things = (await story.eventsOf('delivery.started')).flatMap(({ data }) => data.things);
      return things.length === 16 ? true : undefined;
    });
    const groups = (await server.received()).filter(({ title }) => title.includes('questions for you'));
    expect(groups.length).toBeGreaterThan(1);
    expect(new Set(groups.map(({ sequence_id }) => sequence_id)).size).toBe(1);
    const waits = await story.eventsOf('wait.opened');
    for (const { data } of waits) await story.oka('answer', data.wait, 'blue');
    const shownNow = await story.until('the close', async () => {
      const last = new Map((await server.received()).map((message) => [message.sequence_id, message.message]));
      return [...last.values()].every((text) => text.startsWith('Answered at')) ? last : undefined;
    });
    // What the phone shows: the messages that came alone, and one for everything else.
    expect(shownNow.size).toBeLessThanOrEqual(6);
  });

  it('a server that was down gets everything once it is back, and nothing twice', async () => {
    story.work();
    await story.until('a working channel', async () =>
      (await story.oka('channels', 'test', 'phone')).code === 0 ? true : undefined,
    );
    await server.stop();
    for (const name of ['one', 'two', 'three'])
      story.drop(`${name}.md`, `# Task ${name}\n\n\`\`\`bash\necho ${name}\n\`\`\`\n`);
    await story.until('three results', async () =>
      (await story.eventsOf('run.ended')).length >= 6 ? true : undefined,
    );
    await story.until('a failure', async () =>
      (await story.eventsOf('delivery.ended')).find(({ data }) => data.status === 'failed'),
    );
    // Both ways fail, and both are named.
    const status = await story.until('a failing connection', async () => {
      const { out } = await story.oka('status');
      return out.includes('nothing can be received') ? out : undefined;
    });
    expect(status).toMatch(/channel phone has failed since .*ECONNREFUSED.*; nothing can be received/);
    expect((await story.oka('doctor')).out).toContain('nothing can be received');
    await server.start();
    const names = ['one', 'two', 'three'];
    const messages = await story.until('all of it', async () => {
      const all = await server.received();
      const isThere = (name: string): boolean => all.some(({ title, message }) => `${title} ${message}`.includes(name));
      return names.every(isThere) ? all : undefined;
    });
    for (const name of names)
      expect(messages.filter(({ title, message }) => `${title} ${message}`.includes(`Task ${name}`))).toHaveLength(1);
    const things = (await story.eventsOf('delivery.started'))
      .filter(({ data }) => data.attempt === 1)
      .flatMap(({ data }) => data.things);
    expect(new Set(things).size).toBe(things.length);
    expect(things).toHaveLength(3);
    await story.until('a channel that works again', async () =>
      (await story.oka('status')).out.includes('channel phone') ? undefined : true,
    );
  });
});
