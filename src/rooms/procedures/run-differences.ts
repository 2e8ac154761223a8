/** What differs between runs of one family, as far as it follows from their tasks and dates. */
import type { Parameter } from '../../core/schema/procedure.ts';
import type { Aligned } from './align-texts.ts';
import type { Known, Parts } from './text-template.ts';
import type { Sample } from './plan-sample.ts';
import { deriveValue } from './parameter-values.ts';

type Difference = { parameter: Parameter; values: string[] };
/** Differences found in the tasks, and those that only the plans show. */
export type Scope = { found: Difference[]; unknown: Difference[]; used: Set<string>; samples: readonly Sample[] };

const MAX_EXAMPLES = 5;
const DERIVED = ['basename', 'stem', 'folder'] as const;

/** Returns the differences that the tasks state, and those derived from them. */
export function findDifferences({ holes }: Aligned, samples: readonly Sample[]): Difference[] {
  const read = holes.map(({ name, kind, values }): Difference => {
    return { parameter: { name, kind, from: 'task', examples: uniqueExamples(values) }, values };
  });
  const made = holes.flatMap(({ name, kind, values }) =>
    kind === 'path' ? DERIVED.flatMap((from) => deriveDifference(from, name, values)) : [],
  );
  const days = samples.map(({ day }) => day);
  return [
    ...read,
    ...made,
    { parameter: { name: 'today', kind: 'date', from: 'today', examples: uniqueExamples(days) }, values: days },
  ];
}

function deriveDifference(from: (typeof DERIVED)[number], of: string, sources: readonly string[]): Difference[] {
  const parameter: Parameter = { name: `${of}_${from}`.slice(0, 40), kind: 'path', from, of, examples: [] };
  const values = sources.map((source) => deriveValue(parameter, { [of]: source }, '') ?? '');
  if (values.some((value, run) => value === '' || value === sources[run])) return [];
  return [{ parameter: { ...parameter, examples: uniqueExamples(values) }, values }];
}

export const uniqueExamples = (values: readonly string[]): string[] =>
  [...new Set(values)].slice(0, MAX_EXAMPLES).map((value) => value.slice(0, 500));

export const knownDifferences = ({ found }: Scope): Known[] =>
  found.map(({ parameter: { name }, values }) => ({ name, values }));

export const markUsed = (parts: Parts, { used }: Scope): void =>
  parts.forEach((part) => void (typeof part === 'string' || used.add(part.hole)));

export const valuesOfRun = ({ found }: Scope, run: number): Record<string, string> =>
  Object.fromEntries(found.map(({ parameter: { name }, values }) => [name, values[run] ?? '']));
