/**
 * Owns: opening rooms in an order in which each finds what it needs, and closing them in reverse.
 * Does not own: what a room is (core/schema/room.ts), which rooms there are (rooms.ts).
 *
 * O1 Every port has exactly one giver; a room that needs a port without a giver, or rooms that need each other, are an error
 *    that names them, before anything is opened.
 * O2 Contributions are listed in the order of the list of rooms, not in the order of opening.
 * O3 Closing goes on when one room fails to close; the first failure is thrown at the end.
 */
import { OkaError } from '../../core/schema/errors.ts';
import type { OpenedRoom, Port, Ports, PortValues, Room } from '../../core/schema/room.ts';

/** A port that has its value before any room is opened. */
export type BoundPort = { readonly port: Port<unknown>; readonly value: unknown };
export const bindPort = <T>(port: Port<T>, value: T): BoundPort => ({ port, value });

export type OpenRooms<Run> = {
  /** In the order of the list. */
  readonly rooms: readonly { readonly name: string; readonly opened: OpenedRoom<Run> }[];
  valueOf: <T>(port: Port<T>) => T;
  valuesOf: <P extends Ports>(wanted: P) => PortValues<P>;
  close: () => Promise<void>;
};

export async function openRooms<Run>(rooms: readonly Room<Run>[], base: readonly BoundPort[]): Promise<OpenRooms<Run>> {
  const values = new Map<string, unknown>(base.map(({ port, value }) => [port.name, value]));
  const opened = new Map<Room<Run>, OpenedRoom<Run>>();
  const close = (): Promise<void> => closeInReverse([...opened.values()]);
  try {
    for (const room of inOpeningOrder(rooms, new Set(values.keys()))) opened.set(room, await openRoom(room, values));
  } catch (error) {
    await close().catch(() => undefined); // the first failure is the one to report
    throw error;
  }
  return {
    rooms: rooms.map((room) => ({ name: room.name, opened: opened.get(room) ?? {} })),
    valueOf: <T>(port: Port<T>) => valueOf(values, port) as T,
    valuesOf: (wanted) => valuesFor(wanted, values),
    close,
  };
}

async function openRoom<Run>(room: Room<Run>, values: Map<string, unknown>): Promise<OpenedRoom<Run>> {
  const opened = (await room.open?.(valuesFor(room.needs, values) as never)) ?? {};
  for (const [key, { name }] of Object.entries(room.gives)) {
    const value = opened.gives?.[key];
    if (value === undefined) throw misuse(`the room ${room.name} did not give the port "${name}"`);
    values.set(name, value);
  }
  const undeclared = (opened.tools ?? []).filter((tool) => room.tools?.includes(tool.name) !== true);
  if (undeclared.length > 0)
    throw misuse(
      `the room ${room.name} opened tools that it does not declare: ${undeclared.map(({ name }) => name).join(', ')}`,
    );
  return opened;
}

function valuesFor<P extends Ports>(wanted: P, values: ReadonlyMap<string, unknown>): PortValues<P> {
  return Object.fromEntries(Object.entries(wanted).map(([key, port]) => [key, valueOf(values, port)])) as PortValues<P>;
}

function valueOf(values: ReadonlyMap<string, unknown>, { name }: Port<unknown>): unknown {
  if (!values.has(name)) throw misuse(`nobody has given the port "${name}"`);
  return values.get(name);
}

/** O1: depth first along the needs. */
function inOpeningOrder<Run>(rooms: readonly Room<Run>[], base: ReadonlySet<string>): Room<Run>[] {
  const givers = giversIn(rooms, base);
  const order = new Set<Room<Run>>();
  const visit = (room: Room<Run>, trail: readonly string[]): void => {
    if (order.has(room)) return;
    if (trail.includes(room.name))
      throw misuse(`rooms need each other: ${[...trail.slice(trail.indexOf(room.name)), room.name].join(' → ')}`);
    for (const { name } of Object.values(room.needs)) {
      const giver = givers.get(name);
      if (giver !== undefined) visit(giver, [...trail, room.name]);
      else if (!base.has(name)) throw misuse(`the room ${room.name} needs the port "${name}", which no room gives`);
    }
    order.add(room);
  };
  for (const room of rooms) visit(room, []);
  return [...order];
}

function giversIn<Run>(rooms: readonly Room<Run>[], base: ReadonlySet<string>): Map<string, Room<Run>> {
  const givers = new Map<string, Room<Run>>();
  for (const room of rooms)
    for (const { name } of Object.values(room.gives)) {
      const other = base.has(name) ? 'the host' : givers.get(name)?.name;
      if (other !== undefined) throw misuse(`the port "${name}" is given by ${other} and by the room ${room.name}`);
      givers.set(name, room);
    }
  return givers;
}

/** Closes all rooms, also when one of them fails to close (O3). */
async function closeInReverse<Run>(opened: readonly OpenedRoom<Run>[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { close } of opened.toReversed())
    try {
      await close?.();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

function misuse(what: string): OkaError {
  return new OkaError('refused', what, { fix: 'Fix the room.ts of that room; app/rooms.ts lists all of them.' });
}
