/** What a picture of a graph shows: its nodes and all edges between them, as the person wrote the graph. */
import { foldGoal } from '../../../core/ledger/goal.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { NodeStatus } from '../../../core/schema/run.ts';
import { pathOfRun } from '../run-path.ts';

export type PictureNode = {
  id: string;
  /** What it is called, and what it does, in a few words. */
  title: string;
  about: string;
  shape: 'step' | 'condition' | 'map';
  /** How a run went; absent in a picture of the graph alone. */
  went?: { status: NodeStatus; times: number };
};

/** `isBack`: it leads to a node that comes before. `isTaken` is known in a picture of a run only. */
export type PictureEdge = { from: string; to: string; label: string; isBack: boolean };

export type Picture = { title: string; nodes: PictureNode[]; edges: PictureEdge[] };

type JsonRecord = { [field: string]: Json };

export function pictureOf(graph: JsonRecord): Picture {
  const nodes = recordsIn(graph['nodes']);
  const known = new Set(nodes.map((node) => textIn(node, 'id')));
  const edges = [...nodes.flatMap(edgesOfNode), ...recordsIn(graph['edges']).map(edgeOf)].filter(
    ({ from, to }) => known.has(from) && known.has(to),
  );
  return {
    title: textIn(graph, 'title') || textIn(graph, 'id'),
    nodes: nodes.map(nodeOf),
    edges: withoutRepeated(edges),
  };
}

/** The same picture with how a run went; `events` are those of the run. */
export function withRun(picture: Picture, events: readonly Event[]): Picture {
  const names = new Set(picture.nodes.map(({ id }) => id));
  const path = pathOfRun(events, names);
  const statuses = new Map(foldGoal(events)?.nodes.map(({ id, status }) => [id, status]));
  return {
    ...picture,
    nodes: picture.nodes.map((node) => ({
      ...node,
      went: { status: statuses.get(node.id) ?? 'pending', times: path.filter((id) => id === node.id).length },
    })),
  };
}

function nodeOf(node: JsonRecord): PictureNode {
  const kind = textIn(node, 'kind');
  const id = textIn(node, 'id');
  const shape = kind === 'map' ? 'map' : kind.endsWith('condition') ? 'condition' : 'step';
  const [each] = recordsIn([node['each'] ?? null]);
  const about = kind === 'map' ? `map: ${each === undefined ? '' : describeWork(each)} for each` : describeWork(node);
  return { id, title: textIn(node, 'title') || id, about, shape };
}

function describeWork(node: JsonRecord): string {
  const kind = textIn(node, 'kind');
  const named = textIn(node, 'tool') || textIn(node, 'graph') || textIn(node, 'key') || textIn(node, 'operator');
  return kind === 'tool' ? named : [kind, named].filter((word) => word !== '').join(' ');
}

function edgesOfNode(node: JsonRecord): PictureEdge[] {
  const to = textIn(node, 'id');
  const needs = Array.isArray(node['needs']) ? node['needs'] : [];
  const branches = isRecord(node['branches']) ? Object.entries(node['branches']) : [];
  const [, handler] = /^branch:(.+)$/.exec(textIn(node, 'on_error')) ?? [];
  return [
    ...needs.flatMap((from) => (typeof from === 'string' ? [{ from, to, label: '', isBack: false }] : [])),
    ...branches.flatMap(([label, next]) =>
      typeof next === 'string' ? [{ from: to, to: next, label, isBack: false }] : [],
    ),
    ...(handler === undefined ? [] : [{ from: to, to: handler, label: 'on error', isBack: false }]),
  ];
}

function edgeOf(edge: JsonRecord): PictureEdge {
  const { when, max } = edge;
  const condition = isRecord(when) ? `${textIn(when, 'field')} = ${JSON.stringify(when['equals'])}` : '';
  const label = [textIn(edge, 'option') || condition, typeof max === 'number' ? `at most ${max}×` : ''];
  const text = label.filter((part) => part !== '').join(', ');
  return { from: textIn(edge, 'from'), to: textIn(edge, 'to'), label: text, isBack: max !== undefined };
}

/** A node that is needed and also has an edge with a label is drawn with that edge only. */
function withoutRepeated(edges: readonly PictureEdge[]): PictureEdge[] {
  const nameOf = ({ from, to, label }: PictureEdge): string => JSON.stringify([from, to, label]);
  const labelled = new Set(edges.filter(({ label }) => label !== '').map(({ from, to }) => JSON.stringify([from, to])));
  const seen = new Set<string>();
  return edges.filter((edge) => {
    const isCovered = edge.label === '' && labelled.has(JSON.stringify([edge.from, edge.to]));
    if (isCovered || seen.has(nameOf(edge))) return false;
    seen.add(nameOf(edge));
    return true;
  });
}

const isRecord = (value: Json | undefined): value is JsonRecord =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const recordsIn = (value: Json | undefined): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function textIn(record: JsonRecord, field: string): string {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  return typeof value === 'string' ? value : '';
}
