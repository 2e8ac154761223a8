/** Owns: the list of the tools of accounts. */
import type { Home } from '../../core/schema/home.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';
import type { Account } from './account-settings.ts';
import { loadAccounts } from './accounts-file.ts';
import { calendarChangeTools } from './calendar/calendar-changes.ts';
import { calendarFreeTool } from './calendar/calendar-free.ts';
import { calendarListTool } from './calendar/calendar-list.ts';
import type { CalendarWriting } from './calendar/change-event.ts';
import { mailDraftTool } from './mail/mail-draft.ts';
import { type MailReading, mailReadTool } from './mail/mail-read.ts';
import { mailSendTool } from './mail/mail-send.ts';
import { mailSearchTool } from './mail/mail-search.ts';

const MAIL_TOOLS = ['mail.search', 'mail.read', 'mail.draft', 'mail.send'];
const CALENDAR_TOOLS = ['calendar.list', 'calendar.free', 'calendar.add', 'calendar.change', 'calendar.remove'];
export const TOOLS = [...MAIL_TOOLS, ...CALENDAR_TOOLS];

/** Of calendars only where an account has some. */
export const accountTools = (ports: MailReading & CalendarWriting, accounts: ReadonlyMap<string, Account>): Tool[] => [
  ...(accounts.size === 0
    ? []
    : [mailSearchTool, mailReadTool, mailDraftTool, mailSendTool].map((make) => make(ports))),
  ...(hasCalendar(accounts) ? [calendarListTool(ports), calendarFreeTool(ports), ...calendarChangeTools(ports)] : []),
];

const hasCalendar = (accounts: ReadonlyMap<string, Account>): boolean =>
  [...accounts.values()].some(({ caldav }) => caldav !== undefined);

/** Names of the tools that a home has. */
export function toolsOfHome(home: Home): string[] {
  const { accounts } = loadAccounts(home);
  return [...(accounts.size > 0 ? MAIL_TOOLS : []), ...(hasCalendar(accounts) ? CALENDAR_TOOLS : [])];
}

/** For a simulation, where no account is asked. */
export const simulatedAccountTools = (home: Home): Tool[] => accountTools(unusedPorts, loadAccounts(home).accounts);
