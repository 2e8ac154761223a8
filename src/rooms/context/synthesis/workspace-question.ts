/**
 * Owns: asking a model a question about a workspace, which it answers from frames, and checking the paths it names.
 *
 * Q1 An answer names at least one path, and only paths whose frames the model was given; or it says that they do not answer.
 */
import type { ModelAnswer, ModelRequest } from '../../../core/schema/ports.ts';
import { DATA_RULE } from '../../../kit/text/graph-prompt.ts';
import type { Problem } from '../../../kit/text/model-call.ts';
import { wrapAsData } from '../../../kit/text/prompt-text.ts';

type GivenFrame = { path: string; type: string; agent: string; origin: string; content: string };

const SYSTEM = `You answer a question about a workspace from descriptions of its files and folders. Answer in a few plain sentences. Name the path that each statement rests on in square brackets, exactly as given, such as [src/a.ts]. If the descriptions do not answer the question, say which files should be read, or begin with "Not known:".
${DATA_RULE}`;

const MAX_TOKENS = 800;
const MOST_BYTES = 24_000;

export function questionRequest(question: string, frames: readonly GivenFrame[]): ModelRequest {
  const material = frames.map(({ path, type, agent, origin, content }) =>
    wrapAsData(
      `${path === '' ? '.' : path} (${type}, ${origin === 'model' ? 'written by a model' : `by ${agent}`})`,
      content,
      MOST_BYTES,
    ),
  );
  return {
    role: 'executor',
    system: SYSTEM,
    messages: [{ role: 'user', text: `${material.join('\n')}\n\nThe question: ${question}` }],
    tools: [],
    maxTokens: MAX_TOKENS,
  };
}

export function readQuestionAnswer(
  { text }: ModelAnswer,
  frames: readonly GivenFrame[],
): { answer: string; paths: string[] } | Problem {
  const answer = text.trim();
  if (answer === '') return { problem: 'the answer is empty' };
  const known = new Set(frames.map(({ path }) => (path === '' ? '.' : path)));
  const named = [...answer.matchAll(/\[([^\]\n]+)\]/g)].flatMap(([, inside]) =>
    (inside ?? '').split(',').map((path) =>
      path
        .trim()
        .replace(/:\d+(-\d+)?$/, '')
        .replace(/(.)\/$/, '$1'),
    ),
  );
  const unknown = named.find((path) => !known.has(path));
  if (unknown !== undefined) return { problem: `"${unknown}" is not among the paths you were given` };
  if (named.length === 0 && !answer.startsWith('Not known:'))
    return { problem: 'name the paths that the answer rests on in square brackets, or begin with "Not known:"' };
  return { answer, paths: [...new Set(named)] };
}
