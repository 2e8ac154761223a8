/** Owns: since when a model cannot be asked, and how often that was tried, as this process has seen it. */
import type { Outcome } from '../../core/schema/tool.ts';

type Outages = {
  /** Adds to a temporary failure, behind the name of the model, since when it lasts. */
  describe: (outcome: Outcome, role: string, model: string | undefined) => Outcome;
  /** The model has answered. */
  end: (role: string, model: string | undefined) => void;
};

export function openOutages(now: () => Date = () => new Date()): Outages {
  const open = new Map<string, { since: string; tries: number }>();
  const keyOf = (role: string, model: string | undefined): string => model ?? `role ${role}`;
  return {
    describe: (outcome, role, model) => {
      if (outcome.status !== 'failed' || outcome.temporary !== true) return outcome;
      const { since, tries } = open.get(keyOf(role, model)) ?? { since: now().toISOString(), tries: 0 };
      open.set(keyOf(role, model), { since, tries: tries + 1 });
      if (tries === 0) return outcome;
      const lasting = `no answer since ${since.slice(0, 16).replace('T', ' ')} UTC, tried ${tries + 1} times`;
      return { ...outcome, error: outcome.error.replace(/: /, ` (${lasting}): `) };
    },
    end: (role, model) => void open.delete(keyOf(role, model)),
  };
}
