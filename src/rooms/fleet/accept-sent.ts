/** Owns: starting a task that another member, or this one, has given to the fleet. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTask } from '../../kit/inbox/parse-task.ts';
import type { Claimed } from '../../kit/inbox/claim-task.ts';
import { knownTasks } from '../../kit/inbox/known-tasks.ts';
import type { TaskMessage } from '../../core/schema/fleet.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { accept, acceptNeeds } from '../../kit/inbox/accept.ts';
import type { FleetMember } from './fleet-member.ts';
import { withFetched } from './run-folder.ts';

/** A task of the fleet works in a folder of its own, which can move to another member. */
export async function acceptSent(host: Host, member: FleetMember, message: TaskMessage): Promise<void> {
  const { home } = host;
  const bytes = await member.files.get(message.body);
  await withFetched(join(home.oka, 'state'), message.files ?? [], member.files, async ({ folder, files }) => {
    if (files.length === 0) makeTaskFolder(host, message.id);
    await accept(
      host.valuesOf(acceptNeeds),
      toClaimed(host, message, { bytes, folder: files.length === 0 ? null : folder, files }),
    );
  });
}

export function makeTaskFolder({ home, valuesOf }: Host, task: string): void {
  valuesOf({ deskPlaced: ports.deskPlaced }).deskPlaced(task);
  mkdirSync(join(deskFolder(home), task), { recursive: true });
}

type Parts = {
  bytes: Buffer;
  folder: string | null;
  files: readonly { path: string; bytes: number; executable: boolean }[];
};

function toClaimed({ valuesOf }: Host, message: TaskMessage, { bytes, folder, files }: Parts): Claimed {
  const { projections } = valuesOf({ projections: ports.projections });
  const { id, name, body: sha256, links, home } = message;
  const text = readTask(bytes, name);
  return {
    ...text,
    task: { ...text.task, dir: id },
    id,
    name,
    by: `fleet:${home}`,
    known: projections.stateOf(knownTasks).ids.includes(id),
    bytes,
    sha256,
    digest: sha256,
    folder,
    files: files.map((file) => ({ ...file, sha256: '', mtimeMs: Date.now() })),
    links: folder === null ? [] : links,
  };
}
