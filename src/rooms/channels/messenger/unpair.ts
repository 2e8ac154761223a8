/** Owns: that a person in a messenger is heard no longer, and is sent nothing any more. */
import type { PairedPerson } from '../../../core/schema/channel-port.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { LedgerPort, ProjectionsPort } from '../../../kit/ports/port-types.ts';
import { channelPaired } from '../channel-events.ts';
import { reachingProjection } from '../delivery-state.ts';
import { channelState } from '../reaching-state.ts';

type Asked = Pick<Extract<Intake, { kind: 'unpair' }>, 'channel' | 'person'>;

/** In all their chats. Throws where nobody, or more than one person, is meant: two may have the same name. */
export async function unpair(
  { channel, person }: Asked,
  projections: ProjectionsPort,
  ledger: Pick<LedgerPort, 'append'>,
): Promise<PairedPerson[]> {
  const paired = channelState(projections.stateOf(reachingProjection), channel).paired ?? [];
  const byId = paired.filter((each) => each.person === person);
  const found = person === undefined ? paired : byId.length > 0 ? byId : paired.filter(({ name }) => name === person);
  const people = new Set(found.map((each) => each.person));
  if (people.size === 0)
    throw new OkaError('usage', `${person === undefined ? 'nobody' : `"${person}"`} is paired with ${channel}`, {
      fix: 'See who is: oka channels list',
    });
  if (people.size > 1)
    throw new OkaError('usage', `several people are paired with ${channel}`, {
      fix: `Name one: ${found.map((each) => `${each.person} (${each.name})`).join(', ')}`,
    });
  const reason = 'a person has ended it with oka channels unpair';
  await ledger.append(found.map((each) => channelPaired({ channel, ...each, change: 'removed', reason })));
  return found;
}
