import { replicate } from '../replicate.ts';
import { replicaFolder } from '../replica-connection.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import type { Ended, Progress } from '../copy/replicate-ledgers.ts';
import { isSwitchedOff } from '../copy/state.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { requireReplica } from '../replica-home.ts';
import { count } from '../../../kit/cli/plain-text.ts';

/** Attempts in a row before it fails; about two minutes. */
const FAILURES = 8;

type Reached = { [pen in Pen]: number };
type Data = { ended: string; reached: Reached; text: string };

export async function run({ home, signal, notify, progress }: Call): Promise<Answer<Data>> {
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

export const jsonLines = ({ ended, reached }: Data): object[] => [{ ended, reached }];

export const render = ({ text }: Data): string => text;

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
