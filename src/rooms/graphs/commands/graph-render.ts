import { loadGraph } from '../../../kit/graphs/graph-files.ts';
import { readGraphText } from '../../../kit/graphs/edit-graph.ts';
import { eventsOfRun } from '../../../kit/runs/replay-runs.ts';
import { nodeKinds } from '../../../kit/house/room-contributions.ts';
import { replaceFile } from '../../../core/ledger/disk.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { graphOperand } from '../graph-operand.ts';
import { toDot, toMermaid } from '../../../kit/views/picture/diagram-text.ts';
import { type Picture, pictureOf, withRun } from '../../../kit/views/picture/graph-picture.ts';
import { toSvg } from '../../../kit/views/picture/svg.ts';

const FORMATS = { mermaid: toMermaid, svg: toSvg, dot: toDot } as const;
type Format = keyof typeof FORMATS;
type Options = { format: Format | undefined; run: string | undefined; out: string | undefined };
type Data = { graph: string; format: Format; run: string | null; file: string | null; picture: string };

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  const { out, run: given } = call.options;
  const format = call.options.format ?? formatOfFile(out);
  const file = graphOperand(call);
  const { id } = loadGraph(file, await nodeKinds(call.rooms));
  const plain = pictureOf(readGraphText(file).value);
  const name = given === undefined ? null : await findRunName(call, given);
  const picture = FORMATS[format](name === null ? plain : await pictureWithRun(call, plain, id, name));
  if (out !== undefined) replaceFile(out, picture);
  return answer({ graph: id, format, run: name, file: out ?? null, picture });
}

async function pictureWithRun({ home }: Call<Options>, plain: Picture, graph: string, run: string): Promise<Picture> {
  const events = await eventsOfRun(home, run);
  const started = events.find((event) => event.type === 'run.started');
  if (started?.data.graph.id === graph) return withRun(plain, events);
  throw new OkaError('usage', `${run} is no run of the graph ${graph}`, {
    fix: `List its runs: oka graph runs ${graph}`,
  });
}

/** The ending of the file says what is wanted; Mermaid where nothing does. */
function formatOfFile(out: string | undefined): Format {
  const ending = out?.split('.').at(-1);
  return ending === 'svg' || ending === 'dot' ? ending : 'mermaid';
}

export function render({ file, picture }: Data): string {
  return file === null ? picture : `Wrote ${file}\n`;
}
