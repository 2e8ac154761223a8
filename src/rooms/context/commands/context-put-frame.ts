import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { describeErrno } from '../../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { DEFAULT_AGENT, type NewFrame } from '../../../core/schema/frame.ts';
import type { PutResult } from '../../../kit/ports/tree-port.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { shownPath } from '../tree-text.ts';
import { changeTree, openOutgoing, type TreeOptions, workspaceOf } from '../tree-access.ts';

type Values = TreeOptions & { type: string | undefined; agent: string | undefined };
type Data = { path: string; id: string; is_new: boolean; type: string };

/** Adds what somebody wrote about a node; the same text again changes nothing. */
export async function run(call: Call<Values>): Promise<Answer<Data>> {
  const [name, file, ...others] = call.operands;
  if (name === undefined || file === undefined || others.length > 0)
    throw new OkaError('usage', 'name the node, and the file with the text (- for what is piped in)');
  await requireHome(call.home);
  const workspace = workspaceOf(call.options);
  const content = await readContent(call, file);
  const { type = 'note', agent = DEFAULT_AGENT } = call.options;
  const opened = await openTreeForReading(call);
  const { path, node } = await opened.read(workspace, (tree) => {
    const found = tree.find(name);
    return { path: found, node: tree.node(found)?.id ?? '' };
  });
  const frame: NewFrame = { path, node, type, agent, content, origin: 'person', basis: { node } };
  const { artifacts } = await openOutgoing(call);
  const { sha256 } = await artifacts.put(JSON.stringify([frame]), { media: 'application/json' });
  const done = await changeTree(call, { kind: 'put_frames', workspace, frames: sha256 });
  const [result] = done as PutResult[];
  return answer({ path, id: result?.id ?? '', is_new: result?.isNew ?? false, type });
}

async function readContent({ stdin }: Pick<Call, 'stdin'>, file: string): Promise<string> {
  if (file === '-') return readAll(stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OkaError('usage', messageOf(describeErrno(error, file)), { cause: error });
  }
}

export function render({ path, id, is_new, type }: Data): string {
  const what = is_new ? 'Added' : 'It was there already:';
  return `${what} ${type} ${id.slice(0, 12)} of ${shownPath(path)}.\n`;
}
