/**
 * Learns what to do when a program or a module is missing.
 *
 * 1. What is missing has a name: the need that was diagnosed, or the program that the shell could not find. Failures of
 *    other kinds have many causes, and nothing is learned from them.
 * 2. A fix counts only for what it fixed: an installation that provides the missing name, after which the same call
 *    succeeded; or the same arguments given to another program, where they cannot mean anything else.
 * 3. The same has to be missing in two tasks. That another program does it has to be seen in two tasks, too.
 */
import type { Event } from '../../../../core/schema/event.ts';
import type { Evidence } from '../../../../core/schema/memory.ts';
import type { Rows } from '../../../../core/schema/rows.ts';
import { sumOf } from '../../../../kit/learning/index-item.ts';
import { rootOf, taskRecordOf } from '../../../../kit/learning/task-record.ts';
import { handleByType, type EventOf } from '../../event-handlers.ts';
import { evidenceOfEvent, type Finding, isPlainName, mergeEvidence, type Rule } from '../fact-finding.ts';
import { type Command, commandOf, type Missing, missingIn, isReplacedBy, isProvidedBy } from '../missing-programs.ts';

const CARES: ReadonlySet<Event['type']> = new Set(['call.started', 'call.ended', 'dependency.installed', 'run.ended']);
const MAX_STORED = 20;
const ENOUGH_TASKS = 2;

type StartedCall = { node: string | null; run: string; command: Command };
/** Something that a call missed, and what fixed it. */
type Failure = StartedCall & { missing: Missing; evidence: Evidence; installed: string | null; fix: Fix | null };
type Fix = { kind: 'install' | 'replace'; text: string };
/** In how many tasks the same was missing, and which fix was seen in which. */
type Counted = { tasks: string[]; evidence: Evidence[]; fixes: Record<string, string[]> };

export const failures: Rule = {
  name: 'failures',
  find: ({ event }, rows) => {
    if (event.run === null || !CARES.has(event.type)) return [];
    const root = rootOf(rows, event.type === 'dependency.installed' ? (event.data.for_run ?? event.run) : event.run);
    if (taskRecordOf(rows, root) === undefined) return [];
    if (event.type === 'run.ended') return event.run === root ? concludeTask(event, root, rows) : [];
    recordEvent(event, root, rows);
    return [];
  },
};

const recordEvent = handleByType<[root: string, rows: Rows], void>({
  'call.started': ({ run, data: { tool, call, node, input } }, _, rows) => {
    const command = tool === 'shell' ? commandOf(input) : null;
    if (command !== null) rows.put(startedKey(call), { node, run: run ?? '', command } satisfies StartedCall);
  },
  'call.ended': recordOutcome,
  'dependency.installed': ({ data }, root, rows) => {
    if (!isPlainName(data.name)) return;
    changeFailures(rows, root, (failure) =>
      failure.fix === null && isProvidedBy(failure.missing, data)
        ? { ...failure, installed: `${data.by}:${data.name}` }
        : failure,
    );
  },
});

function recordOutcome(event: EventOf<'call.ended'>, root: string, rows: Rows): void {
  const { call, status, retried } = event.data;
  const started = rows.get<StartedCall>(startedKey(call));
  if (started === undefined) return;
  if (retried !== true && status !== 'waiting') rows.put(startedKey(call), null);
  if (status === 'ok') return changeFailures(rows, root, (failure) => fixedBy(failure, started));
  const missing = missingIn(event.data, started.command);
  if (missing === null || !isPlainName(missing.name)) return;
  const evidence = evidenceOfEvent(event);
  const known = rows.get<Failure[]>(failuresKey(root)) ?? [];
  rows.put(
    failuresKey(root),
    [...known, { ...started, missing, evidence, installed: null, fix: null } satisfies Failure].slice(-MAX_STORED),
  );
}

/** The failure as it is after a call of the same step succeeded (2). */
function fixedBy(failure: Failure, { node, run, command }: StartedCall): Failure {
  if (failure.fix !== null || failure.node !== node || failure.run !== run) return failure;
  const isSame = command.key === failure.command.key;
  if (isSame && failure.installed !== null)
    return { ...failure, fix: { kind: 'install', text: `installing ${failure.installed} helped` } };
  if (!isSame && failure.missing.isProgram && isReplacedBy(failure.command, command))
    return { ...failure, fix: { kind: 'replace', text: `${command.program} did it instead` } };
  return failure;
}

function changeFailures(rows: Rows, root: string, change: (failure: Failure) => Failure): void {
  const known = rows.get<Failure[]>(failuresKey(root));
  if (known !== undefined) rows.put(failuresKey(root), known.map(change));
}

function concludeTask({ data }: EventOf<'run.ended'>, root: string, rows: Rows): Finding[] {
  const known = rows.get<Failure[]>(failuresKey(root)) ?? [];
  if (known.length === 0) return [];
  rows.put(failuresKey(root), null);
  return [...new Map(known.map((each) => [each.missing.name, each])).keys()].flatMap((name) => {
    const same = known.filter(({ missing }) => missing.name === name);
    const fixes = data.status === 'done' ? same.flatMap(({ fix }) => fix ?? []) : [];
    return countFailure(rows, root, same, fixes);
  });
}

function countFailure(rows: Rows, root: string, same: readonly Failure[], fixes: readonly Fix[]): Finding[] {
  const [first] = same;
  if (first === undefined) return [];
  const sign = `${first.missing.isProgram ? '' : 'the module '}${first.missing.name} is missing`;
  const key = `facts/failure/${sumOf(sign)}`;
  const known = rows.get<Counted>(key) ?? { tasks: [], evidence: [], fixes: {} };
  const tasks = addTask(known.tasks, root);
  const evidence = mergeEvidence(
    known.evidence,
    same.map((each) => each.evidence),
  );
  const byFix = { ...known.fixes };
  for (const { kind, text } of fixes) byFix[`${kind} ${text}`] = addTask(byFix[`${kind} ${text}`] ?? [], root);
  rows.put(key, { tasks, evidence, fixes: byFix } satisfies Counted);
  const best = bestFix(byFix);
  if (tasks.length < ENOUGH_TASKS || best === undefined) return [];
  const subject = { about: `failure ${sign}`, value: best, isDenied: false };
  const text = `When ${sign}: ${best}.`;
  return [{ kind: 'lesson', text, namespace: 'failures', source: 'run', evidence, subject, counted: key }];
}

/** The fix that was seen in most tasks (3). */
function bestFix(fixes: Counted['fixes']): string | undefined {
  const enough = Object.entries(fixes).filter(
    ([fix, tasks]) => fix.startsWith('install ') || tasks.length >= ENOUGH_TASKS,
  );
  const [best] = enough.toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  return best?.[0].replace(/^\w+ /, '');
}

const addTask = (tasks: readonly string[], root: string): string[] => [...new Set([...tasks, root])].slice(-MAX_STORED);

const startedKey = (call: string): string => `facts/begun/${call}`;
const failuresKey = (root: string): string => `facts/trouble/${root}`;
