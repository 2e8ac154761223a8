import { isIPv4 } from 'node:net';
import { isInContainer, parseConfig } from '../../../kit/settings.ts';
import { isSupervised } from '../../../kit/house/supervise.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { ConfigWithWeb, DASHBOARD_PORT } from '../../../core/schema/web.ts';
import { type Answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { tryUntilFixed } from '../../../kit/cli/stay.ts';

type Options = { host: string | undefined; port: number | undefined; stay: boolean };
type Data = { address: string; link: string | null };
type ServeCall = Call<Options, Data>;

export async function run(call: ServeCall): Promise<Answer<Data>> {
  return { code: await tryUntilFixed(call, () => serve(call)) };
}

/** The link logs the person who opens it in; it works once. In the log of a container it would stay for others to find. */
export function render({ address, link }: Data): string {
  return `Dashboard: ${link ?? `${address} (a link that opens it: oka web link)`}\n`;
}

async function serve(call: ServeCall): Promise<number> {
  const { home, options, signal, emit, notify } = call;
  await requireHome(home);
  // Its own part alone: a mistake elsewhere in the file does not keep anybody from looking.
  const { web: settings } = await parseConfig(home, ConfigWithWeb);
  const host = options.host ?? '127.0.0.1';
  if (!isLoopback(host)) await allowEverywhere(call, host);
  await call.underSupervisor(signal, async (stop) => {
    const { startWeb } = await import('../web-server.ts');
    const start = (port: number) => startWeb({ home, host, port, address: settings.address ?? null, log: notify });
    const port = options.port ?? settings.port;
    const web = await start(port).catch((error: unknown) => {
      if (options.port !== undefined || port !== DASHBOARD_PORT) throw error;
      return start(0); // another home has the usual port
    });
    emit({ address: web.address, link: isInContainer() ? null : web.newLink() });
    await new Promise<void>((stopped) =>
      stop.aborted ? stopped() : stop.addEventListener('abort', () => stopped(), { once: true }),
    );
    await web.close();
  });
  return isSupervised() ? exits.ok : exits.interrupted;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

async function allowEverywhere({ home, notify }: ServeCall, host: string): Promise<void> {
  const { openAccess } = await import('../../../kit/web/login/access.ts');
  const access = openAccess(home);
  const hasToken = access.list().some(({ kind }) => kind === 'token');
  if (isInContainer()) return; // what is published is decided outside
  if (!access.hasPassphrase() && !hasToken)
    throw new OkaError('refused', `to listen on ${host}, the dashboard needs a passphrase or a token`, {
      fix: 'Set one: oka web passphrase',
    });
  notify(
    `Everyone who reaches ${host} sees the login page, and what is sent is not encrypted: better behind a proxy with HTTPS.`,
  );
}
