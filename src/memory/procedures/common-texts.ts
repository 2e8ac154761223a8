/** The criteria and targets that all runs of a family have, each in words of its own. */
import type { Procedure } from '../../schema/procedure.ts';
import { knownIn, markUsed, type Scope, valuesOf } from './differences.ts';
import { explained, type Parts, rendered, templateOf } from './explain.ts';

/** What a person wants is read from the next task itself; it is kept for the page. */
export function criteriaFor(scope: Scope): Procedure['criteria'] | null {
  const listed = (author: 'operator' | 'model'): string[][] =>
    scope.samples.map(({ criteria }) => criteria.filter((each) => each.author === author).map(({ text }) => text));
  const own = listed('model');
  const made = commonTexts(own, scope);
  const isWhole = own.every((texts) => texts.length === made.length) && !made.includes(null);
  if (!isWhole) return null;
  const wanted = commonTexts(listed('operator'), scope);
  return [
    ...wanted.flatMap((text) => (text === null ? [] : [{ text, author: 'operator' as const }])),
    ...made.flatMap((text) => (text === null ? [] : [{ text, author: 'model' as const }])),
  ];
}

/** Undefined when they cannot be told. */
export function targetsFor(scope: Scope): string[] | null | undefined {
  const lists = scope.samples.map(({ targets }) => targets);
  if (lists.every((list) => list === null)) return null;
  const targets = commonTexts(
    lists.map((list) => list ?? []),
    scope,
  );
  const isWhole = lists.every((list) => list?.length === targets.length) && !targets.includes(null);
  return isWhole ? targets.flatMap((target) => target ?? []) : undefined;
}

/** Each text of the first run that all runs have, in words of their own; null when one is of a run alone. */
function commonTexts(lists: readonly (readonly string[])[], scope: Scope): (string | null)[] {
  const [first = [], second = first] = lists;
  return first.map((text) => {
    for (const other of [text, ...second]) {
      const parts = pairExplained(text, other, scope);
      const template = parts === null ? null : templateOf(parts);
      if (parts === null || template === null) continue;
      if (!lists.every((list, run) => list.includes(rendered(template, valuesOf(scope, run))))) continue;
      markUsed(parts, scope);
      return template;
    }
    return null;
  });
}

function pairExplained(a: string, b: string, scope: Scope): Parts | null {
  const known = knownIn(scope).map(({ name, values }) => ({ name, values: values.slice(0, 2) }));
  return a.includes('{{') || b.includes('{{') ? null : explained([a, b], known);
}
