/** What must be true of conversations after whatever has happened, read from the ledger alone. */
import { MOST_FORWARDS } from '../../src/core/schema/chat-names.ts';
import type { Event } from '../../src/core/schema/event.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

export type ChatAccount = {
  /** Notices that were queued, in order. */
  queued: string[];
  /** Notices in the order in which they were answered. */
  answered: string[];
  /** Messages of people. */
  posted: string[];
  problems: string[];
};

/** Every notice is answered once, in the order of its conversation, by one run, and none is deeper than allowed. */
export function accountOf(events: readonly Event[]): ChatAccount {
  const of = <T extends Event['type']>(type: T): Of<T>[] =>
    events.filter((event): event is Of<T> => event.type === type);
  const notices = of('notice.queued').map(({ data }) => data);
  const answers = of('message.posted').flatMap(({ data }) => (data.notice === undefined ? [] : [data]));
  const deleted = new Set(of('chat.deleted').map(({ data }) => data.conversation));
  const dropped = new Set(of('notice.dropped').map(({ data }) => data.notice));
  const due = notices.filter(({ conversation, notice }) => !deleted.has(conversation) && !dropped.has(notice));
  const inOrder = (conversation: string, list: readonly { conversation: string; notice?: string | undefined }[]) =>
    list.flatMap((each) => (each.conversation === conversation ? [each.notice] : []));
  const started = of('run.started').flatMap(({ run }) => (run?.startsWith('chat-') === true ? [run] : []));
  const problems = [
    ...repeated(notices.map(({ notice }) => notice)).map((notice) => `${notice} was queued twice`),
    ...repeated(answers.map(({ notice = '' }) => notice)).map((notice) => `${notice} was answered twice`),
    ...repeated(started).map((run) => `${run} was started twice`),
    ...repeated(of('message.posted').map(({ data }) => `${data.conversation} ${data.message}`)).map(
      (message) => `message ${message} was posted twice`,
    ),
    ...due
      .filter(({ notice }) => !answers.some((answer) => answer.notice === notice))
      .map(({ notice }) => `${notice} was not answered`),
    ...notices.filter(({ depth }) => depth > MOST_FORWARDS).map(({ notice }) => `${notice} is too deep`),
    ...[...new Set(due.map(({ conversation }) => conversation))]
      .filter((each) => inOrder(each, due).join() !== inOrder(each, answers).join())
      .map((each) => `${each} was answered out of order`),
  ];
  return {
    queued: notices.map(({ notice }) => notice),
    answered: answers.map(({ notice = '' }) => notice),
    posted: of('message.posted').flatMap(({ data }) => (data.kind === 'person' ? [data.message] : [])),
    problems,
  };
}

function repeated(list: readonly string[]): string[] {
  return list.filter((each, index) => list.indexOf(each) !== index);
}
