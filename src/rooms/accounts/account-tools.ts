/** Owns: the list of the tools of accounts. */
import type { Home } from '../../core/schema/home.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';
import { loadAccounts } from './accounts-file.ts';
import { mailDraftTool } from './mail/mail-draft.ts';
import { type MailReading, mailReadTool } from './mail/mail-read.ts';
import { mailSendTool } from './mail/mail-send.ts';
import { mailSearchTool } from './mail/mail-search.ts';

export const TOOLS = ['mail.search', 'mail.read', 'mail.draft', 'mail.send'];

export const accountTools = (ports: MailReading): Tool[] => [
  mailSearchTool(ports),
  mailReadTool(ports),
  mailDraftTool(ports),
  mailSendTool(ports),
];

/** Names of the tools that a home has. */
export const toolsOfHome = (home: Home): string[] => (loadAccounts(home).accounts.size > 0 ? TOOLS : []);

/** For a simulation, where no account is asked. */
export const simulatedAccountTools = (home: Home): Tool[] =>
  toolsOfHome(home).length > 0 ? accountTools(unusedPorts) : [];
