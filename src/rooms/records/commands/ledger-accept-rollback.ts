import { existsSync } from 'node:fs';
import { acceptRollback } from '../accept-rollback.ts';
import { checkAnchors } from '../../../kit/home/home-anchors.ts';
import { loadConfig } from '../../../kit/settings.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Accepted = { ledger: string; missing: number; expected: number; last: number };
type Data = { accepted: Accepted[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const config = await loadConfig(home);
  const accepted: Accepted[] = [];
  for (const pen of ['run', 'maintenance'] as const satisfies Pen[]) {
    if (pen === 'maintenance' && !existsSync(home.ledgers[pen]) && checkAnchors(home, pen).state !== 'broken') continue;
    const lost = await acceptRollback(home, config, pen);
    if (lost !== null)
      accepted.push({ ledger: `${pen}_ledger`, missing: lost.missing, expected: lost.claim.seq, last: lost.found.seq });
  }
  return answer({ accepted });
}

export function render({ accepted }: Data): string {
  if (accepted.length === 0) return 'Nothing is missing; nothing was changed.\n';
  return accepted.map((each) => `${renderAccepted(each)}\n`).join('');
}

function renderAccepted({ ledger, missing, expected, last }: Accepted): string {
  if (missing === 0) return `${ledger}: goes on after event ${last}; recorded that its history is another one.`;
  return `${ledger}: goes on after event ${last}; recorded that ${count(missing, 'event')} up to event ${expected} ${missing === 1 ? 'is' : 'are'} missing. Tasks whose end is missing may run again.`;
}
