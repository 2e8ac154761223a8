/** Orders of faces that have no connection of their own: the worker gives them for its home. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { FleetMember } from './fleet-member.ts';
import { giveOrder } from './order-commands.ts';

type OrderIntake = Extract<Intake, { kind: 'fleet' }>;

export async function followRequest(member: FleetMember | null, { order, member: whom }: OrderIntake): Promise<null> {
  if (member === null) throw new OkaError('refused', 'this home works alone: its worker was started without OKA_FLEET');
  const isForAll = order === 'stop' || order === 'resume';
  if (isForAll === (whom !== undefined))
    throw new OkaError(
      'usage',
      isForAll ? `${order} is for everybody, and names no member` : `${order} names a member`,
    );
  await giveOrder(member.orders, whom ?? null, order === 'stop' || order === 'drain', member.name);
  return null;
}
