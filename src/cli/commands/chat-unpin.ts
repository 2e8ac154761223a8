import type { Answer, Call } from '../command-module.ts';
import { changeChat, changedJson, type ChangedChats, renderChanged } from '../chat/change-chat.ts';
import { onlyOperand } from '../operands.ts';

export const run = (call: Call): Promise<Answer<ChangedChats>> =>
  changeChat(call, onlyOperand(call, 'conversation'), { pinned: false }, (name) => `${name} is no longer pinned`);
export const render = renderChanged;
export const jsonLines = changedJson;
