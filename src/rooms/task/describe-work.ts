/**
 * Owns: what a worker is told about the task that its step belongs to: the text as its author wrote it, the criteria that
 * it is judged by, and the names of files. It stays the same for all turns of a step, so that a prompt only grows.
 */
import { Planned, type TaskGiven } from '../../core/schema/task-run.ts';
import { toOneLine } from '../../core/schema/one-line.ts';
import { taskOf } from '../../kit/runs/run-family.ts';
import { truncateText } from '../../kit/text/prompt-text.ts';
import { describeFiles } from './describe-situation.ts';
import { bodyOf, type TaskPorts } from './task-ports.ts';

type WorkPorts = Pick<TaskPorts, 'stateOf' | 'artifacts' | 'names'>;
type Step = { run: string; node: string; goal: string };

const MOST_TEXT = 4000;
const MOST_CRITERIA = 20;
const MOST_STEPS = 100;

/** Of steps that a model planned; what a person wrote as a goal is all that the worker gets. */
export function workDescriber(ports: WorkPorts): (step: Step) => Promise<string> {
  const known = new Map<string, string>();
  return async (step) => {
    const key = `${step.run} ${step.node}`;
    const text = known.get(key) ?? (await describeWork(ports, step));
    known.set(key, text);
    if (known.size > MOST_STEPS) known.delete(known.keys().next().value ?? '');
    return text;
  };
}

async function describeWork(ports: WorkPorts, { run, goal }: Step): Promise<string> {
  const state = await ports.stateOf(run);
  const task = state?.plan.graph.author === 'model' ? await taskOf(state, ports) : null;
  if (task === null) return '';
  const given = task.input as unknown as TaskGiven;
  const body = (await bodyOf(ports, given)).trim();
  const planned = task.configs.findIndex(({ id }) => id === 'plan');
  const criteria = Planned.safeParse(task.nodes[planned]?.output).data?.criteria ?? [];
  const judged = criteria.slice(0, MOST_CRITERIA).map(({ text }) => `- ${toOneLine(text, 300)}`);
  return [
    goal.includes(body) ? '' : `Your goal is a part of this task:\n${truncateText(body, MOST_TEXT)}`,
    judged.length === 0 ? '' : `The task is judged by:\n${judged.join('\n')}`,
    describeFiles(ports.names(given.dir)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
