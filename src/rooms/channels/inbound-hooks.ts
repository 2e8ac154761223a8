/**
 * Owns: hooks that other programs may call: a template in .oka/rules/hooks/<name>.md, which people write, and a key in
 * the vault, which the worker alone checks signatures with.
 *
 * I1 A call becomes a task made of the template; its body is a file next to it (payload.json) and never a part of the
 *    words, so whoever calls cannot give orders that the template does not give.
 * I2 A call counts once: the id of the task follows from the id of the call, and calls that were old when they came in
 *    are refused.
 * I3 A call is removed when it was decided about. While its key cannot be read, or the disk is full, it stays.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { signWebhook } from './webhook/webhook-channel.ts';
import { knownTasks } from '../../kit/inbox/known-tasks.ts';
import { openReplies, webRepliesFolder } from '../../kit/requests/request-replies.ts';
import { setFrontMatter } from '../../kit/inbox/set-front-matter.ts';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { HookCall, HookOutcome } from '../../core/schema/hook-call.ts';
import type { Credential } from '../../core/schema/ports.ts';
import type { Log } from '../../kit/log-line.ts';
import type { ProjectionsPort } from '../../kit/ports/port-types.ts';
import { reachingProjection } from './delivery-state.ts';
import { hookTemplate, type StoredCall, storedCalls } from './hook-calls.ts';
import { channelState } from './reaching-state.ts';
import { receiveTask, recordRefusals, type TaskPorts } from './receive-task.ts';

type HookPorts = Pick<TaskPorts, 'home' | 'ledger'> & {
  projections: ProjectionsPort;
  find: (name: string) => Promise<Credential | null>;
  log: Log;
  now?: () => number;
};

/** Decides about the calls that wait, one after the other; never throws. */
export type TakeCalls = () => Promise<void>;

/** No channel of channels.json can have this name. */
const CHANNEL = '/hooks';
const TOLERANCE_MS = 300_000;

/** The secret with the key of a hook, and what it is for: no other tool gets it. */
export const hookSecret = (hook: string): { name: string; tool: string } => ({
  name: `hook.${hook}`,
  tool: `hooks.${hook}`,
});

/** Makes a template where there is none. Where the rules are read-only, `text` is what a person has to write; else null. */
export function addTemplate(home: Home, hook: string): { template: string; text: string | null } {
  const template = hookTemplate(home, hook);
  if (readTemplate(home, hook) !== null) return { template, text: null };
  const text = `# ${hook}\n\nRead payload.json and do what is needed.\n`;
  try {
    makeFolder(dirname(template));
    replaceFile(template, text, { mode: 0o644 });
    return { template, text: null };
  } catch (error) {
    if (error instanceof OkaError && error.code === 'not-permitted') return { template, text };
    throw error;
  }
}

export function openHookCalls(ports: HookPorts): TakeCalls {
  const { home, log, now = Date.now } = ports;
  const refuse = recordRefusals({ ...ports, channel: CHANNEL, now });
  const replies = openReplies(webRepliesFolder(home.oka));
  let problem = '';
  const decide = async ({ name, call, remove }: StoredCall): Promise<void> => {
    const outcome: HookOutcome = call === null ? NO_CALL : await judgeCall(call, ports);
    if (outcome.status === 'refused')
      await refuse({ message: `${call?.hook ?? ''}/${call?.id ?? ''}`, from: null, reason: outcome.reason });
    remove();
    replies.send(name, { done: outcome });
  };
  return async () => {
    try {
      for (const stored of storedCalls(home)) await decide(stored);
      problem = '';
    } catch (error) {
      if (problem !== messageOf(error)) log(`hooks: ${messageOf(error)}`);
      problem = messageOf(error);
    }
  };
}

const NO_CALL = { status: 'refused', reason: 'it is not a signed call' } as const;

async function judgeCall(call: HookCall, ports: HookPorts): Promise<HookOutcome> {
  const { home, ledger, find, projections } = ports;
  const { hook, id, body } = call;
  const template = readTemplate(home, hook);
  const { name, tool } = hookSecret(hook);
  const key = template === null ? null : await find(name);
  if (template === null || key === null || !key.tools.includes(tool))
    return { status: 'refused', reason: `there is no hook ${hook}` };
  const problem = callProblem(key.value, call);
  if (problem !== null) return { status: 'refused', reason: `${hook}: ${problem}` };
  const task = `hook-${hook}-${hash('sha256', id).slice(0, 16)}`;
  const message = `${hook}/${id}`;
  const { received } = channelState(projections.stateOf(reachingProjection), CHANNEL);
  if (received.includes(message)) return { status: 'repeated', task };
  const about = { channel: CHANNEL, message, from: null, reason: `it was signed with the key of ${hook}` };
  const files = [{ name: 'payload.json', bytes: Buffer.from(body) }];
  try {
    const isTask = (known: string): boolean => projections.stateOf(knownTasks).ids.includes(known);
    const text = setFrontMatter(template, { id: task });
    await receiveTask({ id: task, text, files, about }, { home, ledger, isTask });
    return { status: 'accepted', task };
  } catch (error) {
    if (!(error instanceof OkaError) || error.code !== 'invalid-file') throw error;
    return { status: 'refused', reason: `${hook}: ${messageOf(error)}` };
  }
}

function callProblem(key: string, { id, timestamp, signature, body, received }: HookCall): string | null {
  if (!(Math.abs(received - Number(timestamp) * 1000) <= TOLERANCE_MS)) return 'it is too old';
  const expected = Buffer.from(signWebhook(key.trim(), id, timestamp, body));
  const isSigned = signature
    .split(' ')
    .map((given) => Buffer.from(given))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  return isSigned ? null : 'its signature is not right';
}

function readTemplate(home: Home, hook: string): string | null {
  try {
    return readFileSync(hookTemplate(home, hook), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
