/**
 * Owns: putting what a run has stored next to its RESULT.md: the complete outputs of its steps, and other artifacts.
 *
 * One in which a known secret is found, in any form, is not put there but into .oka/quarantine: somebody meant to carry it
 * out, and the outbox is what people pass on.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lstatIfPresent, replaceShownFile } from '../../core/ledger/disk.ts';
import { redactedNames } from '../../core/guard/redact.ts';
import { slugify } from '../../kit/text/prompt-text.ts';
import type { ResultFacts, ResultStep } from '../../kit/runs/result-content.ts';
import { isShownWhole } from './roles/result-steps.ts';
import type { ArtifactStore, Redact } from '../../core/schema/ports.ts';
import type { ArtifactRef } from '../../core/schema/tool.ts';

export type PublishPorts = {
  outbox: string;
  /** Where artifacts with a secret in them go; only the user of oka can open it. */
  quarantine: string;
  artifacts: ArtifactStore;
  redact: Redact;
};
type Published = Pick<ResultFacts, 'steps' | 'artifacts'> & { quarantined: string[] };
type Folder = { run: string; left: number; quarantined: Set<string>; ports: PublishPorts };

const MOST_FILES = 50;
const MOST_BYTES = 16 * 1024 * 1024;

export async function publishArtifacts(
  run: string,
  steps: readonly ResultStep[],
  all: readonly ArtifactRef[],
  ports: PublishPorts,
): Promise<Published> {
  const folder: Folder = { run, left: MOST_FILES, quarantined: new Set(), ports };
  const shown: ResultStep[] = [];
  for (const [index, step] of steps.entries()) shown.push(await publishOutput(folder, step, index + 1));
  const ofSteps = new Set(steps.flatMap(({ stored = [] }) => stored.map(({ sha256 }) => sha256)));
  const artifacts: Published['artifacts'][number][] = [];
  for (const artifact of all.filter(({ sha256 }) => !ofSteps.has(sha256)))
    artifacts.push(await publishArtifact(folder, artifact));
  return { steps: shown, artifacts, quarantined: [...folder.quarantined] };
}

/** The step with all of its output, and the files in which that is when the page does not show it. */
async function publishOutput(folder: Folder, step: ResultStep, number: number): Promise<ResultStep> {
  const { stored = [], output = '' } = step;
  const name = (stream: string): string =>
    `outputs/${number}-${slugify(step.title, 40) || 'step'}${stream === 'stderr' ? '-stderr' : ''}.txt`;
  const outputFiles: { file: string; bytes: number }[] = [];
  const shown = { ...step };
  for (const ref of stored) {
    const bytes = await readStored(folder, ref);
    const file = bytes === null ? null : place(folder, name(ref.name ?? ''), bytes);
    if (bytes === null || file === null) continue;
    outputFiles.push({ file, bytes: bytes.length });
    const isText = ref.media.startsWith('text/') && step.error === undefined;
    if (isText) shown[ref.name === 'stderr' ? 'stderr' : 'output'] = bytes.toString();
  }
  if (stored.length === 0 && !isShownWhole(output)) {
    const bytes = Buffer.from(`${output}\n`);
    const file = place(folder, name('stdout'), bytes);
    if (file !== null) outputFiles.push({ file, bytes: bytes.length });
  }
  return outputFiles.length === 0 ? shown : { ...shown, outputFiles };
}

async function publishArtifact(folder: Folder, ref: ArtifactRef): Promise<Published['artifacts'][number]> {
  const { sha256, bytes } = ref;
  const label = { name: ref.name ?? sha256.slice(0, 12), bytes, sha256 };
  const content = await readStored(folder, ref);
  const name = (ref.name ?? 'artifact').replaceAll(/[^\w.-]+/g, '-').slice(0, 100);
  const file =
    content === null ? null : place(folder, `artifacts/${sha256.slice(0, 8)}-${name}${extensionOf(ref)}`, content);
  return file === null ? label : { ...label, file };
}

/** A name without an extension gets one, so that a double click opens the file. */
function extensionOf({ name = '', media }: ArtifactRef): string {
  if (/\.\w{1,8}$/.test(name)) return '';
  const known = { 'application/json': '.json', 'text/html': '.html', 'text/markdown': '.md' }[media];
  return known ?? (media.startsWith('text/') ? '.txt' : '');
}

async function readStored({ ports }: Folder, ref: ArtifactRef): Promise<Buffer | null> {
  return ref.bytes > MOST_BYTES ? null : ports.artifacts.get(ref);
}

/** Returns where it is, relative to the page; null when it is not there. */
function place(folder: Folder, file: string, bytes: Buffer): string | null {
  const { run, ports, quarantined } = folder;
  const shown = join(ports.outbox, run, file);
  const name = file.replaceAll('/', '-');
  const hidden = join(ports.quarantine, run, name);
  const isHidden = lstatIfPresent(hidden) !== undefined;
  if (!isHidden && lstatIfPresent(shown)?.size === bytes.length) return file;
  const text = ports.redact(bytes.toString('latin1'));
  if (isHidden || redactedNames(text).length > 0) {
    if (!isHidden) write(hidden, Buffer.from(text, 'latin1'), { mode: 0o600 });
    quarantined.add(`.oka/quarantine/${run}/${name}`);
    return null;
  }
  if (folder.left === 0) return null;
  folder.left -= 1;
  write(shown, bytes);
  return file;
}

function write(file: string, bytes: Buffer, options: { mode?: number } = {}): void {
  mkdirSync(dirname(file), { recursive: true, ...(options.mode === undefined ? {} : { mode: 0o700 }) });
  replaceShownFile(file, bytes, options);
}
