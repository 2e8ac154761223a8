import { join } from 'node:path';
import { connectReplica } from '../replica-connection.ts';
import { submit } from '../../../kit/requests/submit-request.ts';
import { readEvents } from '../../../core/ledger/read-events.ts';
import { currentFacts } from '../../memory/current-facts.ts';
import { pullFacts } from '../copy/pull.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { LedgerName } from '../../../core/schema/replica.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { requireReplica } from '../replica-home.ts';
import { count } from '../../../kit/cli/plain-text.ts';

type Data = { ledger: string; events: number; facts: number; submitted: string[]; unreadable: number };

export async function run({
  home,
  options,
  signal,
  progress,
}: Call<{ ledger: string | undefined }>): Promise<Answer<Data>> {
  const { config, ledger: own } = await requireReplica(home);
  const ledger = checkLedgerName(options.ledger, own);
  const { replica, open } = await connectReplica(home, config);
  const { reach, end } = progress('reading', 'events');
  const now = new Date().toISOString();
  const { facts, events, unreadable } = await pullFacts({ replica, ledger, open, currentFacts, now, signal, reach });
  end();
  if (events === 0)
    throw new OkaError('refused', `the replica has no events of ${ledger}`, {
      fix: 'See what the other home is called there: oka replica status',
    });
  const known = await storedFacts(home.ledgers.run);
  const fresh = facts.filter(({ fact }) => !known.has(fact.id));
  for (const { id, fact } of fresh) submit(join(home.oka, 'intake'), { kind: 'remember', fact }, id);
  return answer({ ledger, events, facts: facts.length, submitted: fresh.map(({ fact }) => fact.id), unreadable });
}

export function render({ ledger, facts, submitted, unreadable }: Data): string {
  const lines = [`${ledger} has ${count(facts, 'fact')}; ${submitted.length} of them are new here.`];
  if (submitted.length > 0) lines.push('They were passed on to the worker, as imported; it stores them when it runs.');
  if (unreadable > 0)
    lines.push(`${count(unreadable, 'fact')} cannot be read here: withheld, or sealed to other keys.`);
  return `${lines.join('\n')}\n`;
}

function checkLedgerName(ledger: string | undefined, own: string | null): string {
  if (ledger === undefined)
    throw new OkaError('usage', 'say whose facts: --ledger NAME', {
      fix: 'See what the other home is called: oka replica status, there.',
    });
  if (!LedgerName.safeParse(ledger).success) throw new OkaError('usage', `"${ledger}" is not the name of a home`);
  if (ledger === own) throw new OkaError('usage', `${ledger} is this home itself`);
  return ledger;
}

/** Every fact that was ever stored here: one that a person has deleted since is not imported again. */
async function storedFacts(ledgerFile: string): Promise<Set<string>> {
  const known = new Set<string>();
  for await (const event of readEvents(ledgerFile, { type: 'fact.kept' }))
    if (event.type === 'fact.kept') known.add(event.data.id);
  return known;
}
