import type { Answer, Call } from '../command-module.ts';
import { changedJson, type ChangedChats, renderChanged, switchChats } from '../chat/change-chat.ts';

export const run = (call: Call<{ all: boolean }>): Promise<Answer<ChangedChats>> => switchChats(call, true);
export const render = renderChanged;
export const jsonLines = changedJson;
