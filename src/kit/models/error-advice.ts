/** Owns: the error of a model as a person reads it: which model, what to change, and without the key. */
import { ModelError, type ModelProblem, errorOf, problem } from './model-errors.ts';
import { nameOf } from './model-name.ts';
import type { Called } from '../../core/schema/model-provider.ts';

export function errorFor(
  error: unknown,
  called: Called,
  { caller, key }: { caller: AbortSignal; key: string | null },
): ModelError {
  const found = caller.aborted ? stopError(caller) : errorOf(error);
  const message = `${nameOf(called)}${placeOf(found, called)}: ${withoutKey(key, found.message)}`;
  const { usage, reply = '' } = error instanceof ModelError ? error : {};
  return new ModelError({ ...found, message, fix: fixFor(found, called) }, { usage, reply, cause: error });
}

/** Whoever has to look after a server needs its address. */
function placeOf({ kind }: ModelProblem, { baseUrl }: Called): string {
  return ['down', 'stalled', 'bad-answer', 'unknown'].includes(kind) ? ` at ${baseUrl}` : '';
}

function stopError(caller: AbortSignal): ModelProblem {
  const late = caller.reason instanceof Error && caller.reason.name === 'TimeoutError';
  return late ? problem('stalled', 'it timed out') : problem('stopped', 'it was stopped');
}

function fixFor({ kind, fix }: ModelProblem, called: Called): string {
  const { model, keyName, baseUrl, advice, maxTokens } = called;
  if (kind === 'cut-off')
    return `Set models.settings["${nameOf(called)}"].max_tokens in config.json to more than ${maxTokens} (thoughts count, too), or ask for less.`;
  if ((kind === 'unknown' || kind === 'down') && advice[kind] !== undefined) return advice[kind](called);
  if (kind === 'no-key' && keyName !== null)
    return `Run: oka secrets set ${keyName}, or set ${keyName} in the environment; the key must be valid for ${baseUrl}.`;
  if (kind === 'unknown') return `Check the name "${model}" and the address ${baseUrl}.`;
  return kind === 'down' ? `Check that ${baseUrl} can be reached; oka retries later.` : fix;
}

/** Providers quote a wrong key in their error message. */
function withoutKey(key: string | null, text: string): string {
  return key === null || key.length < 4 ? text : text.replaceAll(key, '[key]');
}
