import { describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { openChatStory, persona } from '../support/chat-story.ts';
import { call, say, type WireReply } from '../support/wire-server-reply.ts';

const agents = { arya: persona('Knows names.'), gendry: persona('Makes things.') };

describe('a conversation with a worker', () => {
  it('is answered by those who are mentioned, who forward to each other until nobody is mentioned', async () => {
    await using chat = await openChatStory(agents, ({ agent }) =>
      agent === 'arya' ? 'A sword, @gendry please make it.' : 'It is made.',
    );
    chat.story.work();
    chat.open('forge');
    const id = chat.post('forge', '@arya what do we need?');
    const messages = await chat.settled('forge', 5);
    expect(messages.map(({ from, content, depth }) => [from, content, depth])).toEqual([
      ['user', '@arya what do we need?', 0],
      ['system', 'arya joined', 0],
      ['arya', 'A sword, @gendry please make it.', 0],
      ['system', 'gendry joined', 0],
      ['gendry', 'It is made.', 1],
    ]);
    expect(messages[2]).toMatchObject({ status: 'done', chain: id, run: `chat-${id}-arya`, model: 'custom:story' });
    expect(messages[2]?.cost?.calls).toBeGreaterThan(0);
  });

  it('uses tools through the chain, within what the file of the agent allows', async () => {
    await using chat = await openChatStory(
      {
        arya: persona('Reads only.', 'tools: [files.write]\n'),
        gendry: persona('Makes things.', 'role: writer\n'),
      },
      ({ agent, request }) => {
        if (request.text.includes('which the others do not see')) return 'I tried.';
        expect(request.tools).not.toContain('task_plan');
        return agent === 'gendry'
          ? call('files_write', { path: 'sword.txt', content: 'steel' })
          : call('files_write', { path: 'needle.txt', content: 'thin' });
      },
    );
    chat.story.work();
    chat.open('forge');
    chat.post('forge', '@gendry @arya write something');
    const messages = await chat.settled('forge', 5);
    expect(messages.filter(({ kind }) => kind === 'agent').map(({ from, content }) => `${from}: ${content}`)).toEqual([
      'gendry: I tried.',
      expect.stringContaining('arya: I could not answer: the planner answered 3 times in a row what is not allowed'),
    ]);
    expect(readFileSync(chat.story.desk('sword.txt'), 'utf8')).toBe('steel');
    expect(chat.story.deskText('needle.txt')).toBeNull();
  });

  it('says for whom an agent waits that may not write to the desk yet', async () => {
    const writer = persona('Makes things.', 'role: writer\n');
    await using chat = await openChatStory({ arya: writer, gendry: writer }, ({ agent, request }) => {
      if (request.text.includes('which the others do not see')) return 'Written.';
      return agent === 'arya'
        ? call('shell', { line: 'cat pipe > arya.txt' })
        : call('files_write', { path: 'gendry.txt', content: 'steel' });
    });
    execFileSync('mkfifo', [chat.story.desk('pipe')]);
    chat.story.work();
    chat.open('forge');
    chat.open('hall');
    chat.post('forge', '@arya write');
    await chat.story.until('arya writes', async () => {
      const events = await chat.story.events();
      return events.some(({ type }) => type === 'desk.kept') || undefined;
    });
    chat.post('hall', '@gendry write');
    const waiting = await chat.story.until('gendry waits', async () => {
      const reply = (await chat.conversation('hall'))?.queue[0];
      return reply?.state === 'waiting for another' ? reply : undefined;
    });
    expect(waiting).toMatchObject({ agent: 'gendry', tool: 'files.write', waits_for: 'arya' });
    expect((await chat.conversation('forge'))?.queue[0]).toMatchObject({ agent: 'arya', state: 'using a tool' });
    writeFileSync(chat.story.desk('pipe'), 'iron');
    expect((await chat.settled('hall', 3)).at(-1)).toMatchObject({ from: 'gendry', content: 'Written.' });
    expect(chat.story.deskText('arya.txt')).toBe('iron');
  });

  it('is paused in the middle, queues what comes, and goes on in order when it is resumed', async () => {
    await using chat = await openChatStory(agents, ({ agent, request }) => {
      if (agent === 'gendry') return 'Last.';
      if (request.text.includes('which the others do not see')) return 'First.';
      return call('files_list', {});
    });
    chat.story.work();
    chat.open('forge');
    chat.request({ kind: 'chat_pause', conversations: ['forge'] });
    chat.post('forge', '@arya start');
    chat.post('forge', '@gendry go on');
    const queue = await chat.story.until('a queue', async () => {
      const entry = await chat.conversation('forge');
      return entry?.queue.length === 2 ? entry.queue : undefined;
    });
    expect(queue.map(({ agent, state }) => `${agent} ${state}`)).toEqual(['arya queued', 'gendry queued']);
    expect(chat.story.model.requests).toEqual([]);
    chat.request({ kind: 'chat_resume' });
    const messages = await chat.settled('forge', 6);
    expect(messages.flatMap(({ kind, content }) => (kind === 'agent' ? [content] : []))).toEqual(['First.', 'Last.']);
  });

  it('that is paused while an answer is being written gets it, is asked for it once, and forwards it when it is resumed', async () => {
    const gate = Promise.withResolvers<WireReply>();
    let asked = 0;
    await using chat = await openChatStory(agents, () => '', {
      model: () => ((asked += 1) === 1 ? gate.promise : say('Forged.')),
    });
    chat.story.work();
    chat.open('forge');
    chat.post('forge', '@arya start');
    await chat.story.until('the model', async () => (asked === 1 ? true : undefined));
    chat.request({ kind: 'chat_pause', conversations: ['forge'] });
    await chat.story.until(
      'the pause',
      async () => (await chat.conversation('forge'))?.state === 'paused' || undefined,
    );
    gate.resolve(say('@gendry it is yours.'));
    const written = await chat.story.until('the answer', async () => {
      const found = (await chat.messages('forge')).find(({ kind }) => kind === 'agent');
      return found;
    });
    expect(written).toMatchObject({ from: 'arya', content: '@gendry it is yours.' });
    expect((await chat.conversation('forge'))?.queue).toMatchObject([{ agent: 'gendry', state: 'queued' }]);
    expect(asked).toBe(1);
    chat.request({ kind: 'chat_resume' });
    const messages = await chat.settled('forge', 5);
    expect(messages.at(-1)).toMatchObject({ from: 'gendry', content: 'Forged.' });
    expect(asked).toBe(2);
  });

  it('says why a reply failed, and goes on with the next', async () => {
    await using chat = await openChatStory(
      { ...agents, arya: persona('Knows names.', 'model: nobody:nothing\n') },
      () => 'Here.',
    );
    chat.story.work();
    chat.open('forge');
    chat.post('forge', '@arya @gendry');
    const messages = await chat.settled('forge', 5);
    const [arya, gendry] = messages.filter(({ kind }) => kind === 'agent');
    expect(arya).toMatchObject({ from: 'arya', status: 'failed' });
    expect(arya?.content).toMatch(/^I could not answer: .*nobody/);
    expect(gendry).toMatchObject({ from: 'gendry', status: 'done', content: 'Here.' });
  });

  it('that is stopped has a message that says so; one that is deleted has nothing', async () => {
    await using chat = await openChatStory(agents, () => ({ do: 'stall', first: '' }));
    chat.story.work();
    chat.open('forge');
    chat.post('forge', '@arya @gendry');
    await chat.story.model.asked(1);
    chat.request({ kind: 'chat_stop', conversation: 'forge' });
    const messages = await chat.settled('forge', 4);
    expect(messages.at(-1)).toMatchObject({ from: 'arya', status: 'stopped' });
    chat.post('forge', '@gendry');
    await chat.story.model.asked(2);
    chat.request({ kind: 'chat_delete', conversation: 'forge' });
    await chat.story.until('its end', async () => ((await chat.conversation('forge')) === null ? true : undefined));
    const ended = await chat.story.until('the end of the run', async () => (await chat.story.eventsOf('run.ended'))[1]);
    expect(ended.data.status).toBe('cancelled');
  });

  it('lets an agent search its own conversation, and no other', async () => {
    await using chat = await openChatStory(agents, ({ agent, request }) => {
      if (agent === 'gendry') return 'Noted.';
      return request.text.includes('which the others do not see')
        ? `found: ${request.text.includes('the needle is hidden')}, other: ${request.text.includes('a secret needle')}`
        : call('chat_search', { query: 'needle' });
    });
    chat.story.work();
    for (const name of ['forge', 'yard']) chat.open(name);
    chat.post('yard', '@gendry a secret needle');
    await chat.settled('yard', 3);
    chat.post('forge', '@gendry the needle is hidden');
    await chat.settled('forge', 3);
    chat.post('forge', '@arya where is it?');
    const messages = await chat.settled('forge', 6);
    expect(messages.at(-1)?.content).toBe('found: true, other: false');
  });

  it('asks everybody with one snapshot: nobody sees the answers of the others to the same question', async () => {
    await using chat = await openChatStory(agents, ({ agent, request }) =>
      agent === 'arya' ? 'WORD' : `saw ${request.text.split('WORD').length - 1}`,
    );
    chat.story.work();
    chat.open('forge');
    chat.post('forge', '@arya @gendry begin');
    expect((await chat.settled('forge', 5)).at(-1)?.content).toBe('saw 1');
    chat.post('forge', '@all and now?');
    expect((await chat.settled('forge', 8)).at(-1)?.content).toBe('saw 1');
  });

  it('is answered while an agent is busy in another one', async () => {
    await using chat = await openChatStory(agents, ({ agent }) =>
      agent === 'arya' ? { do: 'stall', first: '' } : 'Here.',
    );
    chat.story.work();
    for (const name of ['forge', 'yard']) chat.open(name);
    chat.post('yard', '@arya wait');
    await chat.story.model.asked(1);
    chat.post('forge', '@gendry go');
    expect((await chat.settled('forge', 3)).at(-1)?.content).toBe('Here.');
    expect((await chat.conversation('yard'))?.queue).toMatchObject([{ agent: 'arya', state: 'thinking' }]);
  });

  it('ends a reply at the limit of its agent, and forwards to nobody whom the file of an agent leaves out', async () => {
    await using chat = await openChatStory(
      {
        arya: persona('Looks.', 'budget: { tool_calls: 3 }\n'),
        gendry: persona('Makes things.', 'mentions: []\n'),
      },
      ({ agent }) => (agent === 'arya' ? call('files_list', { path: '.' }) : '@arya come'),
    );
    chat.story.work();
    chat.open('forge');
    chat.post('forge', '@arya look');
    expect((await chat.settled('forge', 3)).at(-1)).toMatchObject({ status: 'stopped', limit: 'tool_calls' });
    chat.post('forge', '@gendry you');
    const messages = await chat.settled('forge', 7);
    expect(messages.at(-1)?.content).toBe('It may not mention @arya, so they were not asked.');
    expect(await chat.story.eventsOf('notice.queued')).toHaveLength(2);
  });
});
