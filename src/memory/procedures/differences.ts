/** What differs between runs of one family, as far as their tasks and their days tell. */
import type { Parameter } from '../../schema/procedure.ts';
import type { Aligned } from './align.ts';
import type { Known, Parts } from './explain.ts';
import type { Sample } from './sample.ts';
import { derivedFrom } from './values.ts';

type Found = { parameter: Parameter; values: string[] };
/** What is known to differ, and what turned out to besides. */
export type Scope = { found: Found[]; unknown: Found[]; used: Set<string>; samples: readonly Sample[] };

const MOST_EXAMPLES = 5;
const DERIVED = ['basename', 'stem', 'folder'] as const;

/** What the tasks say, and what follows from that. */
export function foundIn({ holes }: Aligned, samples: readonly Sample[]): Found[] {
  const read = holes.map(({ name, kind, values }): Found => {
    return { parameter: { name, kind, from: 'task', examples: examplesIn(values) }, values };
  });
  const made = holes.flatMap(({ name, kind, values }) =>
    kind === 'path' ? DERIVED.flatMap((from) => derived(from, name, values)) : [],
  );
  const days = samples.map(({ day }) => day);
  return [
    ...read,
    ...made,
    { parameter: { name: 'today', kind: 'date', from: 'today', examples: examplesIn(days) }, values: days },
  ];
}

function derived(from: (typeof DERIVED)[number], of: string, sources: readonly string[]): Found[] {
  const parameter: Parameter = { name: `${of}_${from}`.slice(0, 40), kind: 'path', from, of, examples: [] };
  const values = sources.map((source) => derivedFrom(parameter, { [of]: source }, '') ?? '');
  if (values.some((value, run) => value === '' || value === sources[run])) return [];
  return [{ parameter: { ...parameter, examples: examplesIn(values) }, values }];
}

export const examplesIn = (values: readonly string[]): string[] =>
  [...new Set(values)].slice(0, MOST_EXAMPLES).map((value) => value.slice(0, 500));

export const knownIn = ({ found }: Scope): Known[] =>
  found.map(({ parameter: { name }, values }) => ({ name, values }));

export const markUsed = (parts: Parts, { used }: Scope): void =>
  parts.forEach((part) => void (typeof part === 'string' || used.add(part.hole)));

export const valuesOf = ({ found }: Scope, run: number): Record<string, string> =>
  Object.fromEntries(found.map(({ parameter: { name }, values }) => [name, values[run] ?? '']));
