/** Owns: the proxy as the worker uses it: a ticket for each step, and the environment that makes programs use it. */
import { openProxy, type ProxyOptions } from './proxy.ts';
import { type ProxyDecision, createDecisionLog } from './decision-log.ts';
import { type TicketOwner, openTickets, type Ticket } from './proxy-tickets.ts';

export type EgressOptions = Omit<ProxyOptions, 'admit' | 'telling'> & {
  /** Takes what is to be recorded; called once for the same decision within a while. */
  decided: (decided: ProxyDecision) => void;
};

/** What a step needs to reach the outside; to be disposed of when the step has ended. */
export type Grant = Disposable & {
  /** The address of the proxy, such as 127.0.0.1:3128. */
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  /** The certificate of the authority with which the proxy reads tunnels to registries; null when it reads none. */
  readonly authority: string | null;
  /** What the proxy has refused to the step so far, each with the reason. */
  refused(): Promise<readonly string[]>;
};

export type Egress = AsyncDisposable & { readonly port: number; grant(holder: TicketOwner): Grant };

export async function openEgress({ decided, ...options }: EgressOptions): Promise<Egress> {
  const tickets = openTickets();
  const telling = createDecisionLog(decided, { clock: options.clock });
  const proxy = await openProxy({ ...options, admit: tickets.admit, telling });
  return {
    port: proxy.port,
    grant(holder) {
      const ticket = tickets.issue(holder);
      return {
        address: toAddress(proxy),
        env: proxyEnvironment(proxy, ticket),
        authority: options.authority?.certificate(options.clock()) ?? null,
        refused: async () => tickets.admit(ticket)?.refusals.list() ?? [],
        [Symbol.dispose]() {
          tickets.revoke(ticket);
          telling.settle(holder.run);
        },
      };
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** A host and a port as they are written together. */
export const toAddress = ({ host, port }: { host: string; port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Programs read one or the other spelling; Node needs a variable to read them. */
export function proxyEnvironment(
  { host, port }: { host: string; port: number },
  ticket: Ticket | null,
): Record<string, string> {
  const user = ticket === null ? '' : `${encodeURIComponent(ticket.user)}:${encodeURIComponent(ticket.password)}@`;
  const url = `http://${user}${toAddress({ host, port })}`;
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
    // Package managers whose own settings name another proxy would reach nobody.
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: 'none.invalid',
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    PIP_PROXY: url,
  };
}
