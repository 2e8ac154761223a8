/** Ids of frames. They depend on nothing but their arguments, so they are the same on every machine. */
import { hash } from 'node:crypto';
import type { Basis, FrameDraft, FrameID } from '../../../core/schema/frame.ts';

/** The hash of everything a frame was made from. Fields that are left out do not count. */
export function basisHash({ node, inputs, takes, policy, prompt, context, revision }: Basis): string {
  const fields = { node, inputs, takes, policy, prompt, context, revision };
  return hash('sha256', `oka basis 1\n${JSON.stringify(fields)}`);
}

/** What a model answers is not part of the id: the same question has one frame, whatever comes back. */
export function frameId(frame: Pick<FrameDraft, 'basis' | 'content' | 'type' | 'agent' | 'origin'>): FrameID {
  const content = frame.origin === 'model' ? null : hash('sha256', frame.content);
  const fields = { basis: basisHash(frame.basis), content, type: frame.type, agent: frame.agent };
  return hash('sha256', `oka frame 1\n${JSON.stringify(fields)}`);
}
