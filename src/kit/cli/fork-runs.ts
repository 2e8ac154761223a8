/** Forks: a run that departs from an earlier one at a node, with another input if one is given. */
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { deskFolder } from '../desk-folder.ts';
import { eventsOfRun, graphOfRun } from '../runs/replay-runs.ts';
import { runWithSteps } from '../runs/run-with-steps.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Graph, Node } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Answer, Call } from './command-module.ts';
import { freeName, rowOfRun, startLinkedRun } from './linked-runs.ts';
import { inputOption } from './operands.ts';
import { withReadingProgress } from './reading-progress.ts';
import { readViews } from './read-views.ts';
import type { RequestData } from './run-requests.ts';

type ForkOptions = { input: string | undefined; id: string | undefined };

/** Starts the fork; a task is forked inside, where its steps are. */
export async function startFork(call: Call<ForkOptions>, named: string, node: string): Promise<Answer<RequestData>> {
  const run = runWithSteps(await rowOfRun(call, named));
  const { options } = call;
  const input = options.input === undefined ? undefined : await inputOption(options.input, call.stdin);
  const graph = input === undefined ? null : withInput(await ownGraph(call, run), node, input);
  const id = options.id ?? (await readViews(call, (rows) => freeName(rows, named, 'fork', isFree(call))));
  return startLinkedRun(call, { id, link: { kind: 'fork', run, node } }, graph);
}

const isFree =
  ({ home }: Pick<Call, 'home'>) =>
  (name: string): boolean =>
    lstatIfPresent(deskFolder(home, name)) === undefined;

async function ownGraph(call: Call<ForkOptions>, run: string): Promise<Graph> {
  const events = await withReadingProgress(call, (reading) => eventsOfRun(call.home, run, reading));
  return graphOfRun(call.home, events);
}

function withInput(graph: Graph, node: string, input: Json): Graph {
  if (graph.nodes.some(({ id }) => id.startsWith(`${node}__`)))
    throw new OkaError('usage', `"${node}" has several parts, and cannot be given another input`, {
      fix: 'Fork at the node before it.',
    });
  return { ...graph, nodes: graph.nodes.map((each) => (each.id === node ? givenInput(each, input) : each)) };
}

/** What is made of outputs that the node names itself would be the same with any input. */
function usesInput(node: Node): boolean {
  if (node.kind === 'transform') return node.value === undefined;
  if (node.kind === 'typed_condition') return node.left === undefined;
  return node.kind !== 'map' && node.kind !== 'wait';
}

function givenInput(node: Node, input: Json): Node {
  if (usesInput(node)) return { ...node, input };
  throw new OkaError('usage', `"${node.id}" is a ${node.kind}, which takes no input of its own`, {
    fix: 'Fork at the node before it.',
  });
}
