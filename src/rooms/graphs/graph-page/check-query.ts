/** Checking and drawing a graph that is being edited; nothing is saved. */
import { z } from 'zod';
import { parseGraphText } from '../../../kit/graphs/edit-graph.ts';
import { listProblems } from '../graph-problems.ts';
import { nodeKinds, toolNamesIn } from '../../../kit/house/room-contributions.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { GraphCheckAnswer } from './graph-answers.ts';
import { drawPicture } from '../../../kit/web/drawn-graph.ts';
import { pictureOf, withRun } from '../../../kit/views/picture/graph-picture.ts';

export const graphCheckQuery = defineQuery({
  params: z.strictObject({ text: z.string().max(400_000).describe('The graph, as JSON.') }),
  answer: GraphCheckAnswer,
  isPosted: true,
  read: ({ home, params }) => checkGraphText(home, params.text),
});

/** `events` are those of a run that the picture shows. */
export async function checkGraphText(
  home: Home,
  text: string,
  events: readonly Event[] | null = null,
): Promise<z.infer<typeof GraphCheckAnswer>> {
  try {
    const value = parseGraphText(text, 'this');
    const available = { tools: await toolNamesIn(home), kinds: await nodeKinds() };
    const problems = listProblems({ file: 'this', value }, available).map(({ path, problem, rule, fix }) => ({
      path,
      problem,
      rule: rule ?? null,
      fix: fix ?? null,
    }));
    return {
      valid: problems.length === 0,
      problems,
      drawing: drawPicture(events === null ? pictureOf(value) : withRun(pictureOf(value), events)),
    };
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    const problem = { path: '(top)', problem: messageOf(error), rule: null, fix: error.fix ?? null };
    return { valid: false, problems: [problem], drawing: null };
  }
}
