/** Tools of accounts against servers of this machine, as a worker would have them. */
import type { AccessRoute } from '../../src/kit/egress/server-access.ts';
import { Account } from '../../src/rooms/accounts/account-settings.ts';
import { accountTools } from '../../src/rooms/accounts/account-tools.ts';
import { openCalendars } from '../../src/rooms/accounts/calendar/open-calendars.ts';
import { openMailboxes } from '../../src/rooms/accounts/open-mailboxes.ts';
import { readConfined } from '../../src/kit/sandbox/read-confined.ts';
import type { Credential } from '../../src/core/schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../../src/core/schema/tool.ts';
import type { CalendarServer } from './calendar-server.ts';
import type { MailServers } from './mail-servers.ts';

export type TriedAccounts = Disposable & {
  /** Calls a tool; gives its output, and throws its error. */
  ask: <T = unknown>(tool: string, input: object) => Promise<T>;
  outcome: (tool: string, input: object, signal?: AbortSignal, name?: string) => Promise<Outcome>;
  tool: (name: string) => Tool;
};

export const accountAt = (servers: MailServers, more: object = {}): Account =>
  Account.parse({
    address: 'ann@home.test',
    imap: {
      host: '127.0.0.1',
      port: servers.imapsPort,
      user: 'ann',
      password: 'secret:MAIL_WORK',
      certificate: servers.fingerprint,
    },
    smtp: {
      host: '127.0.0.1',
      port: servers.smtpPort,
      security: 'starttls',
      user: 'ann',
      password: 'secret:MAIL_WORK',
      certificate: servers.fingerprint,
    },
    ...more,
  });

/** With no mail that could be reached. */
export const calendarAccount = (server: CalendarServer, more: object = {}): Account =>
  Account.parse({
    address: 'ann@home.test',
    imap: { host: '127.0.0.1', port: 1, user: 'ann', password: 'secret:MAIL_WORK' },
    caldav: { url: server.url, user: server.user, password: 'secret:MAIL_WORK', certificate: server.fingerprint },
    ...more,
  });

export function tryAccounts(settings: Readonly<Record<string, Account>>, password: string): TriedAccounts {
  const credential = { value: password, tools: ['accounts.work', 'accounts.home'], hosts: ['127.0.0.1'] };
  const route: AccessRoute = {
    find: () => Promise.resolve(credential as unknown as Credential),
    proxyFor: () => Promise.resolve(null),
  };
  const mailboxes = openMailboxes(route);
  const accounts = new Map(Object.entries(settings));
  const calendars = openCalendars(route);
  const kept = new Map<string, string>();
  const former = {
    keep: (mark: string, ics: string) => void kept.set(mark, ics),
    find: (mark: string) => kept.get(mark) ?? null,
  };
  const ports = { accounts: () => accounts, mailboxes, calendars, former, readDocument: readConfined };
  const tools = accountTools(ports, accounts);
  let calls = 0;
  const toolNamed = (name: string): Tool => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool;
  };
  const outcome: TriedAccounts['outcome'] = async (
    name,
    input,
    signal = AbortSignal.timeout(60_000),
    called = `c${(calls += 1)}`,
  ) => {
    const tool = toolNamed(name);
    const done = await tool.invoke(input as never, { tool: name, run: 'r', call: called, signal } as ToolCall);
    if (done.status === 'ok') tool.output.parse(done.output);
    return done;
  };
  return {
    outcome,
    tool: toolNamed,
    ask: async <T>(name: string, input: object): Promise<T> => {
      const done = await outcome(name, input);
      if (done.status === 'ok') return done.output as T;
      throw new Error('error' in done ? done.error : done.status);
    },
    [Symbol.dispose]: () => mailboxes.close(),
  };
}
