import { join } from 'node:path';
import { loadConfig } from '../../daemon/settings.ts';
import { openStores } from '../../daemon/stores.ts';
import { submit } from '../../intake/submit-request.ts';
import { archive } from '../../ledger/archive.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { count } from '../plain-text.ts';

export async function run({ home, text, json, out }: Call): Promise<number> {
  const before = dateOf(text('before'));
  if (penHolder(home.ledgers.run) !== null) {
    const id = submit(join(home.oka, 'intake'), { kind: 'archive', before: before.toISOString() });
    out(json ? `${JSON.stringify({ submitted: id })}\n` : `A worker holds the pen; it was asked to archive (${id}).\n`);
    return exits.ok;
  }
  const config = await loadConfig(home);
  const stores = await openStores(home, config);
  try {
    const archived = await archive(stores.ledger, before, config.ledger.segment_mb * 1024 * 1024);
    if (json) out(`${JSON.stringify({ archived })}\n`);
    else if (archived === null)
      out(`No finished run lies wholly before ${before.toISOString().slice(0, 10)}; nothing was moved.\n`);
    else
      out(
        `Moved events ${archived.first} to ${archived.last} into ${count(archived.segments.length, 'segment')} under .oka/archive.\n`,
      );
    return exits.ok;
  } finally {
    await stores.close();
  }
}

function dateOf(text: string | undefined): Date {
  if (text === undefined)
    throw new OkaError('usage', '--before DATE is missing', { fix: 'Example: oka ledger archive --before 2026-01-31' });
  const date = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new OkaError('usage', `"${text}" is not a date`, { fix: 'Write it as 2026-01-31.' });
}
