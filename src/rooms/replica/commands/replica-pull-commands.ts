/** Filling the copy, and getting a home back from it. */
import { replicate } from '../replicate.ts';
import { connectReplica, replicaFolder } from '../replica-connection.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import type { Ended, Progress } from '../copy/replicate-ledgers.ts';
import { isSwitchedOff } from '../copy/state.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { requireReplica } from '../replica-home.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { join } from 'node:path';
import { submit } from '../../../kit/requests/submit-request.ts';
import { readEvents } from '../../../core/ledger/read-events.ts';
import { sharingRooms } from '../../../kit/house/room-contributions.ts';
import { pullFacts } from '../copy/pull.ts';
import { LedgerName } from '../../../core/schema/replica.ts';
import { text } from '../../../kit/cli/options.ts';

/** Attempts in a row before it fails; about two minutes. */
const FAILURES = 8;

type Reached = { [pen in Pen]: number };

type BackfillData = { ended: string; reached: Reached; text: string };

export const commands: Commands = {
  'replica backfill': command({
    summary: 'Send everything that the replica does not have yet, here and now',
    example: 'oka replica backfill',
    run: replicaBackfill,
    render: ({ text }) => text,
    jsonLines: ({ ended, reached }) => [{ ended, reached }],
  }),
  'replica pull': command({
    summary: 'Import the facts of another home from the replica',
    options: { ledger: text('NAME', 'The name of the other home at the replica.') },
    example: 'oka replica pull --ledger laptop',
    run: async ({ home, options, rooms, signal, progress }) => {
      const { config, ledger: own } = await requireReplica(home);
      const ledger = checkLedgerName(options.ledger, own);
      const { replica, open } = await connectReplica(home, config);
      const { reach, end } = progress('reading', 'events');
      const now = new Date().toISOString();
      const factsAfter = (await sharingRooms(rooms)).find((each) => each.factsAfter)?.factsAfter ?? (() => []);
      const { facts, events, unreadable } = await pullFacts({
        replica,
        ledger,
        open,
        factsAfter,
        now,
        signal,
        reach,
      });
      end();
      if (events === 0)
        throw new OkaError('refused', `the replica has no events of ${ledger}`, {
          fix: 'See what the other home is called there: oka replica status',
        });
      const known = await storedFacts(home.ledgers.run);
      const fresh = facts.filter(({ fact }) => !known.has(fact.id));
      for (const { id, fact } of fresh) submit(join(home.oka, 'intake'), { kind: 'remember', fact }, id);
      return answer({ ledger, events, facts: facts.length, submitted: fresh.map(({ fact }) => fact.id), unreadable });
    },
    render: ({ ledger, facts, submitted, unreadable }) => {
      const lines = [`${ledger} has ${count(facts, 'fact')}; ${submitted.length} of them are new here.`];
      if (submitted.length > 0)
        lines.push('They were passed on to the worker, as imported; it stores them when it runs.');
      if (unreadable > 0)
        lines.push(`${count(unreadable, 'fact')} cannot be read here: withheld, or sealed to other keys.`);
      return `${lines.join('\n')}\n`;
    },
  }),
};

function outcomeOf(ended: Ended | 'locked' | 'empty', reached: Reached): { code: number; text: string } {
  if (ended === 'locked')
    throw new OkaError('refused', 'another process replicates already', { fix: 'Watch it: oka replica status' });
  if (ended === 'empty') return { code: exits.ok, text: 'There are no events yet.\n' };
  const { run: events, maintenance } = reached;
  const there = `${count(events, 'event')} and ${count(maintenance, 'event')} of maintenance are there.\n`;
  switch (ended.kind) {
    case 'caught-up':
      return { code: exits.ok, text: there };
    case 'off':
      return { code: exits.no, text: `It was switched off. ${there}` };
    case 'aborted':
      return { code: exits.interrupted, text: `It was interrupted; the next one continues from here. ${there}` };
    case 'unreachable':
      throw new OkaError('replica-down', ended.why, { fix: 'Try again later; what is there is not sent again.' });
    case 'stopped':
      throw new OkaError('replica-refused', ended.why, { fix: ended.fix });
  }
}

async function replicaBackfill({ home, signal, notify, progress }: Call): Promise<Answer<BackfillData>> {
  const { config } = await requireReplica(home);
  if (isSwitchedOff(replicaFolder(home)))
    throw new OkaError('refused', 'replication is switched off', { fix: 'Switch it on: oka replica on' });
  const reached: Reached = { run: 0, maintenance: 0 };
  const total = lastSeqOf(home.ledgers.run) + lastSeqOf(home.ledgers.maintenance);
  const shown = progress('sending', 'events');
  const report = (each: Progress): void => {
    if (each.kind === 'waiting') return notify(`oka: ${each.why}; trying again`);
    reached[each.pen] = each.place.seq;
    shown.reach(reached.run + reached.maintenance, total);
  };
  const ended = await replicate(home, config, { kind: 'caught-up', failures: FAILURES }, signal, report);
  shown.end();
  const { code, text } = outcomeOf(ended, reached);
  return answer({ ended: typeof ended === 'string' ? ended : ended.kind, reached, text }, code);
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
