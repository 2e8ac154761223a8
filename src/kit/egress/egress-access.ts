/**
 * Owns: the egress proxy of a home: the hosts of its policy, the registries of the operator's package managers, and its
 * decisions as events.
 *
 * The proxy is opened by the first step that needs it: asking the package managers takes seconds, and most work needs
 * no network.
 */
import { lookup as resolveName } from 'node:dns/promises';
import { egressRule, type Registry } from '../../core/guard/egress-rule.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { ClaimCheck, Clock } from '../../core/schema/ports.ts';
import type { Policy } from '../../core/schema/policy.ts';
import { type Egress, type Grant, openEgress, proxyEnvironment, toAddress } from './open-egress.ts';
import { createAuthority } from './certificates.ts';
import { openProxy, type Proxy } from './proxy.ts';
import { askForRefusals } from './refusals.ts';
import { registerPackages } from './register-packages.ts';
import { registriesIn } from './registries.ts';
import { type ProxyDecision, createDecisionLog } from './decision-log.ts';
import { machineTime } from '../../core/ledger/machine-time.ts';
import { admitAnyone, admitSealed, type TicketOwner, sealTicket } from './proxy-tickets.ts';
import type { Home } from '../../core/schema/home.ts';
import { packageAuthorities, packageSettings } from './registry-settings.ts';

export type EgressPorts = {
  home: Home;
  /** The active policy. */
  policy: () => Policy;
  decided: (decided: ProxyDecision) => void;
  clock: Clock;
  /** Whether a run may still reach the outside, where others could go on with it. */
  claims?: ClaimCheck | undefined;
};

/** Gives a step access to the network; to be disposed of when the process ends. */
export type EgressAccess = AsyncDisposable & {
  /** `ms` is how long the step may last. */
  grant(holder: TicketOwner, ms: number): Promise<Grant>;
};

type Address = { host: string; port: number };

/** Models use this route, too, and may be silent for as long as their settings allow (five minutes at most). */
const MODEL_THINKS_MS = 330_000;

/** The proxy in the process of the worker. */
export function localEgress(ports: EgressPorts): EgressAccess {
  const registries = knownRegistries(ports);
  let opened: Promise<Egress> | null = null;
  const open = (): Promise<Egress> =>
    openEgress({
      listen: { host: '127.0.0.1', port: 0 },
      allows: (...asked) => egressRule(ports.policy().rules, registries.now())(...asked),
      decided: ports.decided,
      clock: ports.clock,
      authority: createAuthority(),
      packageAuthorities: registries.authorities,
      claims: ports.claims,
    });
  return {
    async grant(holder) {
      opened ??= open().catch((error: unknown) => {
        opened = null; // the next step tries again
        throw error;
      });
      const [egress] = await Promise.all([opened, registries.refresh()]);
      return egress.grant(holder);
    },
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}

/** A proxy in a process of its own, with which a key is shared; a ticket for it is good as long as a step may last. */
export function sharedEgress(
  proxy: Address,
  key: Buffer | null,
  clock: Clock,
  lookup: (host: string) => Promise<string> = addressOf,
): EgressAccess {
  const authority = key === null ? null : createAuthority(key);
  return {
    async grant(holder, ms) {
      if (key === null && holder.addedHeaders !== undefined)
        throw new OkaError('refused', 'the egress proxy shares no key with the worker, so it cannot add a secret', {
          fix: 'Give both the same key, or set the secret without --header.',
        });
      const host = await lookup(proxy.host); // a sandboxed command cannot ask a name server
      const ticket = key === null ? null : sealTicket(key, holder, ms, { clock, machine: machineTime });
      if (ticket !== null && key !== null && holder.packages !== undefined)
        await registerPackages({ ...proxy, host }, ticket, key, holder.packages);
      return {
        address: toAddress({ ...proxy, host }),
        env: proxyEnvironment({ ...proxy, host }, ticket),
        authority: authority?.certificate(clock()) ?? null,
        refused: async () => (ticket === null ? [] : askForRefusals({ ...proxy, host }, ticket)),
        [Symbol.dispose]: () => undefined,
      };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function addressOf(host: string): Promise<string> {
  try {
    return (await resolveName(host)).address;
  } catch (error) {
    throw new OkaError('refused', `the egress proxy ${host} is not there: ${messageOf(error)}`, {
      fix: 'See whether it runs; in Docker: docker compose up -d egress',
      cause: error,
    });
  }
}

/** The proxy alone. Without a key whoever reaches it may use it. */
export async function serveEgress(ports: EgressPorts, listen: Address, key: Buffer | null): Promise<Proxy> {
  const registries = knownRegistries(ports);
  await registries.refresh();
  return await openProxy({
    listen,
    allows: (...asked) => {
      void registries.refresh();
      return egressRule(ports.policy().rules, registries.now())(...asked);
    },
    admit: key === null ? admitAnyone : admitSealed(key, { clock: ports.clock, machine: machineTime }),
    telling: createDecisionLog(ports.decided, { clock: ports.clock }),
    limits: { idleMs: MODEL_THINKS_MS },
    clock: ports.clock,
    ...(key === null ? {} : { key, authority: createAuthority(key), packageAuthorities: registries.authorities }),
  });
}

type KnownRegistries = {
  now: () => readonly Registry[];
  /** The authorities that registries are trusted by, besides those of the machine, as PEM. */
  authorities: () => readonly string[];
  refresh(): Promise<void>;
};

/** An operator may configure another registry while the process runs. */
function knownRegistries({ home }: EgressPorts): KnownRegistries {
  let [known, authorities]: [readonly Registry[], readonly string[]] = [[], []];
  return {
    now: () => known,
    authorities: () => authorities,
    async refresh() {
      const settings = await packageSettings(home);
      authorities = await packageAuthorities(settings);
      known = registriesIn(settings);
    },
  };
}
