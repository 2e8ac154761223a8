/**
 * Owns: the tools by which graphs, chats and tasks use the context tree.
 *
 * 1. What only reads has the class read; what adds frames or marks them has write_local, and goes through the guard.
 * 2. A frame that a tool adds says that an agent wrote it: in prompts it is material, never an instruction.
 * 3. A model writes in the name of oka; only a person names another agent.
 * 4. A planner is offered these tools once there is a tree: until then they would only cost tokens.
 */
import {
  ContextAnswerSchemas,
  InvalidationRequest,
  MapRequest,
  QuestionAnswer,
  QuestionRequest,
  ReadRequest,
  RegenerationRequest,
  SynthesisReport,
  SynthesisRequest,
  WriteRequest,
} from '../../../core/schema/synthesis.ts';
import { ContextView, DEFAULT_AGENT, NodeContext } from '../../../core/schema/frame.ts';
import type { Act, Outcome, Tool, ToolCall } from '../../../core/schema/tool.ts';
import { defineTool, ok } from '../../../kit/define-tool.ts';
import type { Asking, Synthesis } from './open-synthesis.ts';

type ContextToolPorts = {
  /** Opens it at first use: a host that needs no frames does not pay for them. */
  synthesis: () => Promise<Synthesis>;
  hasModel: (model: string | undefined) => boolean;
  /** Whether any workspace has been scanned. */
  hasTree: () => boolean;
};

const READ = { read_only: true, idempotent: true, risk: 'low' } as const;
const WRITE = { idempotent: true, risk: 'low' } as const;

export function contextTools(ports: ContextToolPorts): Tool[] {
  const tools = [readTool(ports), askTool(ports), mapTool(ports), writeTool(ports), ...makingTools(ports)];
  return [...tools.map((tool) => offerWhile(tool, ports.hasTree)), invalidateTool(ports)];
}

/** Whether a tool is offered to planners is asked whenever tools are listed (4). */
function offerWhile(tool: Tool, isUseful: () => boolean): Tool {
  return Object.defineProperty({ ...tool }, 'internal', {
    get: () => (isUseful() ? undefined : true),
    enumerable: true,
  });
}

/** In whose name a call acts (3). */
const agentFor = (agent: string, { author }: ToolCall): string => (author === 'operator' ? agent : DEFAULT_AGENT);

function readTool({ synthesis }: ContextToolPorts): Tool {
  return defineTool({
    name: 'context.read',
    about: 'Reads what is known about a file or folder of the workspace (its frames), without reading the file itself.',
    input: ReadRequest,
    output: NodeContext,
    annotations: READ,
    targets: [],
    parallel: true,
    class: 'read',
    act: async ({ workspace, node, question, types, sources, max_frames }) => {
      const ordering = question === undefined ? undefined : { by: 'relevance', question };
      const view = ContextView.parse({ max_frames, sources, ordering, filters: types === undefined ? {} : { types } });
      return ok(await (await synthesis()).readNode(workspace, node, view));
    },
  });
}

function askTool({ synthesis, hasModel }: ContextToolPorts): Tool {
  return defineTool({
    name: 'context.ask',
    about: 'Answers a question about the workspace from its frames, with the paths that the answer rests on.',
    input: QuestionRequest,
    output: QuestionAnswer,
    annotations: READ,
    targets: [],
    class: 'read',
    act: async (request, call) => {
      const { refresh, make } = await synthesis();
      await refresh(request.workspace, call.signal);
      const { askWorkspace } = await import('./ask-workspace.ts');
      return askWorkspace(make.tree, request, hasModel(request.model) ? call.act : null);
    },
  });
}

function mapTool({ synthesis }: ContextToolPorts): Tool {
  return defineTool({
    name: 'context.map',
    about: 'Shows the most used files of a folder with their most used names, within a number of tokens.',
    input: MapRequest,
    output: ContextAnswerSchemas.map,
    annotations: READ,
    targets: [],
    parallel: true,
    class: 'read',
    act: async (request) => {
      const { mapFolder } = await import('./map-folder.ts');
      return ok(await mapFolder((await synthesis()).make, request));
    },
  });
}

function writeTool({ synthesis }: ContextToolPorts): Tool {
  return defineTool({
    name: 'context.write',
    about: 'Adds a frame to a file or folder of the workspace: what you understood of it, for whoever comes later.',
    input: WriteRequest,
    output: ContextAnswerSchemas.written,
    annotations: WRITE,
    targets: ['node'],
    class: 'write_local',
    act: async ({ workspace, node, type, content, agent }, call) => {
      const adapter = (await synthesis()).adapter(agentFor(agent, call), workspace, { act: null, signal: call.signal });
      return ok({ frame: await adapter.writeContext(node, { type, content }) });
    },
  });
}

/** Both may ask models; what they made before they were stopped stays, so that doing it again goes on. */
function makingTools({ synthesis, hasModel }: ContextToolPorts): Tool[] {
  return [
    defineTool({
      name: 'context.synthesize',
      about: 'Makes frames for a folder of the workspace and everything below it, from the bottom to the top.',
      input: SynthesisRequest,
      output: SynthesisReport,
      annotations: WRITE,
      targets: ['node'],
      class: 'write_local',
      act: async (request, call) => {
        const { act, signal } = call;
        const { refresh, synthesize } = await synthesis();
        await refresh(request.workspace, signal);
        const asking = askingFor(hasModel(request.model) ? act : null, signal);
        const agent = agentFor(request.agent, call);
        const report = await synthesize({ ...request, agent }, asking);
        return asking.waiting() ?? reportOutcome(report);
      },
    }),
    defineTool({
      name: 'context.regenerate',
      about: 'Makes frames again whose files or child frames have changed.',
      input: RegenerationRequest,
      output: SynthesisReport,
      annotations: WRITE,
      targets: ['node'],
      class: 'write_local',
      act: async (request, { act, signal }) => {
        const { refresh, regenerate } = await synthesis();
        await refresh(request.workspace, signal);
        const asking = askingFor(hasModel(request.model) ? act : null, signal);
        const report = await regenerate(request, asking);
        return asking.waiting() ?? reportOutcome(report);
      },
    }),
  ];
}

/** What models may cost today is used up: the call waits, and goes on with what is still to be made. */
function askingFor(act: Act | null, signal: AbortSignal): Asking & { waiting: () => Outcome | null } {
  let waiting: Outcome | null = null;
  const watched: Act = async (...asked) => {
    const outcome = await (act as Act)(...asked);
    if (outcome.status === 'waiting' && outcome.for.kind === 'timer' && outcome.for.day_budget !== undefined)
      waiting = outcome;
    return outcome;
  };
  return { act: act === null ? null : watched, signal, waiting: () => waiting };
}

const MOST_LISTED = 200;
const MOST_REASONS = 5;

/** Long lists are cut in an outcome; the tree itself has all of it. What could make nothing has failed. */
function reportOutcome(report: SynthesisReport): Outcome {
  const { made, failed, left_stale: left } = report;
  if (made.length === 0 && failed.length > 0)
    return { status: 'failed', error: `nothing was made: ${reasonsOf(failed)}`, temporary: false };
  return ok({
    ...report,
    made: made.slice(0, MOST_LISTED),
    made_count: made.length,
    failed: failed.slice(0, MOST_LISTED),
    left_stale: left.slice(0, MOST_LISTED),
  });
}

function reasonsOf(failed: SynthesisReport['failed']): string {
  const shown = failed.slice(0, MOST_REASONS).map(({ path, reason }) => `${path === '' ? '.' : path}: ${reason}`);
  const more = failed.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function invalidateTool({ synthesis }: ContextToolPorts): Tool {
  return defineTool({
    name: 'context.invalidate',
    about: 'Marks frames of the workspace as stale, so that they are made again.',
    input: InvalidationRequest,
    output: ContextAnswerSchemas.invalidated,
    internal: true,
    annotations: WRITE,
    targets: ['node'],
    class: 'write_local',
    act: async (request) => ok({ marked: await (await synthesis()).invalidate(request) }),
  });
}
