/** Owns: results on their way home: publishing that of a task done here, and storing those of tasks that others did. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lstatIfPresent, replaceFile } from '../../ledger/disk.ts';
import type { ResultMessage, TaskMessage } from '../../schema/fleet.ts';
import { triggersAmong } from '../../schema/program-triggers.ts';
import type { ArtifactRef } from '../../schema/tool.ts';
import { deskFolder } from '../desk-folder.ts';
import type { Host } from '../host.ts';
import { ports } from '../room-ports.ts';
import { fleetRuns } from './fleet-runs.ts';
import type { FleetMember } from './fleet-member.ts';
import { placeFolder, storeFiles, withFetched } from './run-folder.ts';

export async function publishResult(host: Host, member: FleetMember, task: TaskMessage): Promise<void> {
  const { home, engine } = host;
  const { results } = host.valuesOf({ results: ports.results });
  const isWritten = lstatIfPresent(join(outboxOf(host, task.id), 'RESULT.md')) !== undefined;
  if (!isWritten || results.pending.runs().includes(task.id)) await results.write(task.id);
  const state = await engine.stateOf(task.id);
  await member.results.send(task.home, {
    id: task.id,
    worker: member.name,
    status: state?.status ?? 'failed',
    outbox: (await storeFiles(outboxOf(host, task.id), member.files)).map(({ path, sha256 }) => ({ path, sha256 })),
    desk: await storeFiles(join(deskFolder(home), task.id), member.files),
  });
}

/**
 * A result that came before, as after a crash, is stored once. It counts only from the member that owns the run: whoever
 * has taken it over since sends its own.
 */
export async function storeResult(host: Host, member: FleetMember, result: ResultMessage): Promise<void> {
  const { ledger, projections } = host.valuesOf({ ledger: ports.ledger, projections: ports.projections });
  if (!projections.stateOf(fleetRuns).sent.includes(result.id)) return;
  if ((await member.log.last(result.id))?.message.worker !== result.worker) return;
  const files = result.worker === member.name ? [] : await storeFilesHere(host, member, result);
  const { id, worker, status } = result;
  await ledger.append({ type: 'task.returned', run: id, data: { worker, status, files } });
}

/** Files that make other programs run are left out; RESULT.md is written last, since it says that all is there. */
async function storeFilesHere(host: Host, { files }: FleetMember, result: ResultMessage): Promise<ArtifactRef[]> {
  const { home } = host;
  const { deskPlaced } = host.valuesOf({ deskPlaced: ports.deskPlaced });
  const triggers = new Set(triggersAmong(result.desk.map(({ path }) => path)).map(({ path }) => path));
  const onDesk = result.desk.filter(({ path }) => !triggers.has(path));
  await withFetched(join(home.oka, 'state'), onDesk, files, (bundle) =>
    Promise.resolve(placeFolder(result.id, bundle, deskFolder(home), deskPlaced)),
  );
  const outbox = result.outbox
    .map((file) => ({ ...file, executable: false }))
    .toSorted((a, b) => Number(a.path === 'RESULT.md') - Number(b.path === 'RESULT.md'));
  return withFetched(join(home.oka, 'state'), outbox, files, ({ folder, files: fetched }) => {
    for (const { path } of fetched) {
      const at = join(outboxOf(host, result.id), path);
      mkdirSync(dirname(at), { recursive: true });
      replaceFile(at, readFileSync(join(folder, path)));
    }
    return Promise.resolve(outbox.map(({ path, sha256 }, index) => toRef(path, sha256, fetched[index]?.bytes ?? 0)));
  });
}

const toRef = (path: string, sha256: string, bytes: number): ArtifactRef => ({
  sha256,
  bytes,
  media: path.endsWith('.md') ? 'text/markdown' : 'application/octet-stream',
  name: path.slice(-255),
});

const outboxOf = ({ home }: Host, run: string): string => join(home.workspace, 'outbox', run);
