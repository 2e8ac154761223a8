/** The steps of RESULT.md: what each one did, and how it ended. Pure. */
import type { ResultStep } from './result-content.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';

const LONGEST_SHOWN = 8000;

export function stepsIn(events: readonly Event[]): ResultStep[] {
  const planned = events.flatMap((event) =>
    event.type === 'run.started' || event.type === 'run.planned' ? event.data.nodes : [],
  );
  return planned.map(({ id, title }) => ({ id, title, ...stepOf(id, events) }));
}

/** What went wrong under a plan that was replaced is no news any more; that it ran is. */
export function asSuperseded(step: ResultStep): ResultStep {
  const shown = { ...step };
  delete shown.error;
  return shown;
}

/** Nothing waits or is still to come once the run is over. */
export const afterEnd = (step: ResultStep): ResultStep =>
  step.status === 'waiting' || step.status === 'pending' ? { ...step, status: 'skipped' } : step;

function stepOf(id: string, events: readonly Event[]): Omit<ResultStep, 'id' | 'title'> {
  const step: Omit<ResultStep, 'id' | 'title'> & { status: ResultStep['status'] } = { status: 'pending' };
  let calls = 0;
  let isWorker = false;
  let startedAt: number | null = null;
  for (const event of events) {
    if (event.type === 'run.ended' && event.data.status === 'failed' && event.data.reason.startsWith(`${id}: `)) {
      step.status = 'failed';
      step.error ??= event.data.reason.slice(id.length + 2, LONGEST_SHOWN);
    }
    if (event.type === 'run.time_skipped' && startedAt !== null) startedAt += event.data.ms;
    if (!('node' in event.data) || event.data.node !== id) continue;
    if (event.type === 'call.started') {
      startedAt ??= Date.parse(event.at);
      calls += 1;
      step.status = 'running';
      step.did = describeCall(event.data.tool, event.data.input);
    }
    if (event.type === 'call.ended') {
      step.ms = startedAt === null ? 0 : Math.max(0, Date.parse(event.at) - startedAt);
      if (event.data.settles !== undefined) step.status = event.data.settles;
      step.fallback = event.data.settles === 'done' && event.data.status !== 'ok';
      if (event.data.error === undefined) delete step.error;
      else step.error = event.data.error.slice(0, LONGEST_SHOWN);
      Object.assign(step, outputOf(event.data.output), storedBy(event));
    }
    if (event.type === 'node.settled') {
      step.status = event.data.status;
      step.fallback = /^(?:fallback|continued) after/.test(event.data.reason);
      if (event.data.status === 'failed') step.error = event.data.reason.slice(0, LONGEST_SHOWN);
      else Object.assign(step, outputOf(event.data.output));
    }
    if (event.type === 'error.handled' && event.data.settles !== undefined) {
      step.status = event.data.settles;
      step.fallback = event.data.action === 'fallback';
    }
    if (event.type === 'wait.opened') step.status = 'waiting';
    isWorker ||= event.type === 'decision.made';
    if (event.type === 'decision.made' && event.data.decision.kind === 'Finish') {
      step.status = 'done';
      delete step.error;
      Object.assign(step, outputOf(event.data.decision.output));
    }
    if (event.type === 'decision.made' && event.data.decision.kind === 'Fail') {
      step.status = 'failed';
      step.error = event.data.decision.reason;
    }
  }
  return isWorker ? { ...step, stored: [], calls } : { ...step, attempts: Math.max(1, calls) };
}

function describeCall(tool: string, input: Json): string {
  const { line, argv } = fieldsOf(input);
  if (typeof line === 'string') return line.replace(/^set -e; /, '');
  if (Array.isArray(argv)) return codeIn(argv.map(String)) ?? argv.map(String).join(' ');
  return `${tool} ${JSON.stringify(input)}`.slice(0, LONGEST_SHOWN);
}

/** The code that an interpreter was given. */
function codeIn([program, option, code]: readonly string[]): string | null {
  return /^(?:node -e|python3 -c)$/.test(`${program} ${option}`) ? (code ?? null) : null;
}

function outputOf(output: Json): Pick<ResultStep, 'output' | 'stderr'> {
  const { stdout, stderr } = fieldsOf(output);
  if (typeof stdout === 'string')
    return { output: stdout.trim(), stderr: typeof stderr === 'string' ? stderr.trim() : '' };
  const text = typeof output === 'string' ? output : output === null ? '' : JSON.stringify(output, null, 2);
  return { output: text, stderr: '' };
}

function storedBy({ data }: Extract<Event, { type: 'call.ended' }>): Pick<ResultStep, 'stored'> {
  return { stored: (data.artifacts ?? []).filter(({ name }) => name === 'stdout' || name === 'stderr') };
}

/** None for a value that is no object. */
export function fieldsOf(value: Json): Record<string, Json | undefined> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}
