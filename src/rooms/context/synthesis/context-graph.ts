/** Work on the context tree as a run of its own: the calls of models in it are recorded, paid for and resumed like all others. */
import { Graph } from '../../../core/schema/graph.ts';

/** Six hours: a whole workspace may be described. */
const LONGEST_SECONDS = 21_600;

export function contextGraph(tool: string): Graph {
  return Graph.parse({
    id: 'oka.context',
    title: TITLES[tool] ?? 'Work on the context tree',
    nodes: [
      {
        kind: 'tool',
        id: tool.replace(/^.*\./, ''),
        tool,
        input: '{{input}}',
        timeout_seconds: LONGEST_SECONDS,
        max_retries: 1,
      },
    ],
  });
}

const TITLES: Readonly<Record<string, string>> = {
  'context.synthesize': 'Describe the workspace',
  'context.regenerate': 'Describe again what has changed',
  'context.ask': 'Answer a question about the workspace',
};
