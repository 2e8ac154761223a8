/** The dashboard, and who may open it. */
import { isIPv4 } from 'node:net';
import { isInContainer, parseConfig } from '../../kit/settings.ts';
import { isSupervised } from '../../kit/house/supervise.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { ConfigWithWeb, DASHBOARD_PORT } from '../../core/schema/web.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { requireHome } from '../../kit/cli/require-home.ts';
import { tryUntilFixed } from '../../kit/cli/stay.ts';
import { openAccess } from '../../kit/web/login/access.ts';
import { readAddress } from '../../kit/web/login/address-file.ts';
import { valueFor } from '../../kit/cli/secret-changes.ts';
import { onlyOperand } from '../../kit/cli/operands.ts';
import { renderColumns } from '../../kit/cli/columns.ts';
import { count } from '../../kit/cli/plain-text.ts';
import { flag, number, text } from '../../kit/cli/options.ts';
import { stay } from '../../kit/cli/shared-options.ts';

type Options = { host: string | undefined; port: number | undefined; stay: boolean };

type WebData = { address: string; link: string | null };

type ServeCall = Call<Options, WebData>;

const SHORTEST = 12;

export const commands: Commands = {
  web: command({
    summary: 'Serve the dashboard, until Ctrl-C; `oka up` starts it, too',
    options: {
      host: text('ADDRESS', 'Listen elsewhere than on this machine alone; needs a passphrase or a token.'),
      port: number('N', 'The port (default 6520, or another one when that is taken).'),
      stay,
    },
    example: 'oka web',
    run: async (call: ServeCall): Promise<Answer<WebData>> => ({ code: await tryUntilFixed(call, () => serve(call)) }),
    /** The link logs the person who opens it in; it works once. In the log of a container it would stay for others to find. */
    render: ({ address, link }: WebData): string =>
      `Dashboard: ${link ?? `${address} (a link that opens it: oka web link)`}\n`,
  }),
  'web link': command({
    summary: 'Print a link that opens the dashboard once, within an hour',
    example: 'oka web link',
    run: async ({ home }) => {
      await requireHome(home);
      const address = readAddress(home);
      if (address === null)
        throw new OkaError('refused', 'no dashboard is running', { fix: 'Start it: oka up, or oka web' });
      return answer({ link: `${address}login#${openAccess(home).newLink()}` });
    },
    render: ({ link }) => `${link}\n`,
  }),
  'web passphrase': command({
    summary: 'Set the passphrase of the dashboard; read from the terminal or a pipe',
    options: { remove: flag('Remove it; links and tokens work on.') },
    example: 'oka web passphrase',
    run: async (call) => {
      await requireHome(call.home);
      const access = openAccess(call.home);
      if (call.options.remove) return answer({ passphrase: access.removePassphrase() ? 'removed' : 'none' });
      const passphrase = await valueFor(call, 'the passphrase');
      if (passphrase.length < SHORTEST)
        throw new OkaError('usage', `a passphrase has at least ${SHORTEST} characters`, {
          fix: 'Four words are easy to remember.',
        });
      access.setPassphrase(passphrase);
      return answer({ passphrase: 'set' });
    },
    render: ({ passphrase }) => {
      if (passphrase === 'none') return 'There was no passphrase.\n';
      return passphrase === 'set' ? 'The passphrase is set.\n' : 'The passphrase is removed.\n';
    },
  }),
  'web token': command({
    summary: 'Make a token for a program that uses the API; printed once',
    operands: '<name>',
    options: { 'read-only': flag('It may look, and not answer or change anything.') },
    example: 'oka web token grafana --read-only',
    run: async (call) => {
      await requireHome(call.home);
      const rights = call.options.readOnly ? 'read' : 'all';
      const { secret, session } = openAccess(call.home).start('token', onlyOperand(call, 'name'), rights);
      call.notify('oka: it is shown only now. Send it as: Authorization: Bearer …');
      return answer({ name: session.name, rights, token: secret, session: session.id.slice(0, 8) });
    },
    render: ({ token }) => `${token}\n`,
  }),
  'web sessions': command({
    summary: 'List the browsers and tokens that may use the dashboard',
    example: 'oka web sessions',
    run: async ({ home }) => {
      await requireHome(home);
      return answer({ sessions: openAccess(home).list() });
    },
    render: ({ sessions }, terminal) => {
      if (sessions.length === 0) return 'Nobody is logged in.\n';
      return renderColumns(
        sessions,
        [
          { text: ({ id }) => id.slice(0, 8) },
          { text: ({ kind }) => kind },
          { text: ({ rights }) => (rights === 'read' ? 'may look' : 'may do everything') },
          { text: ({ used }) => terminal.toMinute(used), style: terminal.dim },
          { text: ({ name }) => name, grows: true },
        ],
        terminal,
      );
    },
  }),
  'web revoke': command({
    summary: 'End a session, or all of them',
    operands: '<session | all>',
    example: 'oka web revoke 3f9a1c2e',
    run: async (call) => {
      await requireHome(call.home);
      const access = openAccess(call.home);
      const wanted = onlyOperand(call, 'session');
      const found = access.list().filter(({ id }) => wanted === 'all' || id.startsWith(wanted));
      if (found.length === 0 && wanted !== 'all')
        throw new OkaError('usage', `there is no session "${wanted}"`, {
          fix: 'See which there are: oka web sessions',
        });
      if (found.length > 1 && wanted !== 'all')
        throw new OkaError('usage', `${found.length} sessions begin with "${wanted}"`);
      return answer({ revoked: found.filter(({ id }) => access.end(id)).map(({ id }) => id.slice(0, 8)) });
    },
    render: ({ revoked }) => `Ended ${count(revoked.length, 'session')}.\n`,
  }),
};

async function serve(call: ServeCall): Promise<number> {
  const { home, options, signal, emit, notify } = call;
  await requireHome(home);
  // Its own part alone: a mistake elsewhere in the file does not keep anybody from looking.
  const { web: settings } = await parseConfig(home, ConfigWithWeb);
  const host = options.host ?? '127.0.0.1';
  if (!isLoopback(host)) await allowEverywhere(call, host);
  await call.underSupervisor(signal, async (stop) => {
    const { startWeb } = await import('../web/web-server.ts');
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
  const { openAccess } = await import('../../kit/web/login/access.ts');
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
