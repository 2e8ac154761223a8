import { FrameBody } from '../../../core/schema/frame.ts';
import type { ArtifactStore } from '../../../core/schema/ports.ts';

/** The text of a frame; null when its artifact is lost or damaged. */
export async function readFrameText(artifacts: Pick<ArtifactStore, 'get'>, body: string): Promise<string | null> {
  try {
    const bytes = await artifacts.get({ sha256: body });
    return FrameBody.parse(JSON.parse(bytes.toString())).content;
  } catch {
    return null;
  }
}
