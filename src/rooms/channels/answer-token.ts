/**
 * Owns: the tokens by which a button or a reply proves what it answers.
 *
 * T1 A token belongs to one delivery, one wait, one answer and, for an approval, the exact call that was shown: another
 *    binding is another token. It cannot be made without the key, which no command of oka can read.
 * T2 It counts while its wait is open. Who has seen it can answer this question, and nothing else.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { createPrivate, readPlain } from '../../kit/vault/vault-file.ts';
import { diskWriter } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';
import type { AskedWait } from './reaching-state.ts';

/** y and n answer an approval, a is yes for every call of the tool, t is an answer in words, a number is one of the options. */
type Choice = 'y' | 'n' | 'a' | 't' | `${number}`;

/** A separator that stands in no name of a delivery, and may stand in addresses of mail. */
const SEPARATOR = '~';
/** In lower case, since mail servers may change the case of an address. */
const LENGTH = 26;
const SHAPE = /^([a-z0-9][a-z0-9_-]{0,39}\.\d{1,12})~(y|n|a|t|\d{1,2})~([0-9a-f]{26})$/;

/** The key of this home, made when it is needed first. */
export function answerKey(home: Home): Buffer {
  const file = join(home.oka, 'state', 'answers.key');
  const found = readPlain(file);
  if (found !== null) return found.bytes;
  const key = randomBytes(32);
  createPrivate(diskWriter, file, key);
  return key;
}

export function makeToken(key: Buffer, delivery: string, wait: AskedWait, choice: Choice): string {
  return [delivery, choice, codeOf(key, delivery, wait, choice)].join(SEPARATOR);
}

/** What a token claims; whether it is right, `isGenuine` decides. */
export function parseToken(token: string): { delivery: string; choice: Choice; code: string } | null {
  const [, delivery, choice, code] = SHAPE.exec(token.trim().toLowerCase()) ?? [];
  if (delivery === undefined || choice === undefined || code === undefined) return null;
  return { delivery, choice: choice as Choice, code };
}

export function isGenuine(key: Buffer, wait: AskedWait, token: NonNullable<ReturnType<typeof parseToken>>): boolean {
  const expected = codeOf(key, token.delivery, wait, token.choice);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(token.code));
}

function codeOf(key: Buffer, delivery: string, wait: AskedWait, choice: Choice): string {
  const option = /^\d/.test(choice) ? (wait.options[Number(choice)] ?? '') : '';
  const bound = JSON.stringify([delivery, wait.id, wait.binding, choice, option]);
  return createHmac('sha256', key).update(bound).digest('hex').slice(0, LENGTH);
}
