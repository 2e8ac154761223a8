/** Owns: results on their way home: publishing that of a task done here, and storing those of tasks that others did. */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunOwner } from './servers/run-owner.ts';
import { mayBeClaimed } from '../../kit/inbox/inbox-folders.ts';
import { lstatIfPresent, replaceShownFile } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { ResultMessage, TaskMessage } from '../../core/schema/fleet.ts';
import type { ArtifactRef } from '../../core/schema/tool.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import type { FleetMember } from './fleet-member.ts';
import { putOnDesk } from './put-on-desk.ts';
import { listLeftOut, storeFiles, withFetched } from './run-folder.ts';
import { deskNote, notSentNote } from './result-notes.ts';

export async function publishResult(
  host: Host,
  member: FleetMember,
  task: TaskMessage,
  { epoch }: RunOwner,
): Promise<void> {
  const { home, engine } = host;
  await writePage(host, task.id);
  const state = await engine.stateOf(task.id);
  const folder = join(deskFolder(home), task.id);
  const left = listLeftOut(folder).map(({ path }) => path);
  const result: ResultMessage = {
    id: task.id,
    worker: member.name,
    status: state?.status ?? 'failed',
    outbox: await storeOutbox(host, member, task.id),
    desk: await storeFiles(folder, member.files),
    ...(left.length === 0 ? {} : { left }),
  };
  await member.results.send(task.home, result, epoch);
}

/** Without its page a result is none: with a full disk it waits for space. */
async function writePage(host: Host, task: string): Promise<void> {
  const { results } = host.valuesOf({ results: ports.results });
  const isOwed = (): boolean =>
    lstatIfPresent(join(outboxOf(host, task), 'RESULT.md')) === undefined || results.pending.runs().includes(task);
  if (isOwed()) await results.write(task);
  if (isOwed()) throw new OkaError('write-failed', 'RESULT.md is not written yet');
}

/** RESULT.md also names the files that do not travel. */
async function storeOutbox(host: Host, { name, files }: FleetMember, task: string): Promise<ResultMessage['outbox']> {
  const folder = outboxOf(host, task);
  const note = notSentNote(name, task, [
    ...listLeftOut(join(deskFolder(host.home), task)),
    ...listLeftOut(folder).map(({ path, why }) => ({ path: `outbox/${path}`, why })),
  ]);
  const stored: ResultMessage['outbox'] = [];
  for (const { path, sha256 } of await storeFiles(folder, files)) {
    const isNoted = path === 'RESULT.md' && note !== '';
    const text = isNoted ? `${readFileSync(join(folder, path), 'utf8')}${note}` : null;
    stored.push({ path, sha256: text === null ? sha256 : await files.put(Buffer.from(text)) });
  }
  return stored;
}

/**
 * A result that came before, as after a crash, is stored once. One that is faster than the record that its task was sent,
 * as after a crash between the two, waits. It counts only from the member that owns the run: whoever has taken it over since
 * sends its own.
 */
export async function storeResult(host: Host, member: FleetMember, result: ResultMessage): Promise<void> {
  const { ledger, projections } = host.valuesOf({ ledger: ports.ledger, projections: ports.projections });
  if (!projections.stateOf(fleetRuns).sent.includes(result.id)) {
    if (!mayBeClaimed(join(host.home.workspace, 'inbox'), result.id)) return;
    throw new OkaError('fleet-refused', 'this home has yet to record that it sent the task');
  }
  if ((await member.log.last(result.id))?.message.worker !== result.worker) return;
  const files = result.worker === member.name ? [] : await storeFilesHere(host, member, result);
  const { id, worker, status } = result;
  await ledger.append({ type: 'task.returned', run: id, data: { worker, status, files } });
}

/** Nothing is changed before everything has come. RESULT.md is written last, since it says that all is there. */
async function storeFilesHere(host: Host, member: FleetMember, result: ResultMessage): Promise<ArtifactRef[]> {
  const { home } = host;
  const { files } = member;
  const outbox = result.outbox
    .map((file) => ({ ...file, executable: false }))
    .toSorted((a, b) => Number(a.path === 'RESULT.md') - Number(b.path === 'RESULT.md'));
  return withFetched(join(home.oka, 'state'), outbox, files, async ({ folder, files: fetched }) => {
    const note = deskNote(result.id, await putOnDesk(host, member, result));
    const refs: ArtifactRef[] = [];
    for (const { path } of fetched) {
      const at = join(outboxOf(host, result.id), path);
      const sent = readFileSync(join(folder, path));
      const content = path === 'RESULT.md' ? Buffer.concat([sent, Buffer.from(note)]) : sent;
      mkdirSync(dirname(at), { recursive: true });
      replaceShownFile(at, content, { durable: true }); // the servers forget it
      refs.push(toRef(path, content));
    }
    return refs;
  });
}

const toRef = (path: string, content: Buffer): ArtifactRef => ({
  sha256: hash('sha256', content),
  bytes: content.length,
  media: path.endsWith('.md') ? 'text/markdown' : 'application/octet-stream',
  name: path.slice(-255),
});

const outboxOf = ({ home }: Host, run: string): string => join(home.workspace, 'outbox', run);
