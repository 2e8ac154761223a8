/** Changing conversations: what the small commands (pause, pin, rename, …) have in common. */
import type { ChatIntake } from '../model/chat-state.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { type ChatRequest, describePending, findChat, matchChats, type NamedChat, requestChat } from './chat-access.ts';

export type ChangedChats = ChatRequest & { conversations: readonly string[]; what: string };

type ChangeIntake = Extract<ChatIntake, { kind: 'chat_change' }>;

/** Changes one conversation; `what` is the sentence that says so. */
export async function changeChat(
  call: Call,
  named: string,
  change: Omit<ChangeIntake, 'kind' | 'conversation' | 'by'>,
  what: (name: string) => string,
): Promise<Answer<ChangedChats>> {
  const { id, name } = await findChat(call, named);
  const asked = await requestChat(call, { kind: 'chat_change', conversation: id, ...change, by: operatorName() });
  return answer({ ...asked, conversations: [name], what: what(name) });
}

/** Pauses or resumes conversations, by name, by pattern or all of them. */
export async function switchChats(call: Call<{ all: boolean }>, isPaused: boolean): Promise<Answer<ChangedChats>> {
  const { operands, options } = call;
  const chats = await matchChats(call, operands, options.all);
  const kind = isPaused ? 'chat_pause' : 'chat_resume';
  const conversations = chats.map(({ id }) => id);
  const asked = await requestChat(call, {
    kind,
    ...(options.all ? {} : { conversations }),
    by: operatorName(),
  });
  const names = chats.map(({ name }) => name);
  const what =
    names.length === 0 ? 'There are no conversations' : `${isPaused ? 'Paused' : 'Resumed'} ${names.join(', ')}`;
  return answer({ ...asked, conversations: names, what });
}

/** Asks a person before something is removed for good; false when the answer is no. */
export async function isRemovalConfirmed(
  { openDialog, options }: Pick<Call<{ yes: boolean }>, 'openDialog' | 'options'>,
  what: string,
): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) throw new OkaError('usage', `nobody is there to confirm: ${what}`, { fix: 'Add --yes.' });
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`${what}? [y/N] `));
}

export const notChanged = (chats: readonly NamedChat[]): Answer<ChangedChats> =>
  answer(
    {
      submitted: '',
      isDone: true,
      conversations: chats.map(({ name }) => name),
      what: 'Nothing was changed',
    },
    exits.no,
  );

export const renderChanged = (data: ChangedChats): string =>
  `${data.unchanged ?? data.what}.\n${describePending(data)}`;

export const changedJson = ({ conversations, submitted, isDone }: ChangedChats): object[] => [
  { conversations, submitted, done: isDone },
];
