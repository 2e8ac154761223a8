/** The same failure in two tasks, and what helped in one of them. */
import type { Event } from '../../../schema/event.ts';
import type { Evidence } from '../../../schema/memory.ts';
import type { Rows } from '../../../schema/rows.ts';
import { sumOf } from '../../index/item.ts';
import { rootOf, taskRecordOf, type TaskRecord } from '../../task-record.ts';
import { byType, type Of } from '../by-type.ts';
import { failureKind, missingKind, programOf } from '../failure-kind.ts';
import { evidenceIn, type Finding, isPlainName, joined, type Rule } from '../finding.ts';

/** Calls of the engine's own making. */
const INNER = new Set(['task.plan', 'task.critique', 'run.start', 'model.complete', 'memory.note', 'memory.search']);
const CARES: ReadonlySet<Event['type']> = new Set([
  'call.started',
  'call.ended',
  'dependency.installed',
  'requirement.opened',
  'run.ended',
]);
const MOST = 20;
const ENOUGH_TASKS = 2;

type Begun = { tool: string; did: string; node: string | null };
/** What went wrong in a task, and what came after that may have helped. */
type Trouble = { failures: { sign: string; node: string | null; did: string; evidence: Evidence }[]; fixes: string[] };
type Failure = { tasks: string[]; evidence: Evidence[]; fixes: Record<string, string[]> };

export const failures: Rule = {
  name: 'failures',
  find: ({ event }, book) => {
    if (event.run === null || !CARES.has(event.type)) return [];
    const root = rootOf(book, event.type === 'dependency.installed' ? (event.data.for_run ?? event.run) : event.run);
    if (taskRecordOf(book, root) === undefined) return [];
    if (event.type === 'run.ended') return event.run === root ? ended(event, root, book) : [];
    note(event, root, book);
    return [];
  },
};

const note = byType<[root: string, book: Rows], void>({
  'call.started': ({ data: { tool, call, node, input } }, _, book) => {
    if (INNER.has(tool) || !isPlainName(tool)) return;
    const program = programOf(input);
    const did = program === null ? tool : `${tool} (${program})`;
    book.put(`facts/begun/${call}`, { tool, did, node } satisfies Begun);
  },
  'call.ended': outcome,
  'dependency.installed': ({ data: { by, name } }, root, book) =>
    helped(root, `installing ${by}:${name} helped`, name, book),
  'requirement.opened': ({ data: { requirement } }, root, book) =>
    helped(root, `bringing ${requirement.name} helped`, requirement.name, book),
});

function outcome(event: Of<'call.ended'>, root: string, book: Rows): void {
  const { call, status, error, output, retried } = event.data;
  const begun = book.get<Begun>(`facts/begun/${call}`);
  if (begun === undefined) return;
  if (retried !== true && status !== 'waiting') book.put(`facts/begun/${call}`, null);
  const kind = status === 'failed' ? failureKind(error ?? '', output) : missingKind(event.data.for);
  if (kind !== null) return failed(begun, kind, evidenceIn(event), root, book);
  const trouble = status === 'ok' ? book.get<Trouble>(troubleKey(root)) : undefined;
  const before = trouble?.failures.find(({ node, did }) => node !== null && node === begun.node && did !== begun.did);
  if (before !== undefined) helped(root, `${begun.did} did it instead`, begun.tool, book);
}

function failed({ did, node }: Begun, kind: string, evidence: Evidence, root: string, book: Rows): void {
  const { failures: known, fixes } = book.get<Trouble>(troubleKey(root)) ?? { failures: [], fixes: [] };
  const all = [...known, { sign: `${did} fails because ${kind}`, node, did, evidence }].slice(-MOST);
  book.put(troubleKey(root), { failures: all, fixes } satisfies Trouble);
}

function helped(root: string, fix: string, name: string, book: Rows): void {
  const trouble = book.get<Trouble>(troubleKey(root));
  if (trouble === undefined || !isPlainName(name) || trouble.fixes.includes(fix)) return;
  book.put(troubleKey(root), { ...trouble, fixes: [...trouble.fixes, fix].slice(-MOST) });
}

/** A run that continues a failed one, or corrects it, has its troubles too. */
function ended({ data }: Of<'run.ended'>, root: string, book: Rows): Finding[] {
  const record = taskRecordOf(book, root);
  const before = record?.continues ?? record?.corrects ?? null;
  const earlier = before === null ? undefined : book.get<Trouble>(troubleKey(before));
  const own = book.get<Trouble>(troubleKey(root));
  if (data.status === 'done') for (const run of [root, before]) if (run !== null) book.put(troubleKey(run), null);
  const signs = new Map(
    [...(earlier?.failures ?? []), ...(own?.failures ?? [])].map((each) => [each.sign, each.evidence]),
  );
  const fixes = data.status === 'done' && record !== undefined ? fixesOf(own, record) : [];
  return [...signs].flatMap(([sign, evidence]) => counted(book, sign, root, evidence, fixes));
}

function fixesOf(own: Trouble | undefined, { plans, rework, installs, continues }: TaskRecord): string[] {
  const seen = own?.fixes ?? [];
  const installed = continues === null ? [] : installs.map((each) => each.replace(/@[^@]*$/, '')).filter(isPlainName);
  const all = [...new Set([...seen, ...installed.map((name) => `installing ${name} helped`)])];
  if (all.length > 0) return all;
  return plans > 1 || rework > 0 || continues !== null ? ['another plan helped'] : [];
}

function counted(book: Rows, sign: string, root: string, evidence: Evidence, fixes: readonly string[]): Finding[] {
  const key = `facts/failure/${sumOf(sign)}`;
  const known = book.get<Failure>(key) ?? { tasks: [], evidence: [], fixes: {} };
  const tasks = [...new Set([...known.tasks, root])].slice(-MOST);
  const all = joined(known.evidence, [evidence]);
  const byFix = { ...known.fixes };
  for (const fix of fixes) byFix[fix] = [...new Set([...(byFix[fix] ?? []), root])].slice(-MOST);
  book.put(key, { tasks, evidence: all, fixes: byFix } satisfies Failure);
  const [best] = Object.entries(byFix).toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  if (tasks.length < ENOUGH_TASKS || best === undefined) return [];
  const subject = { about: `failure ${sign}`, value: best[0], isDenied: false };
  const text = `When ${sign}: ${best[0]}.`;
  return [{ kind: 'lesson', text, namespace: 'failures', source: 'run', evidence: all, subject, counted: key }];
}

const troubleKey = (root: string): string => `facts/trouble/${root}`;
