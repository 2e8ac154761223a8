/**
 * How the frame of a folder is made from the frames of its children, without a model.
 *
 * 1. The same children give the same text: policies are pure, and children come in one order (synthesis-inputs.ts).
 * 2. A policy sees the frames of the direct children and nothing else of the workspace.
 * 3. A folder without frames below it has a text of its own, which is always the same.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import { nearestWord } from '../../../core/schema/nearest-word.ts';
import type { SynthesisPolicy } from '../../../core/schema/synthesis.ts';
import { countOf } from './file-digest.ts';

export type ChildFrame = {
  /** The name of the child in its folder. */
  name: string;
  kind: 'file' | 'folder';
  node: string;
  frame: { id: string; type: string; agent: string; content: string };
};

/** Must be deterministic: what it returns may depend on its arguments only. `bare`: names of children without a frame. */
export type PolicyFunction = (children: readonly ChildFrame[], type: string, bare: readonly string[]) => string;

type PolicyOf = (
  policy: SynthesisPolicy,
  children: readonly ChildFrame[],
  type: string,
  bare?: readonly string[],
) => string;

export type Policies = {
  /** Registers a function for `custom`; its name belongs to it from then on. */
  register: (name: string, make: PolicyFunction) => void;
  /** The text of a folder's frame. */
  aggregate: PolicyOf;
};

export const EMPTY_FOLDER = 'Nothing below this folder has a frame.\n';

/** What a frame may contain; longer texts are shortened, visibly. */
const LONGEST = 24_000;

export function createPolicies(): Policies {
  const custom = new Map<string, PolicyFunction>();
  return {
    register: (name, make) => {
      if (custom.has(name)) throw new OkaError('usage', `there is a synthesis policy "${name}" already`);
      custom.set(name, make);
    },
    aggregate: (policy, children, type, bare = []) => {
      const make = functionOf(policy, custom);
      const text = children.length === 0 ? '' : make(children, type, bare);
      return text === '' ? EMPTY_FOLDER : shorten(text);
    },
  };
}

function functionOf(policy: SynthesisPolicy, custom: ReadonlyMap<string, PolicyFunction>): PolicyFunction {
  switch (policy.kind) {
    case 'concatenation':
      return concatenate;
    case 'filtering':
      return (children) => concatenate(children.filter((child) => fits(child, policy)));
    case 'summarization':
      return summarizeChildren;
    case 'custom':
      return custom.get(policy.name) ?? refuseUnknown(policy.name, [...custom.keys()]);
    case 'model':
      throw new OkaError('usage', 'a frame of a model is not made by a policy function');
  }
}

function refuseUnknown(name: string, known: readonly string[]): never {
  const near = nearestWord(name, known);
  throw new OkaError('usage', `there is no synthesis policy "${name}"`, {
    fix: near === null ? 'A program has to register it first.' : `Did you mean ${near}?`,
  });
}

function concatenate(children: readonly ChildFrame[]): string {
  return children.map(({ name, kind, frame }) => `## ${titleOf(name, kind)}\n\n${frame.content.trim()}\n`).join('\n');
}

function fits({ frame }: ChildFrame, policy: Extract<SynthesisPolicy, { kind: 'filtering' }>): boolean {
  if (policy.agents !== undefined && !policy.agents.includes(frame.agent)) return false;
  return policy.contains === undefined || frame.content.toLowerCase().includes(policy.contains.toLowerCase());
}

/** A line for each child, by name: what a reader needs to know where to go on. */
function summarizeChildren(children: readonly ChildFrame[], _type: string, bare: readonly string[]): string {
  const files = new Set(children.filter(({ kind }) => kind === 'file').map(({ name }) => name)).size;
  const folders = new Set(children.filter(({ kind }) => kind === 'folder').map(({ name }) => name)).size;
  const head = [files > 0 ? countOf(files, 'file') : '', folders > 0 ? countOf(folders, 'folder') : '']
    .filter((part) => part !== '')
    .join(', ');
  const share = Math.max(40, Math.min(320, Math.floor(LONGEST / (children.length + 1))));
  const lines = children
    .toSorted((one, other) => compare(one.name, other.name) || compare(one.frame.id, other.frame.id))
    .map(({ name, kind, frame }) => `- ${titleOf(name, kind)}: ${briefly(frame.content, share)}`);
  const others = bare.length === 0 ? '' : `Not described: ${listBriefly(bare)}.\n`;
  return `${head}.\n${lines.join('\n')}\n${others}`;
}

const MOST_BARE = 40;

function listBriefly(names: readonly string[]): string {
  const more = names.length > MOST_BARE ? `, and ${names.length - MOST_BARE} more` : '';
  return `${names.slice(0, MOST_BARE).join(', ')}${more}`;
}

/** The first line of a file's frame with its names; of a folder's frame, the names of what is in it. */
function briefly(content: string, longest: number): string {
  const names = [...content.matchAll(/^- ([^:\n]+):/gm)].map(([, name]) => name ?? '');
  const text =
    names.length > 0
      ? names.join(', ')
      : content
          .replaceAll(/ \(\d+\)/g, '')
          .replaceAll(/\s+/g, ' ')
          .trim();
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

const titleOf = (name: string, kind: 'file' | 'folder'): string => (kind === 'folder' ? `${name}/` : name);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const note = `\n[… ${text.length} characters in all; the rest is left out]\n`;
  return `${text.slice(0, LONGEST - note.length)}${note}`;
}
