/** Owns: pointing out that oka runs as root, which it never needs. */
import type { Finding } from '../../core/schema/finding.ts';

const FIX = 'Give oka an account of its own: a mistake could then not change the system.';

/** One line for the person who started oka; null for any other user. */
export function rootNotice(uid = process.getuid?.()): string | null {
  return uid === 0 ? `oka runs as root, which it does not need. ${FIX}` : null;
}

export function userFinding(uid = process.getuid?.()): Finding {
  const what = 'user';
  if (uid === 0) return { state: 'odd', what, found: 'oka runs as root, which it does not need', fix: FIX };
  return { state: 'good', what, found: uid === undefined ? 'not root' : `uid ${uid}` };
}
