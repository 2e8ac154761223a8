/**
 * Owns: the calendars of accounts, for as long as a process uses them.
 *
 * K1 A calendar that the account does not show is not asked, whoever names it.
 * K2 Nothing is written to a calendar that the account does not let oka change.
 * K3 Nothing is loaded and nobody is asked before a call needs it.
 */
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type AccessRoute, serverAccess } from '../../../kit/egress/server-access.ts';
import type { Account, CalendarServer } from '../account-settings.ts';
import type { Calendar, CalendarObject, StoredObject, Written } from './caldav-client.ts';
import { calendarFetch, type CalendarRoute } from './calendar-fetch.ts';

/** The calendars of an account, for one call. */
export type OpenCalendars = {
  account: string;
  settings: Account;
  /** Those that there are, and of these what oka may see. */
  all: readonly Calendar[];
  calendars: readonly Calendar[];
  objects: (calendar: Calendar, span: { from: number; to: number }) => Promise<CalendarObject[]>;
  /** As functions of caldav-client.ts; an object is named by the last part of its address. */
  read: (calendar: Calendar, object: string) => Promise<StoredObject | null>;
  write: (calendar: Calendar, object: string, ics: string, before: string | null) => Promise<Written>;
  remove: (calendar: Calendar, object: string, before: string) => Promise<Written>;
  sendsInvitations: (calendar: Calendar) => Promise<boolean>;
};

export type Calendars = {
  /** What the server refuses is thrown in its own words. */
  use<T>(account: string, settings: Account, signal: AbortSignal, act: (open: OpenCalendars) => Promise<T>): Promise<T>;
};

/** How long the list of calendars counts. */
const KEEP_MS = 60_000;

type Listed = { stamp: string; all: Calendar[]; until: number };

export function openCalendars(route: AccessRoute): Calendars {
  const routes = new Map<string, CalendarRoute>();
  const lists = new Map<string, Listed>();
  const routeOf = (account: string): CalendarRoute => {
    const owner = { tool: `accounts.${account}`, called: `the account ${account}` };
    const found = routes.get(account) ?? serverAccess(owner, route);
    routes.set(account, found);
    return found;
  };
  return {
    use: async (account, settings, signal, act) => {
      signal.throwIfAborted();
      const { caldav } = settings;
      if (caldav === undefined) throw withoutCalendar(account);
      const fetch = calendarFetch(account, caldav, routeOf(account), signal);
      const client = await import('./caldav-client.ts');
      const list = async (): Promise<Calendar[]> => {
        const stamp = JSON.stringify(caldav);
        const held = lists.get(account);
        if (held?.stamp === stamp && held.until > performance.now()) return held.all;
        const all = await client.listCalendars(caldav.url, fetch);
        lists.set(account, { stamp, all, until: performance.now() + KEEP_MS });
        return all;
      };
      const asking = async <T>(ask: () => Promise<T>): Promise<T> => {
        try {
          return await ask();
        } catch (error) {
          signal.throwIfAborted();
          throw error instanceof OkaError ? error : notReached(account, caldav, error);
        }
      };
      const all = await asking(list);
      return act({
        account,
        settings,
        all,
        calendars: all.filter((each) => isAmong(each, settings.see.calendars)),
        objects: (calendar, span) => asking(() => client.objectsWithin(calendar, span, fetch)),
        read: (calendar, object) => asking(() => client.readObject(addressIn(calendar, object), fetch)),
        write: (calendar, object, ics, before) => {
          assertMayChange(account, settings, calendar);
          return asking(() => client.writeObject(addressIn(calendar, object), ics, before, fetch));
        },
        remove: (calendar, object, before) => {
          assertMayChange(account, settings, calendar);
          return asking(() => client.removeObject(addressIn(calendar, object), before, fetch));
        },
        sendsInvitations: (calendar) => asking(() => client.sendsInvitations(calendar.url, fetch)),
      });
    },
  };
}

const isAmong = (calendar: Calendar, names: readonly string[]): boolean =>
  names.some((name) => name === '*' || isCalled(calendar, name));

export function assertMayChange(account: string, { see, change }: Account, calendar: Calendar): void {
  if (isAmong(calendar, see.calendars) && isAmong(calendar, change.calendars)) return;
  const names = JSON.stringify([...change.calendars, calendar.name]);
  throw new OkaError('not-permitted', `oka may not change the calendar ${calendar.name} of the account ${account}`, {
    fix: `A person can allow it: "change": { "calendars": ${names} } of this account in .oka/rules/accounts.json`,
  });
}

/** Of an object in it, and of nothing else, whatever it is called. */
function addressIn({ name, url }: Calendar, object: string): string {
  const at = new URL(object, url.endsWith('/') ? url : `${url}/`);
  if (isPlainName(object) && at.pathname.endsWith(`/${object}`)) return at.href;
  throw new OkaError('usage', `"${object.slice(0, 200)}" is nothing in the calendar ${name}`, {
    fix: 'Find the event first: calendar.list.',
  });
}

/** Servers also take `..%2F` as the way to another calendar. */
function isPlainName(object: string): boolean {
  try {
    return !/^\.*$|[/\\?#\p{Cc}]/u.test(decodeURIComponent(object));
  } catch {
    return false; // it is no part of an address
  }
}

/** Whether words name this calendar: as people call it, or as its address does. */
export const isCalled = ({ id, name }: Calendar, words: string): boolean => name === words || id === words;

export const withoutCalendar = (account: string): OkaError =>
  new OkaError('usage', `the account ${account} has no calendar`, {
    fix: 'A person can give it one: "caldav" of this account in .oka/rules/accounts.json.',
  });

function notReached(account: string, { url, password }: CalendarServer, error: unknown): OkaError {
  const { host, hostname } = new URL(url);
  const isLogin = (error as { status?: number }).status === 401;
  const what = isLogin ? 'refuses the login' : 'cannot be used';
  return new OkaError(
    'account-down',
    `the calendar server ${host} ${what} for the account ${account}: ${messageOf(error).replace(/\.+$/, '')}`,
    {
      fix: isLogin
        ? `Many providers want a password for programs (app password). A person can set it: oka secrets set ${(password ?? 'NAME').replace('secret:', '')} --tool accounts.${account} --host ${hostname}`
        : `A person can try it: oka accounts test ${account}`,
      cause: error,
    },
  );
}
