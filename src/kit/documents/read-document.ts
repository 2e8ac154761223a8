/**
 * Owns: reading a document of strangers where it cannot hurt. Does not own: the formats (document-process.ts).
 *
 * D1 The libraries that understand documents run in a process of their own, which ends with the document. Through the
 *    launcher it reads the program and a copy of the document, writes nothing and has no network. Without a launcher
 *    Node's own permissions restrict it to the same files.
 * D2 Its memory and its time are limited; exceeding them is a reason, not an accident.
 */
import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rights } from '../../core/guard/command-rights.ts';
import { type Launched, launch } from '../sandbox/launch.ts';
import { programFolders } from '../sandbox/sandbox-places.ts';
import type { DocumentReply, DocumentRequest } from './document-contract.ts';

type DocumentReading = {
  /** The launcher, where it can restrict a process; null elsewhere. */
  launcher: string | null;
  signal: AbortSignal;
  limits?: DocumentLimits;
};

type DocumentLimits = { ms: number; megabytes: number };

const LIMITS: DocumentLimits = { ms: 60_000, megabytes: 1024 };
const OUTPUT_BYTES = 16_777_216;
const PROCESS = fileURLToPath(new URL('./document-process.ts', import.meta.url));

export async function readDocument(
  bytes: Uint8Array,
  request: DocumentRequest,
  { launcher, signal, limits = LIMITS }: DocumentReading,
): Promise<DocumentReply> {
  const folder = await mkdtemp(join(realpathSync(tmpdir()), 'oka-document-'));
  try {
    const file = join(folder, 'document');
    await writeFile(file, bytes, { mode: 0o600 });
    const readable = [...programParts(), file];
    const done = await launch(
      { argv: [process.execPath, ...nodeOptions(readable, limits), PROCESS, file, JSON.stringify(request)] },
      {
        cwd: folder,
        env: {},
        signal,
        timeoutMs: limits.ms,
        outputLimitBytes: OUTPUT_BYTES,
        ...(launcher === null ? {} : { sandbox: { launcher, rights: rightsToRead(readable, limits) } }),
      },
    );
    signal.throwIfAborted();
    return toReply(done, limits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function nodeOptions(readable: readonly string[], { megabytes }: DocumentLimits): string[] {
  return [
    `--max-old-space-size=${Math.floor(megabytes / 2)}`,
    '--no-warnings',
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ];
}

/** What the process may touch (D1). */
export function rightsToRead(readable: readonly string[], { megabytes, ms }: DocumentLimits): Rights {
  const system = ['/usr', '/bin', '/lib', '/lib64', '/nix/store'].filter((folder) => existsSync(folder));
  return {
    read: ['/etc/ssl/openssl.cnf', '/etc/ld.so.cache', '/proc/self', '/proc/meminfo', '/sys/fs/cgroup', ...readable],
    run: [...system, ...programFolders(process.execPath)],
    devices: ['/dev/null', '/dev/random', '/dev/urandom'],
    write: [],
    connect: [],
    limits: {
      fileBytes: 0,
      cpuSeconds: Math.ceil(ms / 1000),
      openFiles: 256,
      processes: 64,
      memoryBytes: megabytes * 1_048_576,
    },
  };
}

/** The program and its libraries; not the folder around them, which may be a home. */
function programParts(): string[] {
  const sources = dirname(dirname(dirname(PROCESS)));
  const program = dirname(sources);
  const libraries: string[] = [];
  for (let folder = program; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules');
    if (existsSync(path)) libraries.push(realpathSync(path));
    if (folder === dirname(folder)) break;
  }
  return [realpathSync(sources), join(realpathSync(program), 'package.json'), ...libraries];
}

function toReply(done: Launched, { ms, megabytes }: DocumentLimits): DocumentReply {
  const { ended, exit, stdout, stderr } = done;
  const fix = 'Split the document, or save it in a simpler format.';
  if (ended.how === 'timed-out') return { problem: `reading it takes longer than ${ms / 1000} s`, fix };
  const said = Buffer.concat([stderr.head, stderr.tail]).toString();
  if (ended.how === 'exceeded' || /heap out of memory|Array buffer allocation failed/.test(said))
    return { problem: `reading it needs more than ${megabytes} MB of memory`, fix };
  if (ended.how === 'itself' && exit === 0 && stdout.omitted === 0)
    return JSON.parse(Buffer.concat([stdout.head, stdout.tail]).toString()) as DocumentReply;
  const why = ended.how === 'unstarted' ? ended.problem : (said.trim().split('\n')[0] ?? '').slice(0, 200);
  return { problem: `the process that reads documents failed${why === '' ? '' : `: ${why}`}`, fix };
}
