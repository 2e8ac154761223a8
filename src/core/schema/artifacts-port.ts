import type { ArtifactStore } from './ports.ts';
import { port } from './room.ts';

/** Bodies that are too large for events; given by the host. */
export const artifactsPort = port<ArtifactStore>('artifacts');
