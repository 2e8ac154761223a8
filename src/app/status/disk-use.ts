/** Owns: what a home takes of the disk, by part, what of it goes by itself and when, and what would go now. */
import type { Terminal } from '../../kit/cli/io.ts';
import { bytes, count } from '../../kit/cli/plain-text.ts';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { namesIn } from '../../core/ledger/old-files.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import type { Tidied } from '../../core/schema/room.ts';
import { tidy } from '../../kit/house/tidy.ts';
import { requests } from '../../rooms/maintenance/request-tidy.ts';

const SLICE_MS = 10;

/** `goes`: when the oldest of it goes, by which setting. */
type DiskPart = { part: string; path: string; bytes: number; goes: string };
export type DiskUse = { dir: string; parts: DiskPart[]; bytes: number; now: Tidied | null };

export async function readDiskUse(home: Home, settings: MaintenanceConfig, signal: AbortSignal): Promise<DiskUse> {
  const parts: DiskPart[] = [];
  for (const part of partsOf(settings)) parts.push({ ...part, bytes: await sizeOf(join(home.dir, part.path), signal) });
  const limits = requests(settings, Date.now()).find((intake) => intake.kind === 'tidy');
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  const isActive = (run: string): boolean => state.goals.some((goal) => goal.run === run);
  return {
    dir: home.dir,
    parts,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    now: limits === undefined ? null : await tidy({ home, limits, isActive, isDry: true, signal }),
  };
}

function partsOf(settings: MaintenanceConfig): Omit<DiskPart, 'bytes'>[] {
  const { archive_days, archive_mb, artifact_days, outbox_days, outbox_mb, undo_days, undo_mb } = settings;
  const rule = (what: string, days: number | null, mb: number | null): string | null => {
    const limits = [...(days === null ? [] : [`after ${days} days`]), ...(mb === null ? [] : [`beyond ${mb} MB`])];
    return limits.length === 0 ? null : `${what} ${limits.join(', and ')}`;
  };
  const stay = 'stay until you remove them';
  return [
    { part: 'ledger', path: '.oka/run_ledger.jsonl', goes: rule('is archived', archive_days, archive_mb) ?? 'stays' },
    { part: 'archive', path: '.oka/archive', goes: 'stays: it is your history' },
    {
      part: 'artifacts',
      path: '.oka/artifacts',
      goes: rule('those that nothing names any more go', artifact_days, null) ?? stay,
    },
    { part: 'undo', path: '.oka/undo', goes: rule('the oldest states go', undo_days, undo_mb) ?? stay },
    { part: 'index', path: '.oka/index', goes: 'can be rebuilt at any time' },
    { part: 'tools', path: '.oka/tools', goes: 'old versions go when oka tidies up' },
    { part: 'results', path: 'workspace/outbox', goes: rule('the oldest go', outbox_days, outbox_mb) ?? stay },
    { part: 'desk', path: 'workspace/desk', goes: 'is yours: nothing goes by itself' },
  ];
}

/** As the disk counts it: in blocks. Others get their turn meanwhile: a desk may have a hundred thousand files. */
async function sizeOf(top: string, signal: AbortSignal): Promise<number> {
  let size = 0;
  let until = performance.now() + SLICE_MS;
  for (const left = [top]; left.length > 0; ) {
    const path = left.pop() ?? '';
    const found = lstatIfPresent(path);
    size += (found?.blocks ?? 0) * 512;
    if (found?.isDirectory() === true) for (const name of namesIn(path)) left.push(join(path, name));
    if (performance.now() < until) continue;
    await breathe();
    signal.throwIfAborted();
    until = performance.now() + SLICE_MS;
  }
  return size;
}

export function diskText({ dir, parts, bytes: all, now }: DiskUse, { bold, dim }: Terminal): string {
  const lines = parts.map(
    ({ part, bytes: size, goes }) => `  ${part.padEnd(10)} ${bytes(size).padStart(9)}  ${dim(goes)}`,
  );
  const gone =
    now === null
      ? 'nothing'
      : `${count(now.artifacts, 'artifact')}, ${count(now.outbox.length, 'result')} and ${count(now.tools.length, 'old version')} of tools, ${bytes(now.bytes)}`;
  return [
    `${bold('oka')} in ${dir} takes ${bytes(all)}`,
    ...lines,
    `  Tidying now would remove ${gone}: oka tidy`,
    '',
  ].join('\n');
}
