/** `oka fleet stop`, `resume` and `drain`: orders that stay until the next one. Given again, they change nothing. */
import type { FleetMembers } from './servers/fleet-members.ts';
import type { FleetOrders } from './servers/fleet-orders.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { MemberMessage } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import { withFleet } from './fleet-access.ts';
import type { FleetMember } from './fleet-member.ts';
import { isSilent } from './member-watch.ts';
import { pause } from '../../kit/pause.ts';

const POLL_MS = 1000;

type Ordered = { order: string; was: boolean; members: { name: string; state: string }[] };

export async function orderAll(home: Home, isHalted: boolean): Promise<Ordered> {
  return withFleet(home, async (access) => {
    const was = await giveOrder(await access.openOrders(), null, isHalted, access.name);
    const members = await (await access.openMembers()).list();
    return { order: isHalted ? 'stop' : 'resume', was, members: members.map(toState) };
  });
}

type Drained = { member: string; order: string; was: boolean; state: string; runs: string[] };

type Waiting = { isWaiting: boolean; signal: AbortSignal; notify: (line: string) => void };

export async function orderMember(home: Home, name: string, isHalted: boolean, waiting: Waiting): Promise<Drained> {
  return withFleet(home, async (access) => {
    const members = await access.openMembers();
    await requireMember(members, name);
    const was = await giveOrder(await access.openOrders(), name, isHalted, access.name);
    const { state, runs } = await (waiting.isWaiting && isHalted
      ? untilEmpty(members, name, waiting)
      : requireMember(members, name));
    return { member: name, order: isHalted ? 'drain' : 'resume', was, state, runs };
  });
}

/** Returns whether it was in force before; then nothing is written. */
async function giveOrder(orders: FleetOrders, member: string | null, isHalted: boolean, by: string): Promise<boolean> {
  if (((await orders.read(member))?.isHalted ?? false) === isHalted) return true;
  await orders.give(member, { isHalted, by, at: new Date().toISOString() });
  return false;
}

async function untilEmpty(members: FleetMembers, name: string, { signal, notify }: Waiting): Promise<MemberMessage> {
  let before = '';
  for (;;) {
    const member = await requireMember(members, name);
    if (member.state === 'drained' || signal.aborted) return member;
    const line = isSilent(member)
      ? `${name} has not reported since ${member.at}; it follows the order when it is back`
      : `${name} is ${member.state}: ${member.doing.length} in progress`;
    if (line !== before) notify(line);
    before = line;
    await pause(POLL_MS, signal);
  }
}

async function requireMember(members: FleetMembers, name: string): Promise<MemberMessage> {
  const list = await members.list();
  const found = list.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new OkaError('usage', `the fleet has no member "${name}"`, {
    fix: `Its members are: ${list.map((each) => each.name).join(', ') || 'none so far'}`,
  });
}

const toState = (member: MemberMessage): { name: string; state: string } => ({
  name: member.name,
  state: isSilent(member) ? `silent since ${member.at}` : member.state,
});

type OrderIntake = Extract<Intake, { kind: 'fleet' }>;

/** An order of a face that has no connection of its own: the worker gives it for its home. */
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
