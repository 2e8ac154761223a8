/**
 * Owns: who may use the proxy. A ticket is a user and a password for one step, good until the step ends.
 *
 * T1 When a ticket is revoked, the connections that were made with it are gone.
 * T2 A proxy in a process of its own knows no tickets; there they are sealed with a key that both can read, and end by time.
 * T3 On one machine that is the time of the machine, so that a clock that is set neither ends a ticket nor prolongs it.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MachineTime } from '../../core/ledger/machine-time.ts';
import type { Clock } from '../../core/schema/ports.ts';
import type { ProxyHeader } from '../../core/schema/tool.ts';
import { sealHeaders, unsealHeaders } from './added-headers.ts';
import { createPackageScope, emptyHistory, type FetchHistory, type PackageScope } from './package-scope.ts';
import { openRefusals, type Refusals } from './refusals.ts';

/** For whom connections are made. */
export type TicketOwner = {
  run: string | null;
  call: string | null;
  /** Hosts that were allowed for this step in addition. */
  hosts: readonly string[];
  /** Servers (host:port) that the operator has configured; they may be on the operator's own network. */
  servers?: readonly string[];
  /** The only hosts of this step, because it has been given a secret that belongs there. */
  onlyHosts?: readonly string[];
  /** From registries packages are only fetched: nothing is published, and no credentials are sent. */
  onlyFetches?: boolean;
  /** For a step that only fetches: text that names the packages it may ask for (package-scope.ts). */
  packages?: string;
  /** What each request is marked with that has no idempotency key of its own. */
  idempotencyKey?: string;
  /** Headers that the proxy adds, so that the secrets in them never enter the process. */
  addedHeaders?: readonly ProxyHeader[];
};

export type Ticket = { user: string; password: string };

/** `connections` are to be ended when the ticket is revoked; after `leftMs` it ends by itself. */
export type Admitted = {
  holder: TicketOwner;
  connections: Set<Disposable>;
  leftMs: number | null;
  /** What was refused with this ticket. */
  refusals: Refusals;
  /** Which packages may be asked for with this ticket. */
  scope: PackageScope;
};

/** Says whose ticket it is; null when it is nobody's, or no longer good. */
export type Admit = (ticket: Ticket | null) => Admitted | null;

type Tickets = { issue(holder: TicketOwner): Ticket; revoke(ticket: Ticket): void; admit: Admit };

export function openTickets(): Tickets {
  const known = new Map<string, Admitted>();
  const openAccount = accounts();
  // Tickets are found by hash, so that the time it takes says nothing about a ticket.
  const keyOf = ({ user, password }: Ticket): string => hash('sha256', `${user}:${password}`);
  return {
    issue(holder) {
      const ticket = { user: 'step', password: randomBytes(24).toString('base64url') };
      known.set(keyOf(ticket), { holder, connections: new Set(), leftMs: null, ...openAccount(holder) });
      return ticket;
    },
    revoke(ticket) {
      const admitted = known.get(keyOf(ticket));
      known.delete(keyOf(ticket));
      for (const connection of admitted?.connections ?? []) connection[Symbol.dispose]();
    },
    admit: (ticket) => (ticket === null ? null : (known.get(keyOf(ticket)) ?? null)),
  };
}

/** Whoever reaches the port may use the proxy; a network of its own has to see to who does. */
export const admitAnyone: Admit = () => ({
  holder: { run: null, call: null, hosts: [] },
  connections: new Set(),
  leftMs: null,
  refusals: openRefusals(),
  scope: createPackageScope(),
});

const MOST_HISTORIES = 1000;

/** What is noted about a ticket while it is used; what registries did not have is noted for the whole task. */
function accounts(): (holder: TicketOwner) => Pick<Admitted, 'refusals' | 'scope'> {
  const histories = new Map<string, FetchHistory>();
  return ({ run, packages }) => {
    const [task = ''] = (run ?? '').split('.'); // runs inside a run begin with its name
    const history = histories.get(task) ?? emptyHistory();
    histories.delete(task);
    histories.set(task, history);
    for (const oldest of histories.keys()) if (histories.size > MOST_HISTORIES) histories.delete(oldest);
    return { refusals: openRefusals(), scope: createPackageScope(packages, history) };
  };
}

/** What a sealed ticket ends by. */
type TicketClocks = { clock: Clock; machine: () => MachineTime };

/**
 * What a ticket says; the values of added headers cannot be read from it. The names of packages are too many for it: they
 * are sent to the proxy (register-packages.ts).
 */
type Sealed = Omit<TicketOwner, 'addedHeaders' | 'packages'> & {
  sealedHeaders?: string;
  until: number;
  machine?: MachineTime;
};

export function sealTicket(
  key: Buffer,
  { addedHeaders, packages: _named, ...readable }: TicketOwner,
  lastsMs: number,
  { clock, machine }: TicketClocks,
): Ticket {
  const { boot, ms } = machine();
  const sealed: Sealed = {
    ...readable,
    ...(addedHeaders === undefined ? {} : { sealedHeaders: sealHeaders(key, addedHeaders) }),
    until: clock() + lastsMs,
    machine: { boot, ms: ms + lastsMs },
  };
  const user = Buffer.from(JSON.stringify(sealed)).toString('base64url');
  return { user, password: computeSeal(key, user) };
}

export function admitSealed(key: Buffer, clocks: TicketClocks): Admit {
  const used = new Map<string, { sealed: Sealed; admitted: Admitted }>();
  const openAccount = accounts();
  return (ticket) => {
    if (ticket === null) return null;
    const [given, right] = [ticket.password, computeSeal(key, ticket.user)].map((text) => Buffer.from(text)) as [
      Buffer,
      Buffer,
    ];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    const sealed = JSON.parse(Buffer.from(ticket.user, 'base64url').toString()) as Sealed;
    for (const [password, before] of used) if (timeLeft(before.sealed, clocks) <= 0) used.delete(password);
    const leftMs = timeLeft(sealed, clocks);
    if (leftMs <= 0) return null;
    const known = used.get(ticket.password)?.admitted;
    const holder = known?.holder ?? ownerIn(key, sealed);
    const admitted = { ...(known ?? { connections: new Set<Disposable>(), ...openAccount(holder) }), holder, leftMs };
    used.set(ticket.password, { sealed, admitted });
    return admitted;
  };
}

function ownerIn(key: Buffer, { until: _until, machine: _machine, sealedHeaders, ...readable }: Sealed): TicketOwner {
  return sealedHeaders === undefined ? readable : { ...readable, addedHeaders: unsealHeaders(key, sealedHeaders) };
}

/** By the machine's own time where the ticket was sealed on this machine (T3), else by the clock. */
function timeLeft({ until, machine: end }: Sealed, { clock, machine }: TicketClocks): number {
  const { boot, ms } = machine();
  return end !== undefined && boot !== '' && end.boot === boot ? end.ms - ms : until - clock();
}

const computeSeal = (key: Buffer, user: string): string => createHmac('sha256', key).update(user).digest('base64url');

/** Reads Proxy-Authorization; null when there is none, or another kind. */
export function readTicket(header: string | undefined): Ticket | null {
  const [, encoded] = /^basic +([a-z0-9+/=_-]+)$/i.exec(header ?? '') ?? [];
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return user === undefined || password === undefined ? null : { user, password };
}
