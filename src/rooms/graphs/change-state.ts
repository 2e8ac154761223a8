/** Owns: changing what a graph remembers because a person asked for it. */
import { expectationProblem } from '../../core/engine/graph-state.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { ArtifactStore, EventStore, StateStore } from '../../core/schema/ports.ts';
import { toStoredState } from './tools/state-tools.ts';

type StateIntake = Extract<Intake, { kind: 'state' }>;
type ChangePorts = { events: EventStore; artifacts: ArtifactStore; state: StateStore };

/** Resolves when the change is durable, with whether anything was there to change. */
export async function changeState(
  { events, artifacts, state }: ChangePorts,
  { namespace, key, value, expect, by = 'operator' }: StateIntake,
): Promise<{ changed: boolean }> {
  const stored = value === undefined ? null : await toStoredState(value, artifacts);
  if (expect !== undefined) {
    const problem = expectationProblem(state, { namespace, key, expect });
    if (problem !== null)
      throw new OkaError('refused', problem, { fix: `See what is there: oka graph state get ${namespace} "${key}"` });
  }
  if (stored === null && state.get(namespace, key) === undefined) return { changed: false };
  const change =
    stored === null
      ? { deleted: true as const }
      : { value: stored.value, ...(stored.artifacts.length > 0 ? { artifacts: stored.artifacts } : {}) };
  const staged = events.stage({ type: 'state.written', data: { namespace, key, ...change, by } });
  state.note(staged);
  await events.flush([staged]);
  return { changed: true };
}
