import { join } from 'node:path';
import { connectReplica } from '../../daemon/network/replica-connection.ts';
import { submit } from '../../intake/submit-request.ts';
import { readEvents } from '../../ledger/read.ts';
import { currentFacts } from '../../memory/current-facts.ts';
import { pulledFacts } from '../../replica/pull.ts';
import { OkaError } from '../../schema/errors.ts';
import { LedgerName } from '../../schema/replica.ts';
import { type Call, exits } from '../command.ts';
import { eventsOn, replicaHome } from '../replica-home.ts';
import { count } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const { home, signal, err, json, out } = call;
  const { config, ledger: own } = await replicaHome(call);
  const ledger = named(call, own);
  const { replica, open } = await connectReplica(home, config);
  const progress = eventsOn(err, 'reading');
  const now = new Date().toISOString();
  const { facts, events, unreadable } = await pulledFacts({
    replica,
    ledger,
    open,
    currentFacts,
    now,
    signal,
    reach: progress.reach,
  });
  progress.end();
  if (events === 0)
    throw new OkaError('refused', `the replica has no events of ${ledger}`, {
      fix: 'See how the other home is called there: oka replica status',
    });
  const known = await factsKnown(home.ledgers.run);
  const fresh = facts.filter(({ fact }) => !known.has(fact.id));
  for (const { id, fact } of fresh) submit(join(home.oka, 'intake'), { kind: 'remember', fact }, id);
  const result = { ledger, events, facts: facts.length, submitted: fresh.map(({ fact }) => fact.id), unreadable };
  out(json ? `${JSON.stringify(result)}\n` : told(result));
  return exits.ok;
}

function named(call: Call, own: string | null): string {
  const ledger = call.text('ledger');
  if (ledger === undefined)
    throw new OkaError('usage', 'say whose facts: --ledger NAME', {
      fix: 'See how the other home is called: oka replica status, there.',
    });
  if (!LedgerName.safeParse(ledger).success) throw new OkaError('usage', `"${ledger}" is not the name of a home`);
  if (ledger === own) throw new OkaError('usage', `${ledger} is this home itself`);
  return ledger;
}

/** Every fact that was ever kept here: one that a person has given up since does not come back. */
async function factsKnown(ledgerFile: string): Promise<Set<string>> {
  const known = new Set<string>();
  for await (const event of readEvents(ledgerFile, { type: 'fact.kept' }))
    if (event.type === 'fact.kept') known.add(event.data.id);
  return known;
}

function told(result: { ledger: string; facts: number; submitted: string[]; unreadable: number }): string {
  const { ledger, facts, submitted, unreadable } = result;
  const lines = [`${ledger} holds ${count(facts, 'fact')}; ${submitted.length} of them are new here.`];
  if (submitted.length > 0) lines.push('They were handed to the worker, as imported; it keeps them when it runs.');
  if (unreadable > 0)
    lines.push(`${count(unreadable, 'fact')} cannot be read here: held back, or sealed to other keys.`);
  return `${lines.join('\n')}\n`;
}
