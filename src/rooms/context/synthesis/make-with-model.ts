/**
 * Owns: frames that a model writes.
 *
 * W1 What a model answered for a basis is never asked for again; its frame is used wherever the basis is the same.
 * W2 A frame that is being written already is waited for, not written twice.
 * W3 Secrets are removed from texts before the model gets them, and from its answer.
 * W4 For a folder the model gets its own earlier text and only the frames that have changed since.
 */
import { messageOf } from '../../../core/schema/errors.ts';
import type { Basis, NewFrame } from '../../../core/schema/frame.ts';
import { frameId } from '../model/frame-id.ts';
import { withPrompt } from './frame-basis.ts';
import type { Made, MakePorts, ModelTask, Order, WriteFrame } from './frame-order.ts';
import {
  basisOf,
  changedSinceScan,
  type Inputs,
  isBinary,
  isCurrent,
  readChildFrames,
  readInputs,
  reuseHead,
} from './make-by-rules.ts';

export async function makeWithModel(ports: MakePorts, order: Order, writer: WriteFrame | null): Promise<Made> {
  if (writer === null) return { kind: 'failed', reason: 'there is no model to ask', isFinal: true };
  try {
    const inputs = await ports.tree.read(order.workspace, (reader) => readInputs(reader, order));
    return await askUnlessKnown(ports, order, inputs, writer);
  } catch (error) {
    return { kind: 'failed', reason: messageOf(error), isFinal: false };
  }
}

async function askUnlessKnown(ports: MakePorts, order: Order, inputs: Inputs, writer: WriteFrame): Promise<Made> {
  const given = await modelContext(ports, order, inputs);
  if (given === null) return changedSinceScan(order);
  const plain = withPrompt(basisOf(order, inputs), `${writer.prompt}\n${given.task.wish ?? ''}`, given.context);
  const basis = await revisionOf(ports, order, plain);
  if (!order.isForced && isCurrent(inputs, basis)) return reuseHead(inputs);
  const id = frameId({ basis, content: '', type: order.type, agent: order.agent, origin: 'model' });
  const running = ports.inFlight.get(id);
  if (running !== undefined) return running;
  const making = answerOrStored(ports, order, { basis, id, task: given.task, writer });
  ports.inFlight.set(id, making);
  try {
    return await making;
  } finally {
    ports.inFlight.delete(id);
  }
}

type Question = { basis: Basis; id: string; task: ModelTask; writer: WriteFrame };

/** A frame with this id has been written before, or a model is asked now (M2). */
async function answerOrStored(ports: MakePorts, order: Order, { basis, id, task, writer }: Question): Promise<Made> {
  const stored = await ports.tree.read(order.workspace, (reader) => reader.frame(id));
  const text = stored === null ? null : await ports.tree.text(stored);
  if (stored !== null && text !== null) return putFrame(ports, order, { basis, content: text, origin: 'model' });
  const answer = await writer.write(task, order.model);
  if ('failed' in answer) return { kind: 'failed', reason: answer.failed, isFinal: answer.isFinal };
  const { content, model, tokens } = answer;
  const put = await putFrame(ports, order, { basis, content: ports.redact(content), origin: 'model', model });
  return put.kind === 'failed' ? put : { ...put, tokens, calls: 1 };
}

async function modelContext(
  ports: MakePorts,
  order: Order,
  { frames, head }: Inputs,
): Promise<{ context: string; task: ModelTask } | null> {
  const { node, type, recipe, workspace } = order;
  const wish = recipe.policy.kind === 'model' ? recipe.policy.prompt : undefined;
  if (node.kind !== 'folder') {
    const source = await ports.readSource(workspace, node);
    if (source === null) return null;
    const text = shownText(source.text, ports.redact);
    return { context: text, task: { of: 'file', path: node.path, type, text, wish } };
  }
  const known = await knownInputs(ports, order, head);
  const all = await readChildFrames(ports, workspace, frames);
  const children = known === null ? all : all.filter(({ frame }) => !known.inputs.has(frame.id));
  const names = all.map(({ name }) => name);
  const context = frames.map(({ frame }) => frame).join('\n');
  return { context, task: { of: 'folder', path: node.path, type, children, names, before: known?.text ?? null, wish } };
}

function shownText(text: string | null, redact: (text: string) => string): string {
  if (text === null) return '(a file that is too large to be read)';
  return isBinary(text) ? '(a binary file)' : redact(text);
}

/** The text of the frame before, and what it was made from, when a model wrote it: then only changes are shown to it. */
async function knownInputs(
  { tree }: MakePorts,
  { workspace, isForced }: Order,
  head: string | null,
): Promise<{ text: string; inputs: ReadonlySet<string> } | null> {
  if (head === null || isForced) return null;
  const row = await tree.read(workspace, (reader) => reader.frame(head));
  if (row === null || row.origin !== 'model') return null;
  const text = await tree.text(row);
  return text === null ? null : { text, inputs: new Set(row.inputs) };
}

/** The latest revision that has a frame; the one after it when the model is to be asked again. */
function revisionOf({ tree }: MakePorts, { workspace, type, agent, isForced }: Order, plain: Basis): Promise<Basis> {
  return tree.read(workspace, (reader) => {
    let latest = plain;
    for (let revision = 1; ; revision += 1) {
      const next = { ...plain, revision };
      const id = frameId({ basis: next, content: '', type, agent, origin: 'model' });
      if (reader.frame(id) === null) return isForced ? next : latest;
      latest = next;
    }
  });
}

async function putFrame(
  { tree }: MakePorts,
  { workspace, node, type, agent }: Order,
  made: Pick<NewFrame, 'basis' | 'content' | 'origin' | 'model'>,
): Promise<Made> {
  const [put] = await tree.put(workspace, [{ path: node.path, node: node.id, type, agent, ...made }]);
  if (put === undefined) return { kind: 'failed', reason: 'the frame was not stored', isFinal: false };
  return { kind: put.isNew ? 'made' : 'unchanged', frame: put.id, tokens: 0, calls: 0 };
}
