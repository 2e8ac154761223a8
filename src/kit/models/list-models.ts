/** Owns: asking the server of a model which models it has. A server without such a list is normal. */
import { messageOf } from '../../core/schema/errors.ts';
import type { Called, Fetch, ModelListing, ProviderDefinition } from '../../core/schema/model-provider.ts';

const PATIENCE_MS = 10_000;
const MOST_LISTED = 2000;
const LONGEST_NAME = 200;

/** `key` is sent in the headers that the provider expects. Rejects only when `signal` is aborted. */
export async function listModels(
  provider: Pick<ProviderDefinition, 'listHeaders'>,
  { baseUrl }: Pick<Called, 'baseUrl'>,
  { key, fetch, signal }: { key: string | null; fetch: Fetch; signal: AbortSignal },
): Promise<ModelListing> {
  if (provider.listHeaders === undefined) return { state: 'none' };
  const headers = { accept: 'application/json', ...provider.listHeaders(key) };
  const stop = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  let response: Response;
  try {
    response = await fetch(`${baseUrl}/models`, { headers, signal: stop });
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'unreachable', problem: reasonOf(error) };
  }
  if (response.status === 401) return { state: 'refused' };
  const models = response.ok ? await readNames(response) : [];
  signal.throwIfAborted();
  return models.length === 0 ? { state: 'none' } : { state: 'listed', models };
}

/** `{data: [{id}]}`, which both protocols use; anything else is no list. */
async function readNames(response: Response): Promise<string[]> {
  try {
    const { data } = (await response.json()) as { data?: unknown };
    const ids = Array.isArray(data) ? data.map((each) => (each as { id?: unknown } | null)?.id) : [];
    return ids.filter((id) => typeof id === 'string' && isName(id)).slice(0, MOST_LISTED) as string[];
  } catch {
    return [];
  }
}

const isName = (id: string): boolean => id.length <= LONGEST_NAME && /^[\w./:@+-]+$/.test(id);

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1000} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  return (cause === undefined ? '' : messageOf(cause)) || messageOf(error);
}
