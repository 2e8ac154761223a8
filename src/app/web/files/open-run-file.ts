/**
 * Owns: finding a file that belongs to a run: one in the folder of its result, or an artifact that its events name.
 *
 * 1. Nothing outside of the folder is opened: no path that leaves it, and no link, wherever in the path it is.
 * 2. An artifact is opened only for a run that names it.
 */
import { closeSync, constants, fstatSync, openSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { artifactsIn } from '../../../kit/runs/result-facts.ts';
import { redactShapes } from '../../../core/guard/redact.ts';
import { openArtifacts } from '../../../core/ledger/artifact-store.ts';
import { errnoOf, OkaError } from '../../../core/schema/errors.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import { ID_SHAPE } from '../../../core/schema/id-shape.ts';
import type { ArtifactRef } from '../../../core/schema/tool.ts';

type OpenedFile = { fd: number; bytes: number };

/** Whoever opens it closes it. */
export function openResultFile(home: Home, run: string, path: string): OpenedFile {
  const missing = new OkaError('artifact-missing', 'There is no such file in the result of this run.');
  const parts = path.split('/');
  if (!ID_SHAPE.test(run) || parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
    throw missing;
  const folder = join(home.workspace, 'outbox', run);
  try {
    const file = join(folder, ...parts);
    // A link anywhere below the outbox makes the two differ.
    if (realpathSync(file) !== join(realpathSync(join(home.workspace, 'outbox')), run, ...parts)) throw missing;
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (stat.isFile() && file.startsWith(folder + sep)) return { fd, bytes: stat.size };
    closeSync(fd);
    throw missing;
  } catch (error) {
    if (error instanceof OkaError || errnoOf(error) === undefined) throw error;
    throw missing;
  }
}

export async function readRunArtifact(
  home: Home,
  events: readonly Event[],
  sha256: string,
): Promise<{ ref: ArtifactRef; content: Buffer }> {
  const ref = namedArtifacts(events).find((each) => each.sha256 === sha256);
  if (ref === undefined) throw new OkaError('artifact-missing', 'This run names no such artifact.');
  return { ref, content: await openArtifacts(join(home.oka, 'artifacts'), redactShapes).get(ref) };
}

function namedArtifacts(events: readonly Event[]): ArtifactRef[] {
  const given = events.flatMap(({ type, data }) => {
    if (type === 'task.received') return [data.body, ...data.files];
    return type === 'run.ended' ? data.artifacts : [];
  });
  return [...artifactsIn(events), ...given];
}
