/** Drafts a procedure from the samples of a family; drafts are written to the ledger when a pass ends. */
import type { Procedure } from '../../core/schema/procedure.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { taskRecordOf } from '../../kit/learning/task-record.ts';
import { executionsOf, describePitfalls } from '../../kit/learning/execution-record.ts';
import { fillProcedure, isProblem } from './fill-procedure.ts';
import { matchTask } from './match-task.ts';
import { isUnconfirmed, type KnownProcedure } from '../../kit/learning/known-procedures.ts';
import { isSamePlan, type Sample } from './plan-sample.ts';
import { isWithdrawn, knownProcedure } from '../../kit/learning/procedure-rows.ts';
import { unifyRuns } from './unify-runs.ts';

const MIN_SAMPLES = 2;
/** A family whose plans keep changing is abandoned after this many versions. */
export const MAX_VERSIONS = 20;

const samplesKey = (family: string, shape: string): string => `procedures/samples/${family}/${shape.slice(0, 8)}`;
export const draftKey = (id: string): string => `procedures/draft/${id}`;

export const samplesOf = (rows: Rows, family: string, shape: string): Sample[] =>
  rows.get<Sample[]>(samplesKey(family, shape)) ?? [];

export function setSamples(rows: Rows, family: string, shape: string, samples: readonly Sample[]): void {
  rows.put(samplesKey(family, shape), samples.length === 0 ? null : samples);
}

export const pendingDrafts = (rows: Rows): Procedure[] =>
  [...rows.each<Procedure>('procedures/draft/')].map(([, procedure]) => procedure);

export function draftProcedure(rows: Rows, family: string, shape: string): void {
  const samples = samplesOf(rows, family, shape);
  const [first] = samples;
  if (first === undefined) return;
  const id = procedureId(rows, family, shape, first.text);
  const known = knownProcedure(rows, id);
  const least = isUnconfirmed(known?.procedure) ? 1 : MIN_SAMPLES;
  const draft =
    samples.length < least || isWithdrawn(rows, id) ? null : createDraft(rows, { family, shape, id }, samples, known);
  rows.put(draftKey(id), draft);
}

/** Named after the first task, followed by the family and the shape. */
export function procedureId(rows: Rows, family: string, shape: string, text: string): string {
  const end = `${family}-${shape.slice(0, 8)}`;
  const known = rows.get<string>(`procedures/id/${end}`);
  if (known !== undefined) return known;
  const id = `${slugFromText(text)}-${end}`;
  rows.put(`procedures/id/${end}`, id);
  return id;
}

function slugFromText(text: string): string {
  const bare = text.replaceAll(/^(?:dir|mode|title|accept): /gm, '').toLowerCase();
  const words = bare.match(/\b[a-z]{2,20}\b/g) ?? [];
  return words.slice(0, 4).join('-').slice(0, 40) || 'procedure';
}

type About = { family: string; shape: string; id: string };

function createDraft(
  rows: Rows,
  { family, shape, id }: About,
  samples: readonly Sample[],
  known: KnownProcedure | undefined,
): Procedure | null {
  const old = known?.procedure;
  if (old !== undefined && old.version >= MAX_VERSIONS) return null;
  const isImport = isUnconfirmed(old);
  // Earlier samples were checked when they arrived.
  const isSaidAgain =
    old !== undefined && samples.slice(isAbandoned(known) || isImport ? 0 : -1).every((each) => reproduces(old, each));
  if (isSaidAgain && !isImport && !isAbandoned(known) && !wasOffered(rows, old, samples.at(-1))) return null;
  const pitfalls = describePitfalls(executionsOf(rows, family));
  const about = { id, shape, pitfalls, version: (old?.version ?? 0) + 1 };
  const own = isImport
    ? { trigger: samples.map(({ text }) => text.slice(0, 2000)), tools: samples[0]?.tools ?? [] }
    : {};
  if (isSaidAgain) return { ...old, ...about, ...own, evidence: samples.map(({ run, seq }) => ({ run, seq })) };
  if (samples.length < MIN_SAMPLES) return null;
  const draft =
    unifyRuns(samples, about) ?? (samples.length > MIN_SAMPLES ? unifyRuns(samples.slice(-MIN_SAMPLES), about) : null);
  return draft === null || (old !== undefined && !isImport && hasSameContent(draft, old)) ? null : draft;
}

/** Whether the numbers ended its use; later runs may justify it again. */
function isAbandoned(known: KnownProcedure | undefined): boolean {
  if (known === undefined || known.forced || known.drafted > (known.moves.at(-1)?.seq ?? 0)) return false;
  return known.status === 'demoted' || known.status === 'retired';
}

/**
 * Whether the model, which was shown the procedure, planned the latest run: an instruction had changed since it was
 * learned. With the same plan it is drafted again, with that run as evidence, so that it is used again.
 */
function wasOffered(rows: Rows, { id, evidence }: Procedure, sample: Sample | undefined): boolean {
  if (sample === undefined || evidence.some(({ seq }) => seq >= sample.seq)) return false;
  const choice = taskRecordOf(rows, sample.run)?.choice;
  return choice?.arm === 'offered' && choice.procedure === id;
}

/** Whether the procedure gives the plan that this task had. */
function reproduces(procedure: Procedure, sample: Sample): boolean {
  const match = matchTask(procedure, sample.text);
  if (match.kind !== 'match') return false;
  const filled = fillProcedure(procedure, match.values, sample.day);
  return !isProblem(filled) && isSamePlan(filled, sample);
}

export function hasSameContent(a: Procedure, b: Procedure): boolean {
  const content = ({ task, graph, criteria, targets, parameters }: Procedure): string =>
    JSON.stringify([task, graph, criteria, targets, parameters.map(({ name, kind, from }) => [name, kind, from])]);
  return content(a) === content(b);
}
