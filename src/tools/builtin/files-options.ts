/** What every file tool needs. */
import type { ArtifactStore } from '../../schema/ports.ts';

export type FilesOptions = {
  /** The folder below which all of it happens. */
  desk: string;
  artifacts?: ArtifactStore;
};
