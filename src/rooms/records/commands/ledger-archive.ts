import { loadConfig } from '../../../kit/settings.ts';
import { openStores } from '../../../kit/house/stores.ts';
import { archiveRuns } from '../../../core/ledger/archive-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { renderSubmitted, type Submitted, submitToWorker } from '../../../kit/cli/submitted.ts';

type Data = Submitted | { archived: Awaited<ReturnType<typeof archiveRuns>>; before: string };

export async function run({ home, options }: Call<{ before: Date | undefined }>): Promise<Answer<Data>> {
  const { before } = options;
  if (before === undefined)
    throw new OkaError('usage', '--before DATE is missing', { fix: 'Example: oka ledger archive --before 2026-01-31' });
  const submitted = await submitToWorker(home, { kind: 'archive', before: before.toISOString() });
  if (submitted !== null) return answer(submitted);
  const config = await loadConfig(home);
  const stores = await openStores(home, config);
  try {
    const archived = await archiveRuns(stores.ledger, before, config.ledger.segment_mb * 1024 * 1024);
    return answer({ archived, before: before.toISOString() });
  } finally {
    await stores.close();
  }
}

export const jsonLines = (data: Data): object[] => ['submitted' in data ? data : { archived: data.archived }];

export function render(data: Data): string {
  if ('submitted' in data) return renderSubmitted(data, 'archive');
  const { archived, before } = data;
  if (archived === null) return `No finished run ended before ${before.slice(0, 10)}; nothing was moved.\n`;
  const { first, last, segments } = archived;
  return `Moved events ${first} to ${last} into ${count(segments.length, 'segment')} under .oka/archive.\n`;
}
