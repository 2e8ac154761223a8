/**
 * Owns: whether a plan that is made again may use tools that change things and that no earlier plan had.
 *
 * 1. It may while nothing untrusted was read: nobody but the operator can have wanted it. Frames of the workspace in the
 *    prompt of the planner count as read: they are text of files.
 * 2. After that it may for targets that the operator named: files in the task, its own folder, and what the first plan
 *    declared before anything was read.
 * 3. Else a person is asked, and what was approved is exactly the plan that then runs.
 */
import { fileNamesIn } from '../../kit/text/file-names.ts';
import { pathInDesk } from './roles/findings.ts';
import { matchesGlob } from '../../kit/text/glob.ts';
import type { Event } from '../../core/schema/event.ts';
import { Planned, type TaskGiven } from '../../core/schema/task-run.ts';
import type { Outcome, Tool } from '../../core/schema/tool.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import type { PastRound } from './past-rounds.ts';
import type { TaskPorts } from './task-ports.ts';

/** Tools whose output contains nothing but what the model wrote itself. */
const REVEALS_NOTHING =
  /^(?:model\.complete|step\.check|human\.ask|deps\.install|memory\.note|files\.(?:write|edit|move|remove))$/;

type Widening = { tools: string[]; targets: string[] };

/** What a person has to allow; null when nothing. */
export async function findWidening(
  ports: Pick<TaskPorts, 'eventsOf' | 'tools'>,
  plan: Planned,
  past: readonly PastRound[],
  { run, task, body }: { run: string; task: TaskGiven; body: string },
): Promise<Widening | null> {
  const known = new Set(past.flatMap((round) => round.plan.tools));
  const changing = (name: string): boolean => !isReadOnly(ports.tools(), name);
  const tools = plan.tools.filter((name) => !known.has(name) && changing(name));
  if (tools.length === 0 || !(await hasReadAnything(ports, run, past))) return null;
  const named = operatorTargets(past, task, body);
  const targets = (plan.targets ?? []).filter((target) => !named.some((own) => matchesGlob(own, target)));
  const areLocal = tools.every((name) => name === 'shell' || name.startsWith('files.'));
  return areLocal && targets.length === 0 && (plan.targets ?? []).length > 0 ? null : { tools, targets };
}

const isReadOnly = (tools: readonly Tool[], name: string): boolean =>
  tools.find((tool) => tool.name === name)?.annotations.read_only === true;

async function hasReadAnything(
  { eventsOf }: Pick<TaskPorts, 'eventsOf'>,
  run: string,
  past: readonly PastRound[],
): Promise<boolean> {
  const events = (await Promise.all(past.map(({ child }) => eventsOf(child)))).flat();
  if (events.some((event) => event.type === 'call.started' && !REVEALS_NOTHING.test(event.data.tool))) return true;
  return (await eventsOf(run)).some(hasFrames);
}

const hasFrames = (event: Event): boolean =>
  event.type === 'context.packed' && event.data.items.some(({ section }) => section === 'frames');

function operatorTargets(past: readonly PastRound[], { dir, fields }: TaskGiven, body: string): string[] {
  const written = fields.from_chat === undefined ? body : '';
  return [
    ...(past[0]?.plan.targets ?? []),
    ...fileNamesIn(written).flatMap((path) => [path, pathInDesk(dir ?? '.', path)]),
    ...(dir === null || dir === '.' ? [] : [`${dir}/**`]),
  ];
}

/** Waits for a person; the approval is bound to the content of the plan, which is stored under its hash. */
export async function askToWiden(
  { artifacts }: TaskPorts,
  plan: Planned,
  { tools, targets }: Widening,
): Promise<Outcome> {
  const { sha256 } = await artifacts.put(JSON.stringify(plan), { media: 'application/json', name: 'plan.json' });
  const where = targets.length === 0 ? '' : ` and to change ${targets.slice(0, 20).join(', ')}`;
  const text = `The task was planned again after files, programs or pages had been read. The new plan wants to use ${tools.join(', ')}${where}, which neither your task nor the first plan named. Approve to let it, deny to stop the task.`;
  return { status: 'waiting', for: { kind: 'approval', binding: sha256, text: text.slice(0, 20_000) } };
}

/** The other question of a plan is about folders outside the desk. */
const isAboutPlan = (awaited: WaitFor): awaited is Extract<WaitFor, { kind: 'approval' }> =>
  awaited.kind === 'approval' && awaited.asked?.tool !== 'folders';

/** The plan that a person has approved since the last judgement; null when there is none. */
export async function approvedPlan({ artifacts }: TaskPorts, events: readonly Event[]): Promise<Planned | null> {
  const judged = events.findLastIndex((event) => event.type === 'run.judged');
  const asked = new Map<string, string>();
  let binding: string | null = null;
  for (const event of events.slice(judged + 1)) {
    if (event.type === 'wait.opened' && event.data.node === 'plan' && isAboutPlan(event.data.for))
      asked.set(event.data.wait, event.data.for.binding);
    if (event.type === 'wait.closed' && event.data.answer.verdict === 'approved')
      binding = asked.get(event.data.wait) ?? binding;
  }
  if (binding === null) return null;
  return Planned.parse(JSON.parse((await artifacts.get({ sha256: binding })).toString('utf8')));
}
