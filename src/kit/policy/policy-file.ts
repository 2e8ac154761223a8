/**
 * Owns: the policy of a home while a process works by it.
 *
 * Y1 A policy that is not valid is never loaded: at the start it stops the start, later the one before it stays.
 * Y2 Whatever is judged is judged by one policy whose hash is in the ledger.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type Classify, parsePolicy } from '../../core/guard/parse-policy.ts';
import { assertRegularFile, describeErrno, stampOf } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Policy } from '../../core/schema/policy.ts';

export type LoadedPolicy = { policy: Policy; sha256: string };

type PolicyPoll = { kind: 'same' } | ({ kind: 'loaded' } & LoadedPolicy) | { kind: 'invalid'; reason: string };

export type PolicyFile = {
  /** The active policy. */
  now: () => LoadedPolicy;
  /** Checks whether a person has changed the file. Reports each change once. */
  poll: () => PolicyPoll;
  /** Makes this the active policy. */
  activate: (policy: LoadedPolicy) => void;
};

const MOST_BYTES = 1024 * 1024;
const MOST_REASON = 10_000;

export function loadPolicy(file: string, classify: Classify): LoadedPolicy {
  const text = readPolicyText(file);
  return { policy: parsePolicy(text, file, classify), sha256: hash('sha256', text) };
}

export function openPolicy(file: string, classify: Classify): PolicyFile {
  let loaded = loadPolicy(file, classify);
  let settled = stampOf(file);
  let seen = settled;
  return {
    now: () => loaded,
    activate: ({ policy, sha256 }) => void (loaded = { policy, sha256 }),
    poll: () => {
      const stamp = stampOf(file);
      if (stamp === settled) return { kind: 'same' };
      if (stamp !== seen) {
        seen = stamp; // it may still be being written: it counts when it was the same in two checks
        return { kind: 'same' };
      }
      settled = stamp;
      return readAgain(file, classify, loaded);
    },
  };
}

function readAgain(file: string, classify: Classify, loaded: LoadedPolicy): PolicyPoll {
  try {
    const read = loadPolicy(file, classify);
    return read.sha256 === loaded.sha256 ? { kind: 'same' } : { kind: 'loaded', ...read };
  } catch (error) {
    return {
      kind: 'invalid',
      reason: `${messageOf(error).slice(0, MOST_REASON)}\nThe previous policy remains active.`,
    };
  }
}

function readPolicyText(file: string): string {
  assertRegularFile(file);
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (fstatSync(fd).size > MOST_BYTES) throw new OkaError('invalid-file', `${file} is larger than 1 MB`);
      return readFileSync(fd, 'utf8');
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT')
      throw new OkaError('not-set-up', `${file} is not there`, {
        fix: 'Restore it from a backup, or make the default one: oka init --restore',
      });
    throw describeErrno(error, file);
  }
}
