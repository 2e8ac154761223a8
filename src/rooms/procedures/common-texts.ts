/** Finds the criteria and targets that all runs of a family share, as templates. */
import type { Procedure } from '../../core/schema/procedure.ts';
import { knownDifferences, markUsed, type Scope, valuesOfRun } from './run-differences.ts';
import { explainDifference, type Parts, fillTemplate, toTemplate } from './text-template.ts';

/** A person's own criteria are read from each task again; they are included for the page. */
export function unifyCriteria(scope: Scope): Procedure['criteria'] | null {
  const listed = (author: 'operator' | 'model'): string[][] =>
    scope.samples.map(({ criteria }) => criteria.filter((each) => each.author === author).map(({ text }) => text));
  const own = listed('model');
  const made = findCommonTexts(own, scope);
  const isWhole = own.every((texts) => texts.length === made.length) && !made.includes(null);
  if (!isWhole) return null;
  const wanted = findCommonTexts(listed('operator'), scope);
  return [
    ...wanted.flatMap((text) => (text === null ? [] : [{ text, author: 'operator' as const }])),
    ...made.flatMap((text) => (text === null ? [] : [{ text, author: 'model' as const }])),
  ];
}

/** Returns undefined when the runs have no common targets. */
export function unifyTargets(scope: Scope): string[] | null | undefined {
  const lists = scope.samples.map(({ targets }) => targets);
  if (lists.every((list) => list === null)) return null;
  const targets = findCommonTexts(
    lists.map((list) => list ?? []),
    scope,
  );
  const isWhole = lists.every((list) => list?.length === targets.length) && !targets.includes(null);
  return isWhole ? targets.flatMap((target) => target ?? []) : undefined;
}

/** Each text of the first run as a template that fits all runs; null for a text that only some runs have. */
function findCommonTexts(lists: readonly (readonly string[])[], scope: Scope): (string | null)[] {
  const [first = [], second = first] = lists;
  return first.map((text) => {
    for (const other of [text, ...second]) {
      const parts = explainPair(text, other, scope);
      const template = parts === null ? null : toTemplate(parts);
      if (parts === null || template === null) continue;
      if (!lists.every((list, run) => list.includes(fillTemplate(template, valuesOfRun(scope, run))))) continue;
      markUsed(parts, scope);
      return template;
    }
    return null;
  });
}

function explainPair(a: string, b: string, scope: Scope): Parts | null {
  const known = knownDifferences(scope).map(({ name, values }) => ({ name, values: values.slice(0, 2) }));
  return a.includes('{{') || b.includes('{{') ? null : explainDifference([a, b], known);
}
