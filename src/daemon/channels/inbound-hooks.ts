/**
 * Owns: hooks that other programs may call: a template in .oka/rules/hooks/<name>.md, which people write, and a key in
 * .oka/web/hooks, which the process of the dashboard checks signatures with. No key of the vault is needed there.
 *
 * I1 A call becomes a task made of the template; its body is a file next to it (payload.json) and never a part of the
 *    words, so whoever calls cannot give orders that the template does not give.
 * I2 A call counts once: the id of the task follows from the id of the call, and calls that are old are refused.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signWebhook } from '../../channels/webhook/webhook-channel.ts';
import { createPrivate } from '../../guard/vault-file.ts';
import { addTask } from '../../intake/add-task.ts';
import { setFrontMatter } from '../../intake/set-front-matter.ts';
import { diskWriter, makeFolder, replaceFile } from '../../ledger/disk.ts';
import { CHANNEL_NAME } from '../../schema/channel.ts';
import { errnoOf, OkaError } from '../../schema/errors.ts';
import type { Home } from '../../schema/home.ts';

export type HookCall = { id: string; timestamp: string; signature: string; body: string };
export type HookOutcome = { status: 'accepted' | 'repeated'; task: string } | { status: 'refused'; reason: string };

const TOLERANCE_MS = 300_000;
const MOST_SEEN = 2000;
const ID = /^[\w.:~-]{1,200}$/;

const hookFile = (home: Home, name: string): string => join(home.oka, 'rules', 'hooks', `${name}.md`);
const keyFile = (home: Home, name: string): string => join(home.oka, 'web', 'hooks', `${name}.key`);
const seenFile = (home: Home, name: string): string => join(home.oka, 'web', 'hooks', `${name}.seen`);

/** Makes a key for a hook, and a template where there is none. The key is shown once, to whoever calls this. */
export function addHook(home: Home, name: string): { key: string; template: string } {
  if (!CHANNEL_NAME.test(name))
    throw new OkaError('usage', 'the name of a hook consists of at most 40 lower-case letters, digits, - and _');
  const key = `whsec_${randomBytes(32).toString('base64')}`;
  const template = hookFile(home, name);
  if (readIfThere(template) === null) {
    makeFolder(join(home.oka, 'rules', 'hooks'));
    replaceFile(template, `# ${name}\n\nRead payload.json and do what is needed.\n`, { mode: 0o644 });
  }
  makeFolder(join(home.oka, 'web', 'hooks'), 0o700);
  try {
    createPrivate(diskWriter, keyFile(home, name), Buffer.from(key));
  } catch (error) {
    if (!(error instanceof OkaError) && errnoOf(error) !== 'EEXIST') throw error;
    throw new OkaError('usage', `the hook ${name} has a key already`, {
      fix: `Remove it first: ${keyFile(home, name)}`,
    });
  }
  return { key, template };
}

/** Checks a call, and makes a task of it. Nothing about the reason is for the caller but that it was refused. */
export function receiveHook(home: Home, name: string, call: HookCall, now: number): HookOutcome {
  const template = CHANNEL_NAME.test(name) ? readIfThere(hookFile(home, name)) : null;
  const key = template === null ? null : readIfThere(keyFile(home, name));
  if (template === null || key === null) return { status: 'refused', reason: 'there is no such hook' };
  const problem = callProblem(key, call, now);
  if (problem !== null) return { status: 'refused', reason: problem };
  const task = `hook-${name}-${hash('sha256', call.id).slice(0, 16)}`;
  const seen = (readIfThere(seenFile(home, name)) ?? '').split('\n').filter((id) => id !== '');
  if (seen.includes(task)) return { status: 'repeated', task };
  addTask(join(home.workspace, 'inbox'), {
    name: task,
    bytes: Buffer.from(setFrontMatter(template, { id: task })),
    files: [{ path: 'payload.json', bytes: Buffer.from(call.body), mode: 0o644 }],
  });
  replaceFile(seenFile(home, name), `${[...seen, task].slice(-MOST_SEEN).join('\n')}\n`, { mode: 0o600 });
  return { status: 'accepted', task };
}

function callProblem(key: string, { id, timestamp, signature, body }: HookCall, now: number): string | null {
  if (!ID.test(id)) return 'it has no id';
  if (!(Math.abs(now - Number(timestamp) * 1000) <= TOLERANCE_MS)) return 'it is too old';
  const expected = Buffer.from(signWebhook(key.trim(), id, timestamp, body));
  const isSigned = signature
    .split(' ')
    .some((given) => given.length === expected.length && timingSafeEqual(Buffer.from(given), expected));
  return isSigned ? null : 'its signature is not right';
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
