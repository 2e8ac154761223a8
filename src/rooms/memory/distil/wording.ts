/** A model that rewords lessons, where the settings want one: one question a pass, and only about what is new. */
import { parseRewordings, type Reworded, type FactToReword, wordingPrompt } from './rewording.ts';
import type { Usage } from '../../../core/schema/effect.ts';
import type { Improving } from '../../../core/schema/learning-part.ts';
import { serverRoute } from '../../../kit/egress/egress-routes.ts';

/** A question to a model, and the most that it may cost. */
export type Question = { most: Usage; ask: () => Promise<{ answers: readonly Reworded[]; usage: Usage }> };
/** Null when there is nobody to ask. */
export type Wording = (facts: readonly FactToReword[]) => Promise<Question | null>;

const PATIENCE_MS = 60_000;
const MOST_TOKENS = 2000;

/** Null when nobody is to be asked. */
export function wordingOf({ home, config, clock }: Pick<Improving, 'home' | 'config' | 'clock'>): Wording | null {
  if (!config.maintenance.wording) return null;
  return async (facts) => {
    const [{ modelsOf }, { modelProviders }, { estimateOf }, { openHomeVault }] = await Promise.all([
      import('../../../kit/models/home-models.ts'),
      import('../../../kit/house/room-contributions.ts'),
      import('../../../kit/models/estimate.ts'),
      import('../../../kit/vault/home-vault.ts'),
    ]);
    const vault = await openHomeVault(home, config.credentials);
    const models = modelsOf(home, config, vault, await modelProviders(), serverRoute(clock));
    const [model, called] = [models.for('critic'), models.called('critic')];
    if (model === null || called === null) return null;
    const { system, user } = wordingPrompt(facts);
    const messages = [{ role: 'user' as const, text: user }];
    const request = { role: 'critic' as const, system, messages, tools: [], maxTokens: MOST_TOKENS };
    return {
      most: estimateOf(request, called),
      ask: async () => {
        const { text, model: who, usage } = await model.complete(request, AbortSignal.timeout(PATIENCE_MS));
        return { answers: parseRewordings(text, who), usage };
      },
    };
  };
}
