/**
 * Owns: asking for the source of values in doubt (roles/doubtful-values.ts), and whether the answer names one.
 *
 * A source is a command that only reads and prints the value. A choice that no file can show is said to be one, and named on
 * the page; a value that was to be computed is none.
 */
import { toOneLine } from '../../core/schema/one-line.ts';
import { SAID_TO_BE_MET } from '../../core/schema/unproven-claim.ts';
import type { Act } from '../../core/schema/tool.ts';
import { isComputed, recompute } from './recompute.ts';
import type { ModelVerdict } from './roles/critic.ts';
import type { Doubt } from './roles/doubtful-values.ts';
import { foldText } from './roles/quotation.ts';
import { figuresIn } from './roles/traced-values.ts';

/** In words for the critic. */
export const describeDoubts = (doubts: readonly Doubt[]): string =>
  `these values need a source: ${listed(doubts)}. Give for each in sources the command that prints it from the files, or why it is a choice; if it is wrong, the criterion is not met`;

const listed = (doubts: readonly Doubt[]): string =>
  doubts.map(({ value, reason }) => `${toOneLine(value, 60)} (${reason})`).join(', ');

/** The verdict, where each value in doubt has a source; else no criterion is met that the critic has judged. */
export async function settleDoubts(
  verdict: ModelVerdict,
  doubts: readonly Doubt[],
  created: readonly string[],
  act: Act,
): Promise<ModelVerdict> {
  const { sources } = verdict;
  const commands = sources.filter(({ command }) => command !== '');
  const found = await recompute(commands, created, act);
  const shown = found.filter(isComputed).map(({ text }) => text);
  const own = sources.filter(({ why }) => why !== '');
  const left = doubts.filter(({ value, mayBeOwn }) => {
    const isShown = shown.some((text) => contains(text, value));
    return !isShown && !(mayBeOwn && own.some((source) => contains(source.value, value)));
  });
  const chosen = own.filter(({ value }) => doubts.some((doubt) => doubt.mayBeOwn && contains(value, doubt.value)));
  const notes = chosen
    .map(({ value, why }) => `; ${toOneLine(value, 60)} is in no file: ${toOneLine(why, 200)}`)
    .join('');
  const refuted = found.flatMap(({ holds, evidence }) => (holds ? [] : [`; ${evidence}`])).join('');
  const criteria = verdict.criteria.map((each) => {
    if (!each.holds) return each;
    if (left.length === 0) return { ...each, evidence: `${each.evidence}${notes}` };
    const evidence = `${SAID_TO_BE_MET} nothing shows where these values come from: ${listed(left)}${refuted}`;
    return { ...each, holds: false, evidence };
  });
  return { ...verdict, criteria };
}

function contains(text: string, value: string): boolean {
  const figures = figuresIn(text);
  const wanted = figuresIn(value);
  return wanted.length > 0
    ? wanted.every((figure) => figures.includes(figure))
    : foldText(text).includes(foldText(value));
}
