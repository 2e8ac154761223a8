/** Owns: giving a task of this home's inbox to the fleet. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Claimed, OTHER_ID, RefusedClaim } from '../../kit/inbox/claim-task.ts';
import { claimedFolder } from '../../kit/inbox/inbox-folders.ts';
import { isScheduled } from '../../kit/schedule/schedule-spec.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { TaskMessage } from '../../core/schema/fleet.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { acceptNeeds, recordReceived } from '../../kit/inbox/accept.ts';
import { fleetRuns, wasSent } from '../../kit/fleet/fleet-runs.ts';
import type { FleetMember } from './fleet-member.ts';
import { forgetUnsent, noteUnsent } from '../../kit/fleet/unsent-task.ts';

const NEEDED = { ledger: ports.ledger, projections: ports.projections, artifacts: ports.artifacts };

/** In place of where it was. */
const LEFT_THE_QUEUE = 0;

type Travelling = Pick<Claimed, 'task' | 'body'>;

/**
 * Whether another member could do it: it names nothing that only this home has. A task that names secrets is done here,
 * unless this home does not have them all and a member says that it does, by a label such as `secret:github`.
 */
export async function canTravel(host: Host, member: FleetMember, { task, body }: Travelling): Promise<boolean> {
  const { dir, reads, writes, corrects, from_chat } = task;
  const isBound = [dir, reads, writes, corrects, from_chat].some((field) => field !== undefined);
  if (isBound || isScheduled(task)) return false;
  const secrets = secretsNamed(body);
  return secrets.length === 0 || (!(await hasSecrets(host, secrets)) && (await areElsewhere(member, secrets)));
}

/** A dot at the end is that of a sentence. */
const secretsNamed = (body: string): string[] => [
  ...new Set(
    [...body.matchAll(/\bsecret:([A-Za-z0-9][\w.-]{0,119})/g)].map(([, name = '']) => name.replace(/[.-]+$/, '')),
  ),
];

/** A vault that cannot be opened counts as having them: the task waits here, where a person sees why. */
async function hasSecrets({ valuesOf }: Host, names: readonly string[]): Promise<boolean> {
  const { vault } = valuesOf({ vault: ports.vault });
  if (vault.locked() !== null) return true;
  const found = await Promise.all(names.map((name) => vault.find(name)));
  return found.every((secret) => secret !== null);
}

async function areElsewhere({ members, name }: FleetMember, secrets: readonly string[]): Promise<boolean> {
  const others = (await members.list()).filter((each) => each.name !== name);
  return others.some(({ labels }) => secrets.every((secret) => labels.includes(`secret:${secret}`)));
}

/**
 * When it resolves, the task is in this ledger and in the queue of the fleet. Sent again, it is stored once. If it rejects,
 * such as when the servers have no space, faces find the reason in a note. Rejects with RefusedClaim when its id is that of
 * another task of the fleet.
 */
export async function sendTask(host: Host, member: FleetMember, claimed: Claimed): Promise<void> {
  try {
    await putInQueue(host, member, claimed);
    forgetUnsent(host.home, claimed.id);
  } catch (error) {
    if (error instanceof RefusedClaim) throw error;
    const explained = await member.explain(error);
    noteUnsent(host.home, claimed.id, messageOf(explained));
    throw explained;
  }
}

async function putInQueue(host: Host, member: FleetMember, claimed: Claimed): Promise<void> {
  const { ledger, projections, artifacts } = host.valuesOf(NEEDED);
  const { id, task, name, by } = claimed;
  if (wasSent(projections.stateOf(fleetRuns), id)) return;
  const found = claimed.known ? await findSent(member, id) : null;
  if (claimed.known && found === null && (await host.engine.stateOf(id)) !== null) return; // begun before this home joined
  await reserveId(host, member, claimed);
  await recordReceived(host.valuesOf(acceptNeeds), claimed);
  const secrets = secretsNamed(claimed.body).map((secret) => `secret:${secret}`);
  const needs = [...new Set([...(task.needs ?? []), ...secrets])].toSorted();
  const files = await storeTaskFiles(member, claimed);
  const message: TaskMessage = {
    id,
    home: member.name,
    by,
    name,
    needs,
    body: await member.files.put(claimed.bytes),
    files,
    links: claimed.links,
  };
  const sequence = found ?? (await member.queue.send(message));
  const list = files === null ? null : Buffer.from(JSON.stringify(files));
  if (list !== null) await artifacts.put(list); // from which a refill restores it
  const folder = list === null ? {} : { folder: await member.files.put(list) };
  await ledger.append({ type: 'task.sent', run: id, data: { needs, sequence, ...folder } });
}

/**
 * Where a task is that this home has perhaps sent before it was killed; null when it has not. One that left the queue has a
 * run: it was claimed before. So the queue is asked first.
 */
async function findSent({ queue, log }: FleetMember, id: string): Promise<number | null> {
  return (await queue.findAgain(id)) ?? ((await log.last(id)) === null ? null : LEFT_THE_QUEUE);
}

/** An id names one task in the fleet, as it does at one home, where the same id means the same task. */
async function reserveId({ home }: Host, member: FleetMember, { id, name, known }: Claimed): Promise<void> {
  await member.checkStream();
  const first = await member.homes.reserve(id, member.name);
  const isAnother = first !== member.name || (!known && (await member.log.last(id))?.message.kind === 'returned');
  if (!isAnother) return;
  const whose = first === member.name ? 'before' : `by ${first}`;
  throw new RefusedClaim(
    `a task with the id "${id}" was given to the fleet ${whose}; the same id means the same task in all its homes. ${OTHER_ID}`,
    join(claimedFolder(join(home.workspace, 'inbox')), id, name),
  );
}

async function storeTaskFiles({ files }: FleetMember, { folder, files: list }: Claimed): Promise<TaskMessage['files']> {
  if (folder === null) return null;
  const stored: NonNullable<TaskMessage['files']> = [];
  for (const { path, executable } of list)
    stored.push({ path, executable, sha256: await files.put(readFileSync(join(folder, path))) });
  return stored;
}
