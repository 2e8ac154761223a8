/** Owns: work on the context tree that another process asked for, as a run whose output is the answer to the request. */
import type { RunState } from '../../../core/engine/run-state.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { ExecutionBackend } from '../../../core/schema/ports.ts';
import type { LateAnswer } from '../../../core/schema/room.ts';
import type { WaitFor } from '../../../core/schema/wait.ts';
import { answerHint, describeWait } from '../../../kit/views/event-sentence.ts';
import type { Runs } from '../../../kit/ports/port-types.ts';
import { Graph } from '../../../core/schema/graph.ts';

/** Six hours: a whole workspace may be described. */
const LONGEST_SECONDS = 21_600;

const TITLES: Readonly<Record<string, string>> = {
  'context.synthesize': 'Describe the workspace',
  'context.regenerate': 'Describe again what has changed',
  'context.ask': 'Answer a question about the workspace',
};

type ContextRunPorts = { backend: ExecutionBackend; runs: Pick<Runs, 'stateOf'> };

/** `max_tokens` is the budget of the run: what models may cost. */
export async function runContext(
  { backend, runs }: ContextRunPorts,
  { id, tool, input, max_tokens: tokens }: Omit<Extract<Intake, { kind: 'run_context' }>, 'kind'>,
): Promise<LateAnswer> {
  const graph = contextGraph(tool);
  const run = await backend.start({
    kind: 'start',
    run: id,
    graph,
    input,
    ...(tokens === undefined ? {} : { budgets: { tokens } }),
  });
  const answer = backend.wait(run).then(async () => outputOf(run, await runs.stateOf(run)));
  answer.catch(() => undefined); // whoever asked may have gone
  return { answer };
}

function outputOf(run: string, state: RunState | null): Json {
  if (state?.status === 'done') return state.output;
  if (state?.status === 'blocked') {
    const waits = [...state.waits.values()];
    const hints = waits.filter(isForPeople).map(({ wait, for: awaited }) => answerHint(awaited, wait));
    throw new OkaError('refused', `it waits for ${waits.map((wait) => describeWait(wait.for)).join(', ')}`, {
      fix: `${hints.length === 0 ? 'A worker continues it automatically' : hints.join(', ')}; what was made stays. See oka show ${run}.`,
    });
  }
  const why = state?.reason ?? state?.status ?? 'it is gone';
  throw new OkaError('refused', `it did not end well: ${why.replace(/^(synthesize|regenerate|ask): /, '')}`, {
    fix: `See oka show ${run}. What was made stays; doing it again goes on.`,
  });
}

const isForPeople = ({ for: { kind } }: { for: WaitFor }): boolean =>
  kind === 'approval' || kind === 'question' || kind === 'message';

/** Work on the context tree as a run of its own: the calls of models in it are recorded, paid for and resumed like all others. */
function contextGraph(tool: string): Graph {
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
