/**
 * Owns: what a simulation may know of a home without changing it: what graphs remember, how earlier runs went, the files
 * of the desk on a copy and, with OKA_CASSETTE=replay, what models have answered before. What one path writes, no other
 * path sees.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GraphState, memoryState, stateName } from '../../core/engine/graph-state.ts';
import type { OptionsOf, PathWorld, SimulationPorts } from '../../core/engine/simulate-graph.ts';
import { unknownsIn } from '../../core/engine/unknown-value.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import { ChoiceInput } from '../../core/schema/model-node.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { readViews } from '../../kit/cli/read-views.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import { detachedTools } from '../../kit/house/room-contributions.ts';
import { everyState } from '../../kit/views/state-view.ts';
import { priorRuns } from './prior-runs.ts';
import { completeValue } from './state-value.ts';
import { priorRunsTool } from './tools/prior-runs-tool.ts';
import { stateTools } from './tools/state-tools.ts';

export type SimulationPlace = Pick<Call, 'home' | 'progress' | 'rooms' | 'signal'>;

/** A desk that is larger is not copied, and so not looked at. */
const MOST_BYTES = 500_000_000;

const CHOOSE = 'model.choose';
const ON_DESK = new Set([
  'files.read',
  'files.list',
  'files.search',
  'files.write',
  'files.edit',
  'files.move',
  'files.remove',
]);

/** `replayed` are tools that ask a model; there are none unless its answers are replayed. */
export async function simulatedWorld(
  place: SimulationPlace,
  graph: Graph,
  artifacts: ArtifactStore,
  replayed: readonly Tool[],
): Promise<SimulationPorts> {
  const remembered = await rememberedState(place);
  const priorTool = priorRunsTool((query) => priorRuns(place.home, (read) => readViews(place, read), query));
  const { home, rooms } = place;
  const judging = await detachedTools({ home, desk: deskFolder(home), artifacts, purpose: 'replay' }, rooms);
  const shell = judging.find(({ name }) => name === 'shell');
  const open = async (): Promise<PathWorld> => {
    const state = memoryState(structuredClone(remembered));
    const read = async (namespace: string, key: string): Promise<Json | undefined> => state.get(namespace, key)?.value;
    const desk = deskCopy(place, graph, artifacts);
    const known = new Map(
      [...stateTools({ read, artifacts }), priorTool, ...replayed].map((tool) => [tool.name, tool]),
    );
    return { state, answer: (call) => answerOf(call, known, desk, shell), close: desk.close };
  };
  return { open, optionsOf };
}

async function answerOf(
  call: ToolCall,
  known: ReadonlyMap<string, Tool>,
  desk: DeskCopy,
  shell: Tool | undefined,
): ReturnType<PathWorld['answer']> {
  const tool = known.get(call.tool);
  if (tool !== undefined) return tool.invoke(call.input, call);
  if (ON_DESK.has(call.tool) || isReading(call, shell)) return desk.answer(call);
  if (call.class !== 'read') desk.leave(`${call.node ?? call.tool} may have changed files by then`);
  return { unknown: `${call.tool} is not called in a simulation` };
}

/** Whether a command only reads, by its words; one that asks for the network or for a secret is not tried. */
function isReading({ tool, input, author }: ToolCall, shell: Tool | undefined): boolean {
  if (tool !== 'shell' || unknownsIn(input).length > 0 || shell?.judgedClassOf?.(input, author) !== 'read')
    return false;
  return (
    jsonField(input, 'net') !== true && !Array.isArray(jsonField(input, 'net')) && jsonField(input, 'secrets') === null
  );
}

type DeskCopy = {
  answer: (call: ToolCall) => Promise<Outcome | { unknown: string }>;
  /** From now on its files are not known. */
  leave: (why: string) => void;
  close: () => void;
};

/** The desk of a path, copied when the first call needs it. Commands run on it only if they read, and may only read. */
function deskCopy({ home, rooms }: SimulationPlace, graph: Graph, artifacts: ArtifactStore): DeskCopy {
  let folder: string | null = null;
  let tools: Promise<readonly Tool[]> | null = null;
  let unusable: string | null = null;
  const toolsOn = (desk: string): Promise<readonly Tool[]> =>
    detachedTools({ home, desk, artifacts, purpose: 'replay' }, rooms);
  return {
    answer: async (call) => {
      const { tool, input, node } = call;
      if (unusable !== null) return { unknown: unusable };
      if (unknownsIn(input).length > 0) {
        if (call.class !== 'read') unusable = `${node ?? tool} may have changed files by then`;
        return { unknown: 'its input is not known' };
      }
      const original = deskFolder(home, graph.desk);
      if (folder === null && bytesIn(original, MOST_BYTES) > MOST_BYTES) unusable = 'the desk is too large to copy it';
      if (unusable !== null) return { unknown: unusable };
      folder ??= copyOf(original);
      tools ??= toolsOn(folder);
      const found = (await tools).find(({ name }) => name === tool);
      if (found === undefined) return { unknown: `${tool} is not called in a simulation` };
      const outcome = await found.invoke(input, call);
      return tool === 'shell' && outcome.status === 'denied' ? { unknown: outcome.error } : outcome;
    },
    leave: (why) => void (unusable ??= why),
    close: () => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function copyOf(desk: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'oka-simulation-'));
  if (existsSync(desk)) cpSync(desk, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** How large a folder is; counting stops when it is more than `most`. */
function bytesIn(folder: string, most: number): number {
  if (!existsSync(folder)) return 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > most) break;
  }
  return bytes;
}

async function rememberedState(place: SimulationPlace): Promise<GraphState> {
  const rows = await readViews(place, everyState);
  const state: GraphState = {};
  for (const { namespace, row } of rows) {
    const { key, seq, at, run } = row;
    state[stateName(namespace, key)] = { seq, at, run, value: await completeValue(place.home, row) };
  }
  return state;
}

/** The branches that a model would choose from. */
const optionsOf: OptionsOf = ({ tool, input }) => {
  const choice = tool === CHOOSE ? ChoiceInput.safeParse(input) : null;
  if (choice?.success !== true) return null;
  const { options, default: usual } = choice.data;
  return [...new Set([...options.map(({ name }) => name), ...(usual === undefined ? [] : [usual])])];
};
