import { createContext, Script } from 'node:vm';
import { messageOf } from '../../../core/schema/errors.ts';
import { failure } from '../../../kit/define-tool.ts';

const MAX_MS = 2000;

const search = new Script('{ const shape = new RegExp(pattern, "u"); lines.map((line) => shape.test(line)); }');

/** Returns the indexes of matching lines. A pattern may backtrack endlessly, so it runs in a context with a time limit. */
export function createLineMatcher(pattern: string, regex: boolean): (lines: readonly string[]) => number[] {
  if (!regex) return (lines) => trueIndexes(lines.map((line) => line.includes(pattern)));
  assertPattern(pattern);
  const context = createContext({ pattern, lines: [] as readonly string[] });
  let left = MAX_MS;
  return (lines) => {
    const started = performance.now();
    try {
      context['lines'] = lines;
      return trueIndexes(search.runInContext(context, { timeout: Math.max(1, Math.ceil(left)) }) as boolean[]);
    } catch (error) {
      throw failure(`/${pattern}/ takes too long`, 'Use a simpler pattern or a smaller folder.', error);
    } finally {
      left -= performance.now() - started;
    }
  };
}

function assertPattern(pattern: string): void {
  try {
    RegExp(pattern, 'u');
  } catch (error) {
    throw failure(messageOf(error), 'Correct the pattern.', error);
  }
}

function trueIndexes(matched: readonly boolean[]): number[] {
  return Array.from(matched).flatMap((is, index) => (is ? [index] : []));
}
