/** Whether an agent goes round in circles. Pure, over what it did. */
import { hash } from 'node:crypto';
import type { Evidence } from '../schema/ports.ts';

const SAME_CALL = 3;
const SAME_ERROR = 3;
const PAIRS = 3;
const TURNS_WITHOUT_PROGRESS = 12;

/** Says why, or null when it gets on. */
export function stuckReason(evidence: readonly Evidence[]): string | null {
  const calls = evidence.filter((entry) => entry.decision.kind === 'CallTool').map(fingerprintOf);
  const last = calls.at(-1);
  if (
    calls.length >= SAME_CALL &&
    calls.slice(-SAME_CALL).every((call) => call.did === last?.did && call.got === last?.got)
  )
    return `the same call came to the same end ${SAME_CALL} times`;
  if (alternates(calls.map((call) => `${call.did}${call.got}`))) return `two calls alternated ${PAIRS} times`;
  // Refusals of different calls have the same words, and do not end a step whose other calls are allowed.
  const errors = lastOfTurns(evidence)
    .slice(-SAME_ERROR)
    .map(({ outcome, error }) => (outcome === 'denied' ? null : error));
  if (errors.length === SAME_ERROR && errors.every((error) => error !== null && error === errors[0]))
    return `the same error came ${SAME_ERROR} times: ${errors[0]}`;
  return hasNoProgress(evidence) ? `nothing new in ${TURNS_WITHOUT_PROGRESS} turns` : null;
}

/** Several calls of one turn that fail for one reason are one failure. */
function lastOfTurns(evidence: readonly Evidence[]): Evidence[] {
  return evidence.filter(({ turn }, index) => evidence[index + 1]?.turn !== turn);
}

type Mark = { did: string; got: string };

function fingerprintOf({ decision, outcome, output, error }: Evidence): Mark {
  const did = decision.kind === 'CallTool' ? `${decision.tool} ${JSON.stringify(decision.input)}` : decision.kind;
  return { did: hash('sha256', did), got: hash('sha256', JSON.stringify([outcome, output, error])) };
}

function alternates(marks: readonly string[]): boolean {
  const recent = marks.slice(-2 * PAIRS);
  return (
    recent.length === 2 * PAIRS && recent[0] !== recent[1] && recent.every((mark, index) => mark === recent[index % 2])
  );
}

/** Progress is a result that was not seen before; of the calls of one turn it is enough that one has it. */
function hasNoProgress(evidence: readonly Evidence[]): boolean {
  const turns = [...new Set(evidence.map(({ turn }) => turn))].slice(-TURNS_WITHOUT_PROGRESS);
  const first = evidence.findIndex(({ turn }) => turn === turns[0]);
  if (turns.length < TURNS_WITHOUT_PROGRESS) return false;
  const seen = new Set(evidence.slice(0, first).map((entry) => fingerprintOf(entry).got));
  return evidence.slice(first).every((entry) => {
    const { got } = fingerprintOf(entry);
    const isNew = entry.outcome === 'ok' && !seen.has(got);
    seen.add(got);
    return !isNew;
  });
}
