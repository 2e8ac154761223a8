import { OkaError } from '../../../core/schema/errors.ts';
import { changeChat, changedJson, type ChangedChats, renderChanged } from '../terminal/change-chat.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';

export async function run(call: Call): Promise<Answer<ChangedChats>> {
  const [named, memory, ...more] = call.operands;
  if (named === undefined || (memory !== 'on' && memory !== 'off') || more.length > 0)
    throw new OkaError('usage', 'say which conversation, and on or off', { fix: 'Such as: oka chat memory trip off' });
  return changeChat(call, named, { memory }, (name) =>
    memory === 'on'
      ? `oka remembers what is said in ${name} from now on`
      : `oka remembers nothing of ${name}; what it had learned there is forgotten`,
  );
}

export const render = renderChanged;
export const jsonLines = changedJson;
