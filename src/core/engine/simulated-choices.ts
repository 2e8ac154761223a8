/**
 * Owns: the choices of a simulation. What is not known is assumed, one answer after the other: each path is gone through
 * from its beginning with the answers it assumes, and every question that is new on it opens further paths.
 */
import { type Guess, showUnknowns } from './unknown-value.ts';

type Option = { value: string; text: string };

export type Choices = {
  /** One of the options; the same one whenever this question is asked on this path. */
  choose: (question: string, options: readonly Option[]) => string;
  guess: (guess: Guess) => boolean;
  /** What this path assumes, in the order in which it was asked. */
  texts: () => string[];
};

export type Assumptions = { choices: Choices };

/** Goes along every path, at most so many. */
export async function followChoices<T>(
  most: number,
  follow: (assumptions: Assumptions) => Promise<T>,
): Promise<{ results: T[]; hasMore: boolean }> {
  const results: T[] = [];
  const open: ReadonlyMap<string, number>[] = [new Map()];
  while (results.length < most) {
    const assumed = open.pop();
    if (assumed === undefined) break;
    const asked: Asked[] = [];
    results.push(await follow({ choices: choicesOf(assumed, asked) }));
    open.push(...others(assumed, asked).toReversed());
  }
  return { results, hasMore: open.length > 0 };
}

type Asked = { question: string; options: readonly Option[]; chosen: number };

/** The paths that answer a question otherwise that was new, and all before it in the same way. */
function others(assumed: ReadonlyMap<string, number>, asked: readonly Asked[]): ReadonlyMap<string, number>[] {
  const found: ReadonlyMap<string, number>[] = [];
  const before = new Map<string, number>();
  for (const { question, options, chosen } of asked) {
    if (!assumed.has(question))
      for (let other = 1; other < options.length; other += 1) found.push(new Map(before).set(question, other));
    before.set(question, chosen);
  }
  return found.toReversed();
}

function choicesOf(assumed: ReadonlyMap<string, number>, asked: Asked[]): Choices {
  const equal = new Map<string, string>();
  const edgesBack = new Set<string>();
  const choose: Choices['choose'] = (asking, options) => {
    const question = showUnknowns(asking); // the same on every path
    const known = asked.find((each) => each.question === question);
    const chosen = known?.chosen ?? assumed.get(question) ?? 0;
    if (known === undefined) asked.push({ question, options, chosen });
    return options[chosen]?.value ?? '';
  };
  return {
    choose,
    guess: ({ value, equals, text, isBack = false }) => {
      const known = equals === undefined ? undefined : equal.get(value);
      if (known !== undefined) return known === equals;
      const back = text.replaceAll(/ \(\d+\)/g, '');
      if (isBack && edgesBack.has(back)) return false; // once round is enough to see what it does
      const yes = { value: 'yes', text };
      const no = { value: 'no', text: `not: ${text}` };
      const isTrue = choose(`${value} ${equals}`, isBack ? [no, yes] : [yes, no]) === 'yes';
      if (isTrue && equals !== undefined) equal.set(value, equals);
      if (isTrue && isBack) edgesBack.add(back);
      return isTrue;
    },
    texts: () => asked.map(({ options, chosen }) => options[chosen]?.text ?? ''),
  };
}
