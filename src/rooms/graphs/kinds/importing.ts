/** What the steps of an import share (import-graph.ts). */
import type { Json } from '../../../core/schema/json.ts';
import type { AntonGraph, AntonNode } from './anton-graph.ts';

export type ImportedNode = { kind: string; id: string } & { [field: string]: Json };

/** For the name of a foreign tool, the tool here and new names of its arguments. */
export type ToolNames = Readonly<Record<string, { tool: string; args?: Readonly<Record<string, string>> }>>;

export type ImportRemark = { path: string; text: string };
export type ImportedEdge = { from: string; to: string; option?: string; max?: number };
export type ImportedGraph = { id: string; title?: string; mode: string; nodes: ImportedNode[]; edges: ImportedEdge[] };
export type GraphImport = { graph: ImportedGraph; notes: ImportRemark[]; problems: ImportRemark[] };

/** What every step of an import reads, and where it reports. */
export type Importing = {
  source: AntonGraph;
  mode: 'strict' | 'bounded' | 'flex';
  tools: ReadonlySet<string>;
  /** The JSON Schema of the input of a tool; undefined where it is not known. */
  inputOf: (tool: string) => Json | undefined;
  toolNames: ToolNames;
  /** Something that is left out or done differently without an effect on the outcome. */
  note: (path: string, text: string) => void;
  /** Something that would change the outcome. */
  problem: (path: string, text: string) => void;
};

/** An edge of the source graph. */
export type Route = { from: AntonNode; to: AntonNode; option?: string };
