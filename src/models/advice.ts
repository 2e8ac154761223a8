/** The error of one model in front of a person: whose it is, what to set where, and no key in it. */
import { ModelError, type ModelProblem, errorOf, problem } from './errors.ts';
import { nameOf } from './name.ts';
import type { Called } from './settings.ts';

export function errorFor(
  error: unknown,
  called: Called,
  { caller, key }: { caller: AbortSignal; key: string | null },
): ModelError {
  const found = caller.aborted ? stoppedBy(caller) : errorOf(error);
  const message = `${nameOf(called)}: ${without(key, found.message)}`;
  const { usage, said = '' } = error instanceof ModelError ? error : {};
  return new ModelError({ ...found, message, fix: fixFor(found, called) }, { usage, said, cause: error });
}

function stoppedBy(caller: AbortSignal): ModelProblem {
  const late = caller.reason instanceof Error && caller.reason.name === 'TimeoutError';
  return late ? problem('stalled', 'it did not end in time') : problem('stopped', 'it was stopped');
}

function fixFor({ kind, fix }: ModelProblem, { provider, model, keyName, baseUrl }: Called): string {
  if (kind === 'no-key' && keyName !== null)
    return `Run: oka secrets set ${keyName}, or set ${keyName} in the environment; the key must be good at ${baseUrl}.`;
  if (kind === 'unknown' && provider === 'ollama') return `Run: ollama pull ${model}`;
  if (kind === 'unknown') return `Check the name "${model}" and the address ${baseUrl}.`;
  if (kind === 'down' && provider === 'ollama') return `Start it with: ollama serve; it is expected at ${baseUrl}.`;
  return kind === 'down' ? `Check that ${baseUrl} can be reached; it is tried again later.` : fix;
}

/** Providers quote a wrong key in what they say about it. */
function without(key: string | null, text: string): string {
  return key === null || key.length < 4 ? text : text.replaceAll(key, '[key]');
}
