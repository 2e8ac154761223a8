/** How much of a model's context window the message of a role may use. Small windows get what they always got. */

/** The smallest message that is worth sending: goal, latest result and a few older ones. */
const LEAST = 4000;
/** More than this helps nobody and costs money at every turn. */
const MOST = 40_000;
/** The rest is for the system prompt, tools, memory and the answer. */
const SHARE = 1 / 4;

/** Tokens for a message, by the tokens of the context window; null when the window is unknown. */
export function messageTokens(context: number | null): number {
  return context === null ? LEAST : Math.min(MOST, Math.max(LEAST, Math.floor(context * SHARE)));
}
