/** Learns from the same failure in two tasks and what fixed it in one of them. */
import type { Event } from '../../../schema/event.ts';
import type { Evidence } from '../../../schema/memory.ts';
import type { Rows } from '../../../schema/rows.ts';
import { sumOf } from '../../index/index-item.ts';
import { rootOf, taskRecordOf, type TaskRecord } from '../../task-record.ts';
import { handleByType, type EventOf } from '../../event-handlers.ts';
import { failureKind, missingKind, programOf } from '../failure-kind.ts';
import { evidenceOfEvent, type Finding, isPlainName, mergeEvidence, type Rule } from '../fact-finding.ts';

/** Internal calls of the engine. */
const INNER = new Set([
  'task.plan',
  'task.critique',
  'step.check',
  'run.start',
  'model.complete',
  'memory.note',
  'memory.search',
]);
const CARES: ReadonlySet<Event['type']> = new Set([
  'call.started',
  'call.ended',
  'dependency.installed',
  'requirement.opened',
  'run.ended',
]);
const MAX_STORED = 20;
const ENOUGH_TASKS = 2;

type StartedCall = { tool: string; did: string; node: string | null };
/** The failures of a task, and later actions that may have fixed them. */
type TaskProblems = {
  failures: { sign: string; node: string | null; did: string; evidence: Evidence }[];
  fixes: string[];
};
type Failure = { tasks: string[]; evidence: Evidence[]; fixes: Record<string, string[]> };

export const failures: Rule = {
  name: 'failures',
  find: ({ event }, rows) => {
    if (event.run === null || !CARES.has(event.type)) return [];
    const root = rootOf(rows, event.type === 'dependency.installed' ? (event.data.for_run ?? event.run) : event.run);
    if (taskRecordOf(rows, root) === undefined) return [];
    if (event.type === 'run.ended') return event.run === root ? concludeRun(event, root, rows) : [];
    recordEvent(event, root, rows);
    return [];
  },
};

const recordEvent = handleByType<[root: string, rows: Rows], void>({
  'call.started': ({ data: { tool, call, node, input } }, _, rows) => {
    if (INNER.has(tool) || !isPlainName(tool)) return;
    const program = programOf(input);
    const did = program === null ? tool : `${tool} (${program})`;
    rows.put(`facts/begun/${call}`, { tool, did, node } satisfies StartedCall);
  },
  'call.ended': recordOutcome,
  'dependency.installed': ({ data: { by, name } }, root, rows) =>
    recordFix(root, `installing ${by}:${name} helped`, name, rows),
  'requirement.opened': ({ data: { requirement } }, root, rows) =>
    recordFix(root, `installing ${requirement.name} helped`, requirement.name, rows),
});

function recordOutcome(event: EventOf<'call.ended'>, root: string, rows: Rows): void {
  const { call, status, error, output, retried } = event.data;
  const started = rows.get<StartedCall>(`facts/begun/${call}`);
  if (started === undefined) return;
  if (retried !== true && status !== 'waiting') rows.put(`facts/begun/${call}`, null);
  const kind = status === 'failed' ? failureKind(error ?? '', output) : missingKind(event.data.for);
  if (kind !== null) return recordFailure(started, kind, evidenceOfEvent(event), root, rows);
  const problems = status === 'ok' ? rows.get<TaskProblems>(problemsKey(root)) : undefined;
  const before = problems?.failures.find(
    ({ node, did }) => node !== null && node === started.node && did !== started.did,
  );
  if (before !== undefined) recordFix(root, `${started.did} did it instead`, started.tool, rows);
}

function recordFailure({ did, node }: StartedCall, kind: string, evidence: Evidence, root: string, rows: Rows): void {
  const { failures: known, fixes } = rows.get<TaskProblems>(problemsKey(root)) ?? { failures: [], fixes: [] };
  const all = [...known, { sign: `${did} fails because ${kind}`, node, did, evidence }].slice(-MAX_STORED);
  rows.put(problemsKey(root), { failures: all, fixes } satisfies TaskProblems);
}

function recordFix(root: string, fix: string, name: string, rows: Rows): void {
  const problems = rows.get<TaskProblems>(problemsKey(root));
  if (problems === undefined || !isPlainName(name) || problems.fixes.includes(fix)) return;
  rows.put(problemsKey(root), { ...problems, fixes: [...problems.fixes, fix].slice(-MAX_STORED) });
}

/** A run that continues or corrects another one inherits its failures. */
function concludeRun({ data }: EventOf<'run.ended'>, root: string, rows: Rows): Finding[] {
  const record = taskRecordOf(rows, root);
  const before = record?.continues ?? record?.corrects ?? null;
  const earlier = before === null ? undefined : rows.get<TaskProblems>(problemsKey(before));
  const own = rows.get<TaskProblems>(problemsKey(root));
  if (data.status === 'done') for (const run of [root, before]) if (run !== null) rows.put(problemsKey(run), null);
  const signs = new Map(
    [...(earlier?.failures ?? []), ...(own?.failures ?? [])].map((each) => [each.sign, each.evidence]),
  );
  const fixes = data.status === 'done' && record !== undefined ? findFixes(own, record) : [];
  return [...signs].flatMap(([sign, evidence]) => countFailure(rows, sign, root, evidence, fixes));
}

function findFixes(own: TaskProblems | undefined, { plans, rework, installs, continues }: TaskRecord): string[] {
  const seen = own?.fixes ?? [];
  const installed = continues === null ? [] : installs.map((each) => each.replace(/@[^@]*$/, '')).filter(isPlainName);
  const all = [...new Set([...seen, ...installed.map((name) => `installing ${name} helped`)])];
  if (all.length > 0) return all;
  return plans > 1 || rework > 0 || continues !== null ? ['another plan helped'] : [];
}

function countFailure(rows: Rows, sign: string, root: string, evidence: Evidence, fixes: readonly string[]): Finding[] {
  const key = `facts/failure/${sumOf(sign)}`;
  const known = rows.get<Failure>(key) ?? { tasks: [], evidence: [], fixes: {} };
  const tasks = [...new Set([...known.tasks, root])].slice(-MAX_STORED);
  const all = mergeEvidence(known.evidence, [evidence]);
  const byFix = { ...known.fixes };
  for (const fix of fixes) byFix[fix] = [...new Set([...(byFix[fix] ?? []), root])].slice(-MAX_STORED);
  rows.put(key, { tasks, evidence: all, fixes: byFix } satisfies Failure);
  const [best] = Object.entries(byFix).toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  if (tasks.length < ENOUGH_TASKS || best === undefined) return [];
  const subject = { about: `failure ${sign}`, value: best[0], isDenied: false };
  const text = `When ${sign}: ${best[0]}.`;
  return [{ kind: 'lesson', text, namespace: 'failures', source: 'run', evidence: all, subject, counted: key }];
}

const problemsKey = (root: string): string => `facts/trouble/${root}`;
