/**
 * Owns: a run as one file, for a bug report: everything that its page shows, without any secret, and without a script.
 *
 * 1. Every text in it is redacted with what the vault knows now: a secret that was added after the run is removed, too.
 * 2. The HTML is complete in itself: nothing is fetched, and every text is escaped.
 */
import { openHomeVault } from '../../../kit/vault/home-vault.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { Redact } from '../../../core/schema/ports.ts';
import { foldCalls } from '../../../kit/views/run-calls.ts';
import type { QueryRequest } from '../../../kit/web/page.ts';
import { describeRun } from '../../../rooms/runs/run-page/run-head.ts';
import { readRunTree } from '../../../rooms/runs/run-page/run-tree.ts';
import { type ExportedRun, renderExport } from './render-export.ts';

const MOST_EVENTS = 20_000;
const LONGEST_TEXT = 20_000;

export async function exportRun(
  request: Pick<QueryRequest<unknown>, 'home' | 'views'>,
  run: string,
  form: 'html' | 'json',
): Promise<string> {
  const tree = await readRunTree(request, run);
  const redact = await openRedact(request.home);
  const exported = {
    oka: 'run-export 1',
    run: await describeRun(request, tree),
    calls: foldCalls(tree.all),
    events: tree.all.slice(-MOST_EVENTS),
  };
  const clean = cleanJson(JSON.parse(JSON.stringify(exported)) as Json, redact);
  return form === 'json' ? `${JSON.stringify(clean, null, 1)}\n` : renderExport(clean as unknown as ExportedRun);
}

async function openRedact(home: Home): Promise<Redact> {
  try {
    return (await openHomeVault(home)).redact;
  } catch (error) {
    throw new OkaError(
      'refused',
      `the run cannot be exported, since its secrets cannot be removed: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

function cleanJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') {
    const text = redact(value);
    return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, redact));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [redact(name), cleanJson(each, redact)]));
}
