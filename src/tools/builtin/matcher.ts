import { createContext, Script } from 'node:vm';
import { errnoOf, messageOf } from '../../schema/errors.ts';
import { failure } from './define.ts';

const LONGEST_MS = 2000;

const find = new Script('{ const shape = new RegExp(pattern, "u"); lines.map((line) => shape.test(line)); }');

/** Gives the indexes of the lines that match. Patterns that backtrack without end run where they can be stopped. */
export function matcherOf(pattern: string, regex: boolean): (lines: readonly string[]) => number[] {
  if (!regex) return (lines) => indexesOf(lines.map((line) => line.includes(pattern)));
  const context = createContext({ pattern, lines: [] as readonly string[] });
  let left = LONGEST_MS;
  const match = (lines: readonly string[]): number[] => {
    const started = performance.now();
    try {
      context['lines'] = lines;
      return indexesOf([...(find.runInContext(context, { timeout: Math.max(1, Math.ceil(left)) }) as boolean[])]);
    } catch (error) {
      if (errnoOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
        throw failure(`/${pattern}/ takes too long`, 'Use a simpler pattern or a smaller folder.', error);
      throw failure(`/${pattern}/ is not a regular expression: ${messageOf(error)}`, 'Mend it.', error);
    } finally {
      left -= performance.now() - started;
    }
  };
  match([]);
  return match;
}

function indexesOf(matched: readonly boolean[]): number[] {
  return matched.flatMap((is, index) => (is ? [index] : []));
}
