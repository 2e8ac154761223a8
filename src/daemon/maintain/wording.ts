/** A model that words lessons better, where the settings want one: one question a pass, and only about what is new. */
import { answersIn, type Reword, wordingPrompt } from '../../memory/distil/wording.ts';
import type { Config } from '../../schema/config.ts';
import type { Clock } from '../../schema/ports.ts';
import { serverRoad } from '../roads.ts';
import type { Home } from '../settings.ts';
import type { HeldVault } from '../vault.ts';

const PATIENCE_MS = 60_000;
const MOST_TOKENS = 2000;

/** Null when nobody is to be asked. */
export function wordingOf(home: Home, config: Config, vault: HeldVault, clock: Clock): Reword | null {
  if (!config.maintenance.wording) return null;
  return async (facts) => {
    const { modelsOf } = await import('../models.ts');
    const model = modelsOf(home, config, { vault }, serverRoad(clock)).for('critic');
    if (model === null) return [];
    const { system, user } = wordingPrompt(facts);
    const messages = [{ role: 'user' as const, text: user }];
    const request = { role: 'critic' as const, system, messages, tools: [], maxTokens: MOST_TOKENS };
    const answer = await model.complete(request, AbortSignal.timeout(PATIENCE_MS));
    return answersIn(answer.text, answer.model);
  };
}
