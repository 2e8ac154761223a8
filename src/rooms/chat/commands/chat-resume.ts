import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { changedJson, type ChangedChats, renderChanged, switchChats } from '../terminal/change-chat.ts';

export const run = (call: Call<{ all: boolean }>): Promise<Answer<ChangedChats>> => switchChats(call, false);
export const render = renderChanged;
export const jsonLines = changedJson;
