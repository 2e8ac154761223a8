/** Requests about conversations, the state that the worker has of them, and what people see: from the same events. */
import { beforeEach, describe, expect, it } from 'vitest';
import { chatIds } from '../../../../src/rooms/chat/model/chat-ids.ts';
import {
  findConversation,
  listConversations,
  listMessages,
  pinnedMessages,
  searchMessages,
} from '../../../../src/rooms/chat/model/chat-queries.ts';
import { eventsForRequest } from '../../../../src/rooms/chat/model/chat-requests.ts';
import { type ChatIntake, chatProjection, type ChatState } from '../../../../src/rooms/chat/model/chat-state.ts';
import { messageEvents } from '../../../../src/rooms/chat/model/post-message.ts';
import { checkEvent, type Event, type NewEvent } from '../../../../src/core/schema/event.ts';
import { replyRun } from '../../../../src/core/schema/chat-names.ts';
import { type FoldedRows, openFoldedRows } from '../../../support/folded-rows.ts';

const known = ['oka', 'arya', 'gendry'];

describe('a conversation', () => {
  let state: ChatState;
  let folded: FoldedRows;
  let newId: () => string;

  beforeEach(async () => {
    let now = Date.UTC(2026, 0, 1);
    newId = chatIds(() => (now += 1000));
    state = chatProjection.initial();
    folded = await openFoldedRows();
    return () => folded[Symbol.dispose]();
  });

  const add = (events: readonly NewEvent[]): void => {
    for (const event of events) state = chatProjection.apply(state, { ...checkEvent(event), seq: 1 } as Event);
    folded.add(events);
  };
  const request = (intake: ChatIntake): NewEvent[] => {
    const events = eventsForRequest(state, intake, { known, newId });
    add(events);
    return events;
  };
  const open = (name = 'kitchen'): void => void request({ kind: 'chat_open', conversation: `c-${name}`, name });
  const post = (content: string, message = newId(), conversation = 'kitchen'): string => {
    request({ kind: 'chat_post', conversation, message, content });
    return message;
  };
  const contents = (named = 'kitchen'): string[] =>
    listMessages(folded.rows, named).messages.map(({ from, content }) => `${from}: ${content}`);
  const answer = (notice: string, content: string): void => {
    const taken = state.notices[notice];
    if (taken === undefined) throw new Error(`no notice ${notice}`);
    const { agent, depth, chain, conversation } = taken;
    const about = { message: newId(), from: agent, kind: 'agent' as const, content, depth, chain, notice };
    const at = state.conversations[conversation];
    if (at === undefined) throw new Error('no conversation');
    add(messageEvents(at, { ...about, run: replyRun(notice), status: 'done' }, { known, newId }));
  };
  const queue = (): string[] =>
    findConversation(folded.rows, 'kitchen')?.queue.map(({ agent, state: doing }) => `${agent} ${doing}`) ?? [];

  it('asks those who are mentioned, in their order, who join by that', () => {
    open();
    const message = post('@gendry @arya, dinner?');
    expect(contents()).toEqual(['user: @gendry @arya, dinner?', 'system: gendry joined', 'system: arya joined']);
    expect(queue()).toEqual(['gendry queued', 'arya queued']);
    expect(Object.keys(state.notices)).toEqual([`${message}-gendry`, `${message}-arya`]);
    expect(state.owed).toEqual({});
  });

  it('has a message that is submitted twice once', () => {
    open();
    const message = post('hello');
    expect(request({ kind: 'chat_post', conversation: 'c-kitchen', message, content: 'hello' })).toEqual([]);
    expect(contents().filter((line) => line.includes('hello'))).toHaveLength(1);
  });

  it('of a person and one agent needs no mention; among several only a mention asks', () => {
    open();
    post('hello');
    expect(queue()).toEqual(['oka queued']);
    answer(Object.keys(state.notices)[0] ?? '', 'ask @arya');
    expect(queue()).toEqual(['arya queued']);
    answer(Object.keys(state.notices)[0] ?? '', 'done');
    post('thank you both');
    expect(queue()).toEqual([]);
  });

  it('keeps a pinned message when others expire, and gives it up when a person clears all', () => {
    open();
    const [, second, third] = [post('one'), post('two'), post('three')];
    const change = { kind: 'chat_change', conversation: 'kitchen' } as const;
    request({ ...change, pin: { message: second, pinned: true } });
    request({ ...change, pin: { message: 'nosuchmessag', pinned: true } });
    const messages = listMessages(folded.rows, 'kitchen').messages.length;
    add([
      { type: 'chat.expired', data: { conversation: 'c-kitchen', until: third, messages: messages - 1, why: 'ttl' } },
    ]);
    expect(contents()).toEqual(['user: two']);
    expect(pinnedMessages(folded.rows, 'kitchen').map(({ id }) => id)).toEqual([second]);
    expect(findConversation(folded.rows, 'kitchen')).toMatchObject({ messages: 1, last: { id: second } });
    expect(state.conversations['c-kitchen']?.messages).toBe(1);
    request({ ...change, clear: true });
    expect(contents()).toEqual([]);
    expect(pinnedMessages(folded.rows, 'kitchen')).toEqual([]);
  });

  it('names mentions of nobody to the author, and asks nobody instead', () => {
    open();
    post('@hodor?');
    expect(queue()).toEqual([]);
    expect(contents().at(-1)).toBe('system: There is no agent @hodor.');
  });

  it('shows what a reply is doing', () => {
    open();
    const message = post('@arya?');
    const run = replyRun(`${message}-arya`);
    add([{ type: 'notice.taken', data: { notice: `${message}-arya`, conversation: 'c-kitchen', run } }]);
    expect(queue()).toEqual(['arya thinking']);
    const call = { call: `${run}.x`, node: 'reply', tool: 'file.read', class: 'read' as const, input: {} };
    add([{ type: 'call.started', run, data: call }]);
    expect(queue()).toEqual(['arya using a tool']);
    add([
      { type: 'call.ended', run, data: { call: call.call, node: 'reply', status: 'ok' } },
      { type: 'wait.opened', run, data: { wait: 'w', node: 'reply', for: { kind: 'question', text: 'Which?' } } },
    ]);
    expect(queue()).toEqual(['arya waiting for you']);
    answer(`${message}-arya`, 'soup');
    expect(queue()).toEqual([]);
    expect(findConversation(folded.rows, 'kitchen')).toMatchObject({
      members: ['arya'],
      unread: { count: 2, since: message },
      last: { from: 'arya', content: 'soup', status: 'done' },
    });
  });

  it('shows for whom a reply waits that may not write to the desk yet, and that one waits for the budget', () => {
    open();
    const message = post('@arya?');
    const run = replyRun(`${message}-arya`);
    add([{ type: 'notice.taken', data: { notice: `${message}-arya`, conversation: 'c-kitchen', run } }]);
    const waitsFor = (): (string | undefined)[] =>
      findConversation(folded.rows, 'kitchen')?.queue.map(({ waits_for: other }) => other) ?? [];
    const behind = (whom: string): NewEvent => ({
      type: 'desk.awaited',
      run,
      data: { call: 'own', node: 'reply', behind: whom },
    });
    const call = { call: 'own', node: 'reply', tool: 'files.write', class: 'write_local' as const, input: {} };
    add([{ type: 'call.started', run, data: call }]);
    expect(queue()).toEqual(['arya using a tool']);
    add([behind('chat-0000000000a1-gendry')]);
    expect([queue(), waitsFor()]).toEqual([['arya waiting for another'], ['gendry']]);
    add([behind('task-7')]);
    expect([queue(), waitsFor()]).toEqual([['arya waiting for another'], ['task-7']]);
    add([{ type: 'desk.kept', run, data: { call: 'own', node: null, when: 'before', tree: 't' } }]);
    expect([queue(), waitsFor()]).toEqual([['arya using a tool'], [undefined]]);
    const budget = { usd: 1, tokens: 10 };
    const timer = { kind: 'timer' as const, until: '2026-01-02T00:00:00.000Z', day_budget: budget };
    add([
      { type: 'call.ended', run, data: { call: 'own', node: 'reply', status: 'ok' } },
      { type: 'wait.opened', run, data: { wait: 'w', node: 'reply', for: timer } },
    ]);
    expect(queue()).toEqual(['arya waiting for the budget']);
    add([{ type: 'wait.closed', run, data: { wait: 'w', node: 'reply', answer: { verdict: 'elapsed' } } }]);
    expect(queue()).toEqual(['arya thinking']);
  });

  it('is read from a message on, or from its end', () => {
    open();
    const ids = ['one', 'two', 'three', 'four'].map((text) => post(`@user ${text}`));
    const named = (range: object): string[] =>
      listMessages(folded.rows, 'kitchen', range).messages.map(({ content }) => content.replace('@user ', ''));
    add([]);
    const spoken = named({}).filter((content) => !content.includes('joined'));
    expect(spoken).toEqual(['one', 'two', 'three', 'four']);
    expect(named({ since: ids[2] })).toEqual(['four']);
    expect(named({ limit: 1 })).toEqual(['four']);
    expect(named({ since: ids[1], limit: 1 })).toEqual(['three']);
    expect(named({ before: ids[3], limit: 1 })).toEqual(['three']);
    expect(() => named({ since: '000000000000' })).toThrow('no message');
  });

  it('stops a chain at its hundredth forward with a message that says so', () => {
    open();
    post('@arya @gendry');
    request({ kind: 'chat_stop', conversation: 'kitchen' });
    post('@arya');
    let answered = 0;
    for (let [next] = Object.keys(state.notices); next !== undefined; [next] = Object.keys(state.notices)) {
      answer(next, state.notices[next]?.agent === 'arya' ? '@gendry you' : '@arya you');
      answered += 1;
    }
    expect(answered).toBe(101);
    expect(contents().at(-1)).toContain('The chain stops here: it was forwarded 100 times. Not asked: @');
  });

  it('that was deleted is gone from every list, and so are its queue and its words', () => {
    open();
    const message = post('@arya the recipe for lasagne');
    expect(searchMessages(folded.rows, ['lasagne'])).toHaveLength(1);
    request({ kind: 'chat_delete', conversation: 'kitchen' });
    expect(listConversations(folded.rows)).toEqual([]);
    expect(searchMessages(folded.rows, ['lasagne'])).toEqual([]);
    expect(state.notices).toEqual({});
    expect([...folded.rows.each('chat/')]).toEqual([]);
    const run = replyRun(`${message}-arya`);
    add([{ type: 'notice.taken', data: { notice: `${message}-arya`, conversation: 'c-kitchen', run } }]);
    expect([...folded.rows.each('chat/')]).toEqual([]);
    expect(() => post('again')).toThrow('there is no conversation "kitchen"');
  });

  it('is renamed, pinned, paused, cleared and forked', () => {
    open();
    open('attic');
    post('one', undefined, 'attic');
    const at = post('@user two', undefined, 'attic');
    post('@user three', undefined, 'attic');
    request({ kind: 'chat_open', conversation: 'c-copy', name: 'copy', fork: { conversation: 'attic', at } });
    request({ kind: 'chat_change', conversation: 'attic', name: 'cellar', pinned: true, clear: true });
    request({ kind: 'chat_pause' });
    expect(listConversations(folded.rows).map(({ name, state: now }) => `${name} ${now}`)).toEqual([
      'cellar paused',
      'copy paused',
      'kitchen paused',
    ]);
    request({ kind: 'chat_resume', conversations: ['kitchen'] });
    expect(findConversation(folded.rows, 'kitchen')?.state).toBe('active');
    expect(contents('cellar')).toEqual([]);
    expect(contents('copy')).toEqual(['user: one', 'system: oka joined', 'user: @user two']);
    expect(findConversation(folded.rows, 'copy')?.members).toEqual(['oka']);
    expect(() => request({ kind: 'chat_change', conversation: 'copy', name: 'cellar' })).toThrow('already');
    request({ kind: 'chat_change', conversation: 'copy', clear: true });
    expect(contents('copy')).toEqual([]);
    expect(findConversation(folded.rows, 'copy')?.unread).toEqual({ count: 0, since: null });
  });

  it('that was recorded as a request and not handled is pending until it has had an effect', () => {
    const intake: ChatIntake = { kind: 'chat_open', conversation: 'c-kitchen', name: 'kitchen' };
    add([{ type: 'intake.received', data: { id: 'i1', intake } }]);
    expect(state.pending).toEqual({ id: 'i1', intake });
    request(intake);
    expect(state.pending).toBeNull();
  });
});
