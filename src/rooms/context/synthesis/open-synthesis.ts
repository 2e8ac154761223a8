/**
 * Owns: synthesis, regeneration and questions over the context tree of a home, for its tools and for programs.
 *
 * 1. Only an agent that may synthesize makes frames of folders; the tree checks everything else about agents.
 * 2. A model is asked only by recorded calls: whoever asks passes the `act` of its own call.
 */
import type { AgentAdapter } from '../../../core/schema/agent-adapter.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { ContextView, type NodeContext } from '../../../core/schema/frame.ts';
import type { ArtifactStore } from '../../../core/schema/ports.ts';
import {
  type InvalidationRequest,
  RegenerationRequest,
  type SynthesisPlan,
  type SynthesisReport,
  SynthesisRequest,
} from '../../../core/schema/synthesis.ts';
import type { Act } from '../../../core/schema/tool.ts';
import type { MakePorts } from './frame-order.ts';
import { parseBasis, type ReadBasis, regenerateTree } from './regenerate-tree.ts';
import { planRegeneration, planSynthesis } from './synthesis-plan.ts';
import { createPolicies, type PolicyFunction } from './synthesis-policies.ts';
import { synthesizeTree } from './synthesize-tree.ts';
import { composeNode, type FrameOrdering } from '../model/compose-view.ts';
import type { ContextTree } from '../tree-port.ts';
import { isAtOrBelow } from '../model/tree-store.ts';
import type { AgentsPort } from '../../../kit/ports/agents-port.ts';
import { checkFrameType } from '../tree/put-frames.ts';
import { frameWriter } from './frame-writer.ts';
import type { Watcher } from './watch-workspace.ts';
import { readSourceIn } from './read-source.ts';
import { weighTexts } from './rank-frames.ts';

type SynthesisPorts = {
  tree: ContextTree;
  artifacts: Pick<ArtifactStore, 'get'>;
  agents: Pick<AgentsPort, 'get' | 'list'>;
  /** Types of frames that config.json declares. */
  types?: readonly string[];
  redact: (text: string) => string;
  /** The context of the model that would be asked, in tokens; null when that is not known. */
  contextOf: (model: string | undefined) => number | null;
};

export type Asking = { act: Act | null; signal: AbortSignal; progress?: (done: number, total: number) => void };

export type Synthesis = {
  make: MakePorts;
  synthesize: (request: SynthesisRequest, asking: Asking) => Promise<SynthesisReport>;
  regenerate: (request: RegenerationRequest, asking: Asking) => Promise<SynthesisReport>;
  invalidate: (request: InvalidationRequest) => Promise<{ path: string; type: string }[]>;
  plan: (request: SynthesisRequest | RegenerationRequest) => Promise<SynthesisPlan>;
  /** Registers a function for the policy `custom`. */
  register: (name: string, make: PolicyFunction) => void;
  /** Registers an ordering for views that name it (`custom`). */
  registerOrdering: (name: string, order: FrameOrdering) => void;
  /** A node with the frames that a view selects. */
  readNode: (workspace: string, node: string, view: ContextView) => Promise<NodeContext>;
  /** Compares the files with the tree and records what has changed. */
  refresh: (workspace: string, signal: AbortSignal) => Promise<void>;
  /** For programs that work in the name of an agent. */
  adapter: (agent: string, workspace: string, asking: Asking) => AgentAdapter;
};

/** With changes of files, as the watcher notices them. */
export type SynthesisPort = { open: () => Promise<Synthesis> } & Pick<Watcher, 'onChange'>;

export function openSynthesis(ports: SynthesisPorts): Synthesis {
  const { tree, artifacts, agents, types = [], redact, contextOf } = ports;
  const policies = createPolicies();
  const orderings: Record<string, FrameOrdering> = {};
  const readBasis: ReadBasis = async (body) => parseBasis((await artifacts.get({ sha256: body })).toString('utf8'));
  const make = { tree, policies, redact, readSource: readSourceIn(tree.workspaces), inFlight: new Map(), readBasis };
  const makingFor = ({ act, ...rest }: Asking): Parameters<typeof synthesizeTree>[2] => {
    return { ...rest, writer: act === null ? null : frameWriter(act, contextOf) };
  };
  const synthesis: Synthesis = {
    make,
    synthesize: (request, asking) => {
      const agent = agents.get(request.agent);
      if (!agent.capabilities.includes('synthesize')) throw mayNotSynthesize(agent.name);
      checkFrameType(request.type, [...types, ...agents.list().flatMap(({ frames }) => frames)]);
      const model = request.model ?? agent.model;
      return synthesizeTree(make, { ...request, ...(model === undefined ? {} : { model }) }, makingFor(asking));
    },
    regenerate: (request, asking) => regenerateTree(make, request, makingFor(asking)),
    invalidate: (request) => invalidateFrames(tree, request),
    plan: (request) =>
      tree.read(request.workspace, (reader) =>
        'policy' in request ? planSynthesis(reader, request) : planRegeneration(reader, request),
      ),
    register: (name, policy) => policies.register(name, policy),
    registerOrdering: (name, order) => void (orderings[name] = order),
    readNode: (workspace, node, view) =>
      tree.read(workspace, (reader) =>
        composeNode(reader, reader.find(node), view, { text: tree.text, relevance: weighTexts, orderings }),
      ),
    refresh: async (workspace, signal) => {
      await tree.scan(workspace, { signal });
    },
    adapter: (agent, workspace, asking) => adapterFor(synthesis, tree, { agent, workspace, asking }),
  };
  return synthesis;
}

function mayNotSynthesize(agent: string): OkaError {
  return new OkaError('not-permitted', `the agent ${agent} may not make frames of folders`, {
    fix: `Add "synthesize" to capabilities in .oka/rules/agents/${agent}.md, or use another agent.`,
  });
}

/** Marks heads stale; those that are stale already stay as they are. */
async function invalidateFrames(
  tree: ContextTree,
  { workspace, node, type, recursive, reason }: InvalidationRequest,
): Promise<{ path: string; type: string }[]> {
  const marked = await tree.read(workspace, (reader) => {
    const scope = reader.find(node);
    return [...reader.places(scope)]
      .filter(([path, place]) => place.left === undefined && (recursive ? isAtOrBelow(path, scope) : path === scope))
      .flatMap(([path]) => reader.heads(path).map((head) => ({ path, head })))
      .filter(({ head }) => head.stale === undefined && (type === undefined || head.type === type));
  });
  for (const { path, head } of marked) await tree.invalidate(workspace, path, [head.id], reason);
  return marked.map(({ path, head }) => ({ path, type: head.type }));
}

type AdapterOf = { agent: string; workspace: string; asking: Asking };

function adapterFor(synthesis: Synthesis, tree: ContextTree, { agent, workspace, asking }: AdapterOf): AgentAdapter {
  const synthesize = async (request: Partial<SynthesisRequest>): Promise<string> => {
    const whole = SynthesisRequest.parse({ ...request, workspace, agent });
    const { frame, failed } = await synthesis.synthesize(whole, asking);
    const [first] = failed;
    if (first !== undefined) throw new OkaError('refused', `${first.path}: ${first.reason}`);
    if (frame === null) throw new OkaError('refused', `nothing was made for "${whole.node}"`);
    return frame;
  };
  return {
    agent,
    readContext: (node, view = {}) => synthesis.readNode(workspace, node, ContextView.parse(view)),
    writeContext: async (node, { type, content }) => {
      const record = await tree.read(workspace, (reader) => reader.node(reader.find(node)));
      if (record === null) throw new OkaError('usage', `there is no node "${node}"`);
      const draft = { path: record.path, node: record.id, type, agent, content, origin: 'agent' as const };
      const [put] = await tree.put(workspace, [{ ...draft, basis: { node: record.id, inputs: [] } }]);
      if (put === undefined) throw new OkaError('refused', 'the frame was not stored');
      return put.id;
    },
    synthesize: (node, type) => synthesize({ node, type }),
    generateFrame: (node, prompt, type) =>
      synthesize({ node, type, recursive: false, policy: { kind: 'model', prompt } }),
  };
}
