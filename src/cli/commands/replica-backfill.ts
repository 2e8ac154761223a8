import { replicate } from '../../daemon/network/replicate.ts';
import { replicaFolder } from '../../daemon/network/replica-connection.ts';
import { lastSeqOf } from '../../ledger/seek.ts';
import type { Ended, Told } from '../../replica/follow.ts';
import { isSwitchedOff } from '../../replica/state.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Pen } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { eventsOn, replicaHome } from '../replica-home.ts';
import { count } from '../plain-text.ts';

/** So often in a row it is tried; about two minutes. */
const FAILURES = 8;

type Reached = { [pen in Pen]: number };

export async function run(call: Call): Promise<number> {
  const { home, signal, err, json, out } = call;
  const { config } = await replicaHome(call);
  if (isSwitchedOff(replicaFolder(home)))
    throw new OkaError('refused', 'replication is switched off', { fix: 'Switch it on: oka replica on' });
  const reached: Reached = { run: 0, maintenance: 0 };
  const total = lastSeqOf(home.ledgers.run) + lastSeqOf(home.ledgers.maintenance);
  const progress = eventsOn(err, 'sending');
  const told = (each: Told): void => {
    if (each.kind === 'waiting') return err(`oka: ${each.why}; trying again\n`);
    reached[each.pen] = each.place.seq;
    progress.reach(reached.run + reached.maintenance, total);
  };
  const ended = await replicate(home, config, { kind: 'caught-up', failures: FAILURES }, signal, told);
  progress.end();
  const { code, words } = outcome(ended, reached);
  out(json ? `${JSON.stringify({ ended: typeof ended === 'string' ? ended : ended.kind, reached })}\n` : words);
  return code;
}

function outcome(ended: Ended | 'held' | 'empty', reached: Reached): { code: number; words: string } {
  if (ended === 'held')
    throw new OkaError('refused', 'another process replicates already', { fix: 'Watch it: oka replica status' });
  if (ended === 'empty') return { code: exits.ok, words: 'There are no events yet.\n' };
  const { run: events, maintenance } = reached;
  const there = `${count(events, 'event')} and ${count(maintenance, 'event')} of maintenance are there.\n`;
  switch (ended.kind) {
    case 'caught-up':
      return { code: exits.ok, words: there };
    case 'off':
      return { code: exits.no, words: `It was switched off. ${there}` };
    case 'aborted':
      return { code: exits.interrupted, words: `It was interrupted; the next one goes on from here. ${there}` };
    case 'unreachable':
      throw new OkaError('replica-down', ended.why, { fix: 'Try again later; what is there is not sent again.' });
    case 'stopped':
      throw new OkaError('replica-refused', ended.why, { fix: ended.fix });
  }
}
