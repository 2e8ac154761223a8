import { OkaError } from '../../../core/schema/errors.ts';
import { changeChat, changedJson, type ChangedChats, renderChanged } from '../terminal/change-chat.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { parseDuration } from '../../../kit/cli/option-values.ts';

export async function run(call: Call): Promise<Answer<ChangedChats>> {
  const [named, given, ...more] = call.operands;
  if (named === undefined || given === undefined || more.length > 0)
    throw new OkaError('usage', 'say which conversation, and after how long its messages expire', {
      fix: 'Such as: oka chat ttl trip 30d, or: oka chat ttl trip never',
    });
  const ttl = given === 'never' ? null : parseDuration(given, 'time') / 1000;
  return changeChat(call, named, { ttl }, (name) =>
    ttl === null
      ? `Messages of ${name} stay`
      : `Messages of ${name} expire after ${given}; oka chat cleanup removes them`,
  );
}

export const render = renderChanged;
export const jsonLines = changedJson;
