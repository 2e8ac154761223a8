/**
 * Owns: adding frames: who may add one, to which node, and what is recorded.
 *
 * 1. The agent is checked on every write: it has to be known, and must be allowed to add frames.
 * 2. A frame is about the node as it is: one that was made from other content is refused.
 * 3. No secret enters a frame: its text is redacted before its id is computed.
 * 4. A frame that is the current head of its node already is not recorded again.
 */
import type { Agent } from '../../../core/schema/agent-file.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { NewEvent } from '../../../core/schema/event.ts';
import { BUILT_IN_FRAME_TYPES, FrameDraft, type NewFrame } from '../../../core/schema/frame.ts';
import { nearestWord } from '../../../core/schema/nearest-word.ts';
import type { ArtifactStore, Redact } from '../../../core/schema/ports.ts';
import { basisHash, frameId } from '../model/frame-id.ts';
import type { PutResult } from '../tree-port.ts';
import type { TreeReader } from '../model/tree-store.ts';
import type { AgentsPort } from '../../../kit/ports/agents-port.ts';
import { treeEvents } from './tree-events.ts';

type FramePorts = {
  agents: Pick<AgentsPort, 'get' | 'list'>;
  artifacts: ArtifactStore;
  redact: Redact;
  /** Types that config.json declares. */
  types: readonly string[];
};

/** Frames are checked before the first one is stored. The events are to be recorded in one batch. */
export async function prepareFrames(
  tree: TreeReader,
  frames: readonly NewFrame[],
  ports: FramePorts,
): Promise<{ events: NewEvent[]; results: PutResult[] }> {
  const drafts = frames.map((frame) => checkFrame(tree, FrameDraft.parse(frame), ports));
  const added = new Set<string>();
  const results = drafts.map((draft): PutResult => {
    const id = frameId(draft);
    const key = `${draft.path}//${id}`;
    const isNew = !added.has(key) && !isCurrentHead(tree, draft, id);
    added.add(key);
    return { path: draft.path, id, isNew };
  });
  const events: NewEvent[] = [];
  for (const [index, draft] of drafts.entries()) {
    const { id, isNew } = results[index] as PutResult;
    if (isNew) events.push(await toEvent(tree, draft, id, ports.artifacts));
  }
  return { events, results };
}

function isCurrentHead(tree: TreeReader, { path, type }: FrameDraft, id: string): boolean {
  const head = tree.head(path, type);
  return head?.id === id && head.stale?.startsWith('invalidated') !== true;
}

async function toEvent(tree: TreeReader, draft: FrameDraft, id: string, artifacts: ArtifactStore): Promise<NewEvent> {
  const { path, node, type, agent, origin, basis, model, usage } = draft;
  // The first content of a frame stays; a model may answer the same question differently the second time.
  const known = tree.frame(id);
  const text = JSON.stringify({ basis, content: draft.content });
  const stored = known === null ? text : (await artifacts.get({ sha256: known.body })).toString();
  const body = await artifacts.put(stored, { media: 'application/json' });
  return treeEvents.framePut({
    workspace: tree.workspace,
    path,
    id,
    node,
    type,
    basis: basisHash(basis),
    agent,
    origin,
    ...(model === undefined ? {} : { model }),
    inputs: basis.inputs.length,
    ...(basis.takes === undefined ? {} : { takes: basis.takes }),
    body,
    ...(usage === undefined ? {} : { usage }),
  });
}

function checkFrame(tree: TreeReader, draft: FrameDraft, { agents, redact, types }: FramePorts): FrameDraft {
  const agent = agents.get(draft.agent);
  checkAgent(agent, draft);
  checkFrameType(draft.type, [...types, ...agents.list().flatMap(({ frames }) => frames)]);
  checkNode(tree, draft);
  if (redact(draft.path) !== draft.path)
    throw new OkaError('refused', 'the path contains a secret, so no frame can be added to it', {
      fix: 'Rename the file.',
    });
  return { ...draft, content: redact(draft.content) };
}

function checkAgent({ name, role, capabilities }: Agent, { basis }: FrameDraft): void {
  const isBranch = basis.takes !== undefined;
  const needed = isBranch ? 'synthesize' : 'frames';
  const may = capabilities.includes(needed) || (isBranch && name === 'oka');
  if (may) return;
  const what = isBranch ? 'make frames of folders' : 'add frames';
  throw new OkaError('not-permitted', `the agent ${name} may not ${what}: it is a ${role} without "${needed}"`, {
    fix: `Give it the role or the capability in .oka/rules/agents/${name}.md, or name another agent.`,
  });
}

/** Throws for a type that nobody has declared; a typo would start a history of its own. */
export function checkFrameType(type: string, declared: readonly string[]): void {
  const known = [...new Set([...BUILT_IN_FRAME_TYPES, ...declared])];
  if (known.includes(type)) return;
  const near = nearestWord(type, known);
  throw new OkaError('usage', `there is no frame type "${type}"${near === null ? '' : `; did you mean "${near}"?`}`, {
    fix: `There is ${known.join(', ')}. Declare another one in the file of an agent (frames) or in config.json (tree.frame_types).`,
  });
}

function checkNode(tree: TreeReader, { path, node, basis }: FrameDraft): void {
  const shown = path === '' ? 'the root' : path;
  const now = tree.node(path);
  if (now === null)
    throw new OkaError('usage', `${shown} is not in the context tree of ${tree.workspace}`, {
      fix: 'Scan again if the file is new: oka context scan',
    });
  if (now.id !== node || basis.node !== node)
    throw new OkaError('refused', `${shown} has changed since the frame was made`, { fix: 'Read it again.' });
}
