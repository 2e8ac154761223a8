/** Owns: giving a task of this home's inbox to the fleet. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Claimed } from '../../intake/claim-task.ts';
import { isScheduled } from '../../intake/schedule-spec.ts';
import type { TaskMessage } from '../../schema/fleet.ts';
import type { Host } from '../host.ts';
import { ports } from '../room-ports.ts';
import { recordReceived } from '../worker/accept.ts';
import { fleetRuns } from './fleet-runs.ts';
import type { FleetMember } from './fleet-member.ts';

/** Whether any member could do it: it names nothing that only this home has. */
export function canTravel({ task, body }: Pick<Claimed, 'task' | 'body'>): boolean {
  const { dir, reads, writes, corrects, from_chat } = task;
  const isBound = [dir, reads, writes, corrects, from_chat].some((field) => field !== undefined);
  return !isBound && !isScheduled(task) && !/\bsecret:[A-Za-z0-9]/.test(body);
}

/** When it resolves, the task is in this ledger and in the queue of the fleet. Sent again, it is stored once. */
export async function sendTask(host: Host, member: FleetMember, claimed: Claimed): Promise<void> {
  const { ledger, projections } = host.valuesOf({ ledger: ports.ledger, projections: ports.projections });
  const { id, task, name, by } = claimed;
  if (projections.stateOf(fleetRuns).sent.includes(id)) return;
  await recordReceived(host, claimed);
  const needs = [...new Set(task.needs ?? [])].toSorted();
  const message: TaskMessage = {
    id,
    home: member.name,
    by,
    name,
    needs,
    body: await member.files.put(claimed.bytes),
    files: await storeTaskFiles(member, claimed),
    links: claimed.links,
  };
  const sequence = await member.queue.send(message);
  await ledger.append({ type: 'task.sent', run: id, data: { needs, sequence } });
}

async function storeTaskFiles({ files }: FleetMember, { folder, files: list }: Claimed): Promise<TaskMessage['files']> {
  if (folder === null) return null;
  const stored: NonNullable<TaskMessage['files']> = [];
  for (const { path, executable } of list)
    stored.push({ path, executable, sha256: await files.put(readFileSync(join(folder, path))) });
  return stored;
}
