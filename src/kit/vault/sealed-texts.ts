/**
 * Owns: the originals of texts that redaction changes and that have to run as a person wrote them. Ledger and artifacts
 * contain only the masked text; the original is in memory and, encrypted with a key derived from that of the vault, in
 * .oka/state/sealed, so that a restarted process can continue.
 *
 * S1 An original is found by its run, its node and its complete masked text, never by a mark: whoever writes a mark gets
 *    nothing.
 * S2 Two originals with the same masked text in one place count as none: they could not be distinguished.
 * S3 A mark that somebody wrote has no original: it may be a copy of a masked text.
 * S4 Nothing is stored in plain text. Without a vault the originals are lost with the process.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import type { Redact } from '../../core/schema/ports.ts';

export type SealedTexts = {
  /** Stores the original of each text that redaction changes. `redact` is how the text is masked where it is recorded. */
  seal(run: string, texts: Iterable<PlacedText>, redact?: Redact): Promise<void>;
  /** The text as it was written, in this node or anywhere in the run; null if its original is not known. */
  unseal(run: string, masked: string, node?: string | null): Promise<string | null>;
  /** Removes the originals of a run. */
  forget(run: string): void;
  /** Removes what runs left behind that never ended. */
  sweep(now: number): void;
};

/** A text, and the node it belongs to, if it belongs to one. */
type PlacedText = { text: string; node?: string };

type SealedTextsOptions = {
  folder: string;
  redact: Redact;
  /** Null if there is no vault; rejects if it cannot be opened. */
  key: () => Promise<Buffer | null>;
};

/** By node and masked text; null where two originals have the same (S2). */
type Originals = Map<string, string | null>;

const LONGEST_MS = 30 * 86_400_000;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const LENGTHS = { authTagLength: TAG_BYTES };

export function sealedTexts({ folder, redact: usual, key }: SealedTextsOptions): SealedTexts {
  const known = new Map<string, Originals>();
  const fileOf = (run: string): string => join(folder, `${encodeURIComponent(run)}.sealed`);

  async function originalsOf(run: string): Promise<Originals> {
    const here = known.get(run);
    if (here !== undefined) return here;
    const stored = await readOriginals(fileOf(run), run, key);
    const originals = known.get(run) ?? stored;
    known.set(run, originals);
    return originals;
  }

  return {
    async seal(run, texts, redact = usual) {
      const changed = Array.from(texts, ({ text, node }) => ({ text, node, masked: redact(text) })).filter(
        ({ text, masked }) => masked !== text,
      );
      if (changed.length === 0) return;
      const originals = await originalsOf(run);
      for (const { text, node, masked } of changed) {
        const before = originals.get(placeOf(node, masked));
        originals.set(placeOf(node, masked), before === undefined || before === text ? text : null);
      }
      await writeOriginals(fileOf(run), run, originals, key);
    },
    async unseal(run, masked, node) {
      const originals = await originalsOf(run);
      return originals.get(placeOf(node, masked)) ?? originals.get(placeOf(null, masked)) ?? null;
    },
    forget(run) {
      known.delete(run);
      rmSync(fileOf(run), { force: true });
    },
    sweep(now) {
      for (const name of namesIn(folder)) {
        const file = join(folder, name);
        const stats = statSync(file, { throwIfNoEntry: false });
        if (stats !== undefined && now - stats.mtimeMs > LONGEST_MS) rmSync(file, { force: true });
      }
    },
  };
}

const placeOf = (node: string | null | undefined, masked: string): string => `${node ?? ''}\n${masked}`;

/** The run is authenticated with the content, so that no file passes for that of another run. */
async function writeOriginals(
  file: string,
  run: string,
  originals: Originals,
  key: () => Promise<Buffer | null>,
): Promise<void> {
  const secret = await key().catch(() => null); // a vault that cannot be opened is reported elsewhere (S4)
  if (secret === null) return;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, secret, iv, LENGTHS).setAAD(Buffer.from(run));
  const sealed = Buffer.concat([cipher.update(JSON.stringify([...originals])), cipher.final()]);
  makeFolder(join(file, '..'), 0o700);
  replaceFile(file, Buffer.concat([iv, cipher.getAuthTag(), sealed]), { durable: false, mode: 0o600 });
}

/** Empty if there is no file, or if it does not open with this key. */
async function readOriginals(file: string, run: string, key: () => Promise<Buffer | null>): Promise<Originals> {
  try {
    const bytes = readFileSync(file);
    const secret = await key();
    if (secret === null) return new Map();
    const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, IV_BYTES), LENGTHS).setAAD(Buffer.from(run));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return new Map(JSON.parse(text.toString('utf8')) as [string, string | null][]);
  } catch {
    return new Map(); // the call that needs it is refused with the reason (restore-originals.ts)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was sealed here yet
  }
}
