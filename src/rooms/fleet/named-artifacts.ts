/**
 * Owns: which artifacts of this home go to the object store of the fleet: those that events of a run name which can move to
 * another member, and what these name in turn. Everything else stays here.
 */
import type { FleetFiles } from './servers/fleet-files.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';

/** Plans, prompts and outputs that name others are smaller. */
const MOST_SEARCHED = 4 * 1024 * 1024;
const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

type FindArtifact = (sha256: string) => Promise<Buffer | null>;

/** Hashes that this home has no artifact for mean something else, or an artifact of another member. `shared` grows. */
export async function shareNamed(
  text: string,
  find: FindArtifact,
  files: Pick<FleetFiles, 'put'>,
  shared: Set<string>,
): Promise<void> {
  for (const [sha256] of text.matchAll(HASH)) {
    if (shared.has(sha256)) continue;
    const content = await find(sha256);
    if (content === null) continue;
    await files.put(content);
    shared.add(sha256);
    if (content.length <= MOST_SEARCHED) await shareNamed(content.toString('latin1'), find, files, shared);
  }
}

/** Null when it is not there, or for another of these reasons. */
export const findIn =
  (artifacts: Pick<ArtifactStore, 'get'>, ...others: 'artifact-damaged'[]): FindArtifact =>
  (sha256) =>
    artifacts.get({ sha256 }).catch((error: unknown) => {
      const codes: string[] = ['artifact-missing', ...others];
      if (error instanceof OkaError && codes.includes(error.code)) return null;
      throw error;
    });
