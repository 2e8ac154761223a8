import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { changeChat, changedJson, type ChangedChats, renderChanged } from '../terminal/change-chat.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';

export const run = (call: Call): Promise<Answer<ChangedChats>> =>
  changeChat(call, onlyOperand(call, 'conversation'), { pinned: true }, (name) => `${name} comes first in lists`);
export const render = renderChanged;
export const jsonLines = changedJson;
