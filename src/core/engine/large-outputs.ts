/** Makes an outcome fit for the ledger: a large output is stored as an artifact, with its head and tail in the event. */
import { MOST_INLINE_STATE } from '../schema/state-entry.ts';
import { type Json, sizeOf } from '../schema/json.ts';
import type { ArtifactStore } from '../schema/ports.ts';
import type { Outcome } from '../schema/tool.ts';

const MOST_OUTPUT = 64 * 1024;
/** With room for the key. */
const MOST_STATE = MOST_INLINE_STATE + 1024;
const HEAD_AND_TAIL = 2000;

export function outputStore(artifacts: ArtifactStore | undefined): (outcome: Outcome) => Outcome | Promise<Outcome> {
  return (outcome) => {
    if (outcome.status !== 'ok') return outcome;
    const measured = { ...outcome, usage: { ...outcome.usage, output_bytes: sizeOf(outcome.output) } };
    return measured.usage.output_bytes <= (outcome.isInline === true ? MOST_STATE : MOST_OUTPUT)
      ? measured
      : storeLarge(measured, JSON.stringify(outcome.output), artifacts);
  };
}

async function storeLarge(
  outcome: Extract<Outcome, { status: 'ok' }>,
  text: string,
  artifacts: ArtifactStore | undefined,
): Promise<Outcome> {
  const artifact = await artifacts?.put(text, { media: 'application/json' });
  const output: Json = {
    head: text.slice(0, HEAD_AND_TAIL),
    tail: text.slice(-HEAD_AND_TAIL),
    left_out: text.length - 2 * HEAD_AND_TAIL,
    artifact: artifact?.sha256 ?? null,
  };
  if (artifact === undefined) return { ...outcome, output };
  return { ...outcome, output, artifacts: [...(outcome.artifacts ?? []), artifact] };
}
