/** From the samples of a family to a draft that waits to be written down. */
import type { Procedure } from '../../schema/procedure.ts';
import type { Rows } from '../../schema/rows.ts';
import { executionsOf, pitfallsIn } from './execution.ts';
import { filledProcedure, isProblem } from './fill.ts';
import { matched } from './match.ts';
import type { KnownProcedure } from './known.ts';
import { isSamePlan, type Sample } from './sample.ts';
import { isWithdrawn, knownProcedure } from './shelf.ts';
import { unified } from './unify.ts';

const LEAST_SAMPLES = 2;
/** A family whose plans never settle is given up. */
const MOST_VERSIONS = 20;

const samplesKey = (family: string, shape: string): string => `procedures/samples/${family}/${shape.slice(0, 8)}`;
const draftKey = (id: string): string => `procedures/draft/${id}`;

export const samplesOf = (book: Rows, family: string, shape: string): Sample[] =>
  book.get<Sample[]>(samplesKey(family, shape)) ?? [];

export function setSamples(book: Rows, family: string, shape: string, samples: readonly Sample[]): void {
  book.put(samplesKey(family, shape), samples.length === 0 ? null : samples);
}

export const draftsIn = (book: Rows): Procedure[] =>
  [...book.each<Procedure>('procedures/draft/')].map(([, procedure]) => procedure);

export function draftFrom(book: Rows, family: string, shape: string): void {
  const samples = samplesOf(book, family, shape);
  const id = idFor(book, family, shape, samples);
  if (id === null) return;
  const known = knownProcedure(book, id);
  const draft =
    samples.length < LEAST_SAMPLES || isWithdrawn(book, id) ? null : made(book, { family, shape, id }, samples, known);
  book.put(draftKey(id), draft);
}

/** Named after the first task; the end of the name says of which family and shape it is. */
function idFor(book: Rows, family: string, shape: string, samples: readonly Sample[]): string | null {
  const end = `${family}-${shape.slice(0, 8)}`;
  const known = book.get<string>(`procedures/id/${end}`);
  const [first] = samples;
  if (known !== undefined || first === undefined) return known ?? null;
  const id = `${slugOf(first.text)}-${end}`;
  book.put(`procedures/id/${end}`, id);
  return id;
}

function slugOf(text: string): string {
  const bare = text.replaceAll(/^(?:dir|mode|title|accept): /gm, '').toLowerCase();
  const words = bare.match(/\b[a-z]{2,20}\b/g) ?? [];
  return words.slice(0, 4).join('-').slice(0, 40) || 'procedure';
}

type About = { family: string; shape: string; id: string };

function made(
  book: Rows,
  { family, shape, id }: About,
  samples: readonly Sample[],
  known: KnownProcedure | undefined,
): Procedure | null {
  const old = known?.procedure;
  if (old !== undefined && old.version >= MOST_VERSIONS) return null;
  // Those before the last were looked at when they came.
  const isSaidAgain =
    old !== undefined && samples.slice(isGivenUp(known) ? 0 : -1).every((sample) => givesAgain(old, sample));
  if (isSaidAgain && !isGivenUp(known)) return null;
  const pitfalls = pitfallsIn(executionsOf(book, family));
  const about = { id, shape, pitfalls, version: (old?.version ?? 0) + 1 };
  if (isSaidAgain) return { ...old, ...about, evidence: samples.map(({ run, seq }) => ({ run, seq })) };
  const draft =
    unified(samples, about) ?? (samples.length > LEAST_SAMPLES ? unified(samples.slice(-LEAST_SAMPLES), about) : null);
  return draft === null || (old !== undefined && isAlike(draft, old)) ? null : draft;
}

/** No longer used, by what the numbers said; runs that came later may speak for it again. */
function isGivenUp(known: KnownProcedure | undefined): boolean {
  if (known === undefined || known.forced || known.drafted > (known.moves.at(-1)?.seq ?? 0)) return false;
  return known.status === 'demoted' || known.status === 'retired';
}

/** Whether the procedure would have planned this task as it was planned. */
function givesAgain(procedure: Procedure, sample: Sample): boolean {
  const match = matched(procedure, sample.text);
  if (match.kind !== 'match') return false;
  const filled = filledProcedure(procedure, match.values, sample.day);
  return !isProblem(filled) && isSamePlan(filled, sample);
}

function isAlike(a: Procedure, b: Procedure): boolean {
  const told = ({ task, graph, criteria, targets, parameters }: Procedure): string =>
    JSON.stringify([task, graph, criteria, targets, parameters.map(({ name, kind, from }) => [name, kind, from])]);
  return told(a) === told(b);
}
