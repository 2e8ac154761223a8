/**
 * Owns: the folder that backups go to. Everything in it but its name tag is encrypted with age.
 *
 *     oka-backup.json      which home it is of, and the public half of the recovery key
 *     packs/ID.age         pieces of files one after another, each compressed by itself: age -d … | gunzip reads them
 *     packs/ID.index.age   which piece is where in that pack
 *     states/TIME.age      one backup: the list of its files, each by the hashes of its pieces
 *
 * S1 A piece is stored once, however many files and backups contain it.
 * S2 A state is written last, after all packs that it needs are durable and were read back: what is listed is complete.
 * S3 Files are made under another name and renamed, and never changed: whoever is killed leaves only what nobody refers to.
 * S4 A pack goes when no state needs anything in it; one that is mostly unneeded is written again without that.
 */
import { hash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createFile, listFolder, lstatIfPresent, makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';

/** Encrypts to whoever may read the backup, and reads it as one of them. */
export type Seal = {
  seal: (plain: Uint8Array) => Promise<Uint8Array>;
  unseal: (sealed: Uint8Array) => Promise<Uint8Array>;
};

export type BackedUpFile = {
  path: string;
  mode: number;
  /** When it was changed last, in milliseconds. */
  at: number;
} & (
  | { kind: 'file'; size: number; stamp: string; pieces: string[] }
  | { kind: 'folder' }
  | { kind: 'link'; to: string }
);

/** The last record of a ledger that a backup contains. */
export type LedgerEnd = { seq: number; offset: number; hash: string; at: string };

export type State = {
  v: 1;
  at: string;
  home: string | null;
  version: string;
  ledger: LedgerEnd | null;
  files: BackedUpFile[];
  /** Paths that were left out, with the reason. */
  left: { path: string; why: string }[];
  /** What is outside the home and belongs to it: the key of the vault, and the one that signs its history. */
  keys: { vault: string | null; home: string | null };
};

type Tag = { v: 1; home: string | null; recovery: string };
type Place = { pack: string; offset: number; length: number };

const PACK_BYTES = 16 * 1024 * 1024;
const tagFile = (dir: string): string => join(dir, 'oka-backup.json');

/** Null when nothing was backed up to this folder. */
export function readTag(dir: string): Tag | null {
  if (lstatIfPresent(tagFile(dir)) === undefined) return null;
  const found = JSON.parse(readFileSync(tagFile(dir), 'utf8')) as Partial<Tag>;
  if (found.v === 1 && typeof found.recovery === 'string') return found as Tag;
  throw new OkaError('invalid-file', `${tagFile(dir)} is not of this version of oka`, { fix: 'Use a newer oka.' });
}

/** Makes the folder ready for the backups of one home; refuses a folder with other things, or of another home. */
export function prepareStore(dir: string, home: string | null, recovery: string): void {
  const tag = readTag(dir);
  for (const folder of ['packs', 'states'])
    for (const name of listFolder(join(dir, folder))) if (name.endsWith('.tmp')) rmSync(join(dir, folder, name)); // of a kill
  if (tag === null) {
    makeFolder(dir, 0o700);
    if (listFolder(dir).some((name) => name !== 'lost+found'))
      throw new OkaError('refused', `${dir} contains other things`, { fix: 'Name an empty or a new folder.' });
    makeFolder(join(dir, 'packs'), 0o700);
    makeFolder(join(dir, 'states'), 0o700);
    const text = `${JSON.stringify({ v: 1, home, recovery } satisfies Tag)}\n`;
    replaceFile(tagFile(dir), text, { durable: true, mode: 0o600 });
    return;
  }
  if (tag.home !== home)
    throw new OkaError('refused', `${dir} has the backups of another home`, { fix: 'Name a folder of its own.' });
  if (tag.recovery !== recovery)
    throw new OkaError('refused', `${dir} has backups for another recovery key than config.json names`, {
      fix: `If you have changed the key yourself, name a new folder. Otherwise somebody else has changed one of the two.`,
    });
}

export async function openStore(dir: string, crypt: Seal) {
  const places = new Map<string, Place>();
  const unreadable = new Set<string>(); // what they contained is stored again by the next backup that has it
  for (const pack of packsIn(dir)) {
    const rows = await readIndex(dir, pack, crypt).catch(() => unreadable.add(pack) && []);
    for (const [id, at] of rows) places.set(id, at);
  }
  let waiting: { id: string; bytes: Buffer }[] = [];
  let size = 0;

  async function writePack(): Promise<void> {
    if (waiting.length === 0) return;
    const pack = randomBytes(16).toString('hex');
    let offset = 0;
    const index = waiting.map(({ id, bytes }): [string, number, number] => {
      offset += bytes.length;
      return [id, offset - bytes.length, bytes.length];
    });
    await store(join(dir, 'packs', `${pack}.age`), Buffer.concat(waiting.map(({ bytes }) => bytes)), crypt);
    await store(indexFile(dir, pack), Buffer.from(JSON.stringify(index)), crypt);
    for (const [id, start, length] of index) places.set(id, { pack, offset: start, length });
    waiting = [];
    size = 0;
  }

  /** The contents of one pack are decrypted once for all pieces in a row. */
  let open: { pack: string; bytes: Uint8Array } | null = null;
  async function read(id: string): Promise<Buffer> {
    const at = places.get(id);
    if (at === undefined) throw damaged(dir, `piece ${id.slice(0, 12)} is missing`);
    if (open?.pack !== at.pack)
      open = { pack: at.pack, bytes: await load(join(dir, 'packs', `${at.pack}.age`), crypt) };
    const piece = gunzipSync(open.bytes.subarray(at.offset, at.offset + at.length));
    if (hash('sha256', piece) !== id) throw damaged(dir, `piece ${id.slice(0, 12)} is not what was stored`);
    return piece;
  }

  return {
    has: (id: string): boolean => places.has(id) || waiting.some((piece) => piece.id === id),
    /** Returns how many bytes of the folder it takes: none when it is there already (S1). */
    add: async (id: string, piece: Uint8Array): Promise<number> => {
      if (places.has(id) || waiting.some((each) => each.id === id)) return 0;
      const bytes = gzipSync(piece, { level: 4 });
      waiting.push({ id, bytes });
      size += bytes.length;
      if (size >= PACK_BYTES) await writePack();
      return bytes.length;
    },
    read,
    /** In which order pieces are read with the fewest packs opened. */
    orderOf: (id: string): string => {
      const at = places.get(id);
      return at === undefined ? '' : `${at.pack} ${String(at.offset).padStart(12, '0')}`;
    },
    /** Ends a backup: what is listed from now on is complete (S2). */
    finish: async (state: State): Promise<void> => {
      await writePack();
      await store(stateFile(dir, state.at), gzipSync(JSON.stringify(state)), crypt);
    },
    /** Removes what none of these states needs (S4). */
    sweep: async (states: readonly State[]): Promise<void> => {
      const needed = new Set(states.flatMap(({ files }) => files.flatMap((f) => (f.kind === 'file' ? f.pieces : []))));
      for (const pack of packsIn(dir)) {
        if (unreadable.has(pack)) continue;
        const inside = [...places].filter(([, at]) => at.pack === pack);
        const used = inside.filter(([id]) => needed.has(id));
        const bytes = (of: typeof inside): number => of.reduce((sum, [, { length }]) => sum + length, 0);
        if (used.length > 0 && bytes(used) * 2 >= bytes(inside)) continue;
        for (const [id] of used) waiting.push({ id, bytes: gzipSync(await read(id), { level: 4 }) });
        await writePack();
        rmSync(indexFile(dir, pack), { force: true });
        rmSync(join(dir, 'packs', `${pack}.age`), { force: true });
      }
      const known = new Set(packsIn(dir).flatMap((pack) => [`${pack}.age`, `${pack}.index.age`]));
      for (const name of listFolder(join(dir, 'packs'))) if (!known.has(name)) rmSync(join(dir, 'packs', name));
    },
  };
}
export type BackupStore = Awaited<ReturnType<typeof openStore>>;

/** The times of all backups, the latest first. */
export function stateTimes(dir: string): Date[] {
  return listFolder(join(dir, 'states'))
    .flatMap((name) => {
      const [, day, h, m, s, ms] = /^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z\.age$/.exec(name) ?? [];
      return day === undefined ? [] : [new Date(`${day}T${h}:${m}:${s}.${ms}Z`)];
    })
    .toSorted((a, b) => b.getTime() - a.getTime());
}

const stateFile = (dir: string, at: string): string => join(dir, 'states', `${at.replaceAll(':', '')}.age`);

export async function readState(dir: string, at: Date, crypt: Seal): Promise<State> {
  const state = JSON.parse(gunzipSync(await load(stateFile(dir, at.toISOString()), crypt)).toString()) as
    | State
    | { v: number };
  if (state.v === 1 && 'files' in state) return state;
  throw new OkaError('invalid-file', `the backup of ${at.toISOString()} was made by a newer oka`, {
    fix: 'Restore it with that version or a later one.',
  });
}

export const removeState = (dir: string, at: Date): void => rmSync(stateFile(dir, at.toISOString()), { force: true });

const indexFile = (dir: string, pack: string): string => join(dir, 'packs', `${pack}.index.age`);

function packsIn(dir: string): string[] {
  const names = new Set(listFolder(join(dir, 'packs')));
  return [...names].flatMap((name) => {
    const pack = /^([0-9a-f]{32})\.index\.age$/.exec(name)?.[1];
    return pack !== undefined && names.has(`${pack}.age`) ? [pack] : [];
  });
}

async function readIndex(dir: string, pack: string, crypt: Seal): Promise<[string, Place][]> {
  const rows = JSON.parse(Buffer.from(await load(indexFile(dir, pack), crypt)).toString()) as [
    string,
    number,
    number,
  ][];
  return rows.map(([id, offset, length]) => [id, { pack, offset, length }]);
}

/** Writes a new file durably, and reads it back as whoever restores it will. */
async function store(file: string, plain: Uint8Array, crypt: Seal): Promise<void> {
  createFile(file, await crypt.seal(plain), { durable: true, mode: 0o600 });
  if (!Buffer.from(plain).equals(await load(file, crypt)))
    throw damaged(file, 'what was read back is not what was written');
}

async function load(file: string, crypt: Seal): Promise<Uint8Array> {
  try {
    return await crypt.unseal(readFileSync(file));
  } catch (error) {
    throw damaged(file, messageOf(error));
  }
}

function damaged(path: string, why: string): OkaError {
  return new OkaError('invalid-file', `${path}: ${why}`, {
    fix: 'If the key is the right one, the file is damaged. What can be restored: oka backup check',
  });
}
