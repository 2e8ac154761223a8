/**
 * Owns: who may use the dashboard: sessions, tokens, one-time links and the passphrase, in .oka/web.
 *
 * A1 Only hashes are stored: whoever reads the folder cannot log in with it.
 * A2 A browser has two secrets: that of its cookie, which goes to every port of this machine, and a key that its pages keep
 *    for their origin. Only both together are a session (`hasKey`).
 * A3 A link opens one session: it is used up by whoever removes its file first.
 * A4 One file each, so that the server and commands of another process never write the same one. Removing the file of a
 *    session ends it at once.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describeErrno, listFolder, makeFolder, replaceFile } from '../../../core/ledger/disk.ts';
import { errnoOf } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { passphraseChecks, type StoredPassphrase, writePassphrase } from './passphrase-file.ts';

type Rights = 'all' | 'read';

export type Session = {
  /** The hash of its secret, and the name of its file. */
  id: string;
  kind: 'browser' | 'token';
  /** The browser, or the name that a person gave to a token. */
  name: string;
  rights: Rights;
  /** The hash of the key of a browser (A2). */
  key?: string;
  created: string;
  /** The day of the last use. */
  used: string;
};

export type Access = ReturnType<typeof openAccess>;

const SESSION_DAYS = 30;
const LINK_MINUTES = 60;
const DAY_MS = 86_400_000;
const NAME_LENGTH = 200;

export function openAccess(home: Pick<Home, 'oka'>, now: () => Date = () => new Date()) {
  const folder = join(home.oka, 'web');
  const sessions = join(folder, 'sessions');
  const links = join(folder, 'links');
  const passphraseFile = join(folder, 'passphrase.json');
  const sessionFile = (id: string): string => join(sessions, `${id}.json`);

  function start(
    kind: Session['kind'],
    name: string,
    rights: Rights,
  ): { secret: string; key: string; session: Session } {
    const [secret, key] = [newSecret(), newSecret()];
    const at = now().toISOString();
    const about = { kind, name: name.slice(0, NAME_LENGTH), rights, created: at, used: at };
    const session = { id: idOf(secret), ...about, ...(kind === 'browser' ? { key: idOf(key) } : {}) };
    write(session);
    return { secret, key, session };
  }
  function write(session: Session): void {
    makeFolder(sessions, 0o700);
    replaceFile(sessionFile(session.id), `${JSON.stringify(session)}\n`, { mode: 0o600 });
  }
  /** A session that is not over; its use is noted once a day. */
  function find(secret: string): Session | null {
    const session = isSecret(secret) ? readJson<Session>(sessionFile(idOf(secret))) : null;
    if (session === null) return null;
    const age = now().getTime() - Date.parse(session.used);
    if (session.kind === 'browser' && !(age < SESSION_DAYS * DAY_MS)) {
      end(session.id);
      return null;
    }
    if (age > DAY_MS) write({ ...session, used: now().toISOString() });
    return session;
  }
  function end(id: string): boolean {
    return /^[0-9a-f]{64}$/.test(id) && removeFile(sessionFile(id));
  }
  return {
    start,
    find,
    end,
    /** The latest first. */
    list: (): Session[] =>
      listFolder(sessions)
        .flatMap((name) => readJson<Session>(join(sessions, name)) ?? [])
        .toSorted((a, b) => b.created.localeCompare(a.created)),
    /** The secret of a link that opens one session within an hour. */
    newLink: (): string => {
      makeFolder(links, 0o700);
      sweepLinks(links, now());
      const secret = newSecret();
      replaceFile(join(links, `${idOf(secret)}.json`), `${JSON.stringify({ created: now().toISOString() })}\n`, {
        mode: 0o600,
      });
      return secret;
    },
    /** Whether the link was still open; it is not any more (A3). */
    useLink: (secret: string): boolean => {
      const file = join(links, `${idOf(secret)}.json`);
      const link = isSecret(secret) ? readJson<{ created: string }>(file) : null;
      return link !== null && removeFile(file) && isFresh(link, now());
    },
    setPassphrase: (passphrase: string): void => {
      makeFolder(folder, 0o700);
      writePassphrase(passphraseFile, passphrase);
    },
    removePassphrase: (): boolean => removeFile(passphraseFile),
    hasPassphrase: (): boolean => readJson(passphraseFile) !== null,
    isPassphrase: passphraseChecks(() => readJson<StoredPassphrase>(passphraseFile)),
  };
}

/** Whether a browser has shown the second half of its session. */
export const hasKey = ({ key }: Session, given: string): boolean =>
  key !== undefined && isSecret(given) && timingSafeEqual(Buffer.from(idOf(given)), Buffer.from(key));

const newSecret = (): string => randomBytes(32).toString('base64url');
const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);
const idOf = (secret: string): string => hash('sha256', secret);
const isFresh = ({ created }: { created: string }, at: Date): boolean =>
  Math.abs(at.getTime() - Date.parse(created)) < LINK_MINUTES * 60_000;

function sweepLinks(links: string, at: Date): void {
  for (const name of listFolder(links)) {
    const link = readJson<{ created: string }>(join(links, name));
    if (link === null || !isFresh(link, at)) removeFile(join(links, name));
  }
}

/** Null when it is not there, or not ours. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever wrote the file knows its type
function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return null; // nobody gets in by what cannot be read
  }
}

/** Whether it was there. One that cannot be removed is not said to be gone: it may still let somebody in. */
function removeFile(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw describeErrno(error, file);
  }
}
