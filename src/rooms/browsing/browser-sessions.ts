/**
 * Owns: which tasks have a browser now. A task and everything that runs within it share one.
 *
 * S1 A browser begins with nothing and leaves nothing: its profile is made for it and goes with it.
 * S2 It ends with its task, after nobody has used it for a while, and with the worker. What was held is not sent.
 * S3 The proxy lets it connect to a host once a request to that host may go (request-gate.ts), and to no other.
 * S4 While something that was entered is not sent, the proxy connects it to nothing but what a person has sent. Nothing else
 *    could stop what the browser does past its pages, or pages that tell something by ending what is under way.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserConfig } from '../../core/schema/browser.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ToolCall } from '../../core/schema/tool.ts';
import type { EgressAccess } from '../../kit/egress/egress-access.ts';
import { browserLauncher, endLeftBrowsers } from '../../kit/sandbox/sandbox-browser.ts';
import { BrowserSession } from './browser-session.ts';
import { openBrowser } from './open-browser.ts';

type SessionPorts = { home: Home; egress: EgressAccess; settings: BrowserConfig };

export type Sessions = {
  /** The browser of the task of this call; null where it has none. */
  find: (call: ToolCall) => BrowserSession | null;
  /** Starts one where there is none. */
  open: (call: ToolCall, program: string) => Promise<BrowserSession>;
  /** Ends the one there is, with all that its pages know, and starts another. */
  renew: (call: ToolCall, program: string) => Promise<BrowserSession>;
  /** The addresses that a person has opened, which may be of the own network. */
  allowMachine: (call: ToolCall, host: string) => void;
  endTask: (run: string) => Promise<void>;
  closeIdle: () => Promise<void>;
  close: () => Promise<void>;
};

type Slot = { session: Promise<BrowserSession>; hosts: string[]; servers: string[] };

const LONGEST_MS = 7 * 86_400_000;

export function openSessions({ home, egress, settings }: SessionPorts): Sessions {
  const state = join(home.oka, 'state', 'browser');
  const slots = new Map<string, Slot>();
  const ready = new Map<string, BrowserSession>();
  let isSwept: Promise<void> | null = null;
  const open: Sessions['open'] = async (call, program) => {
    const task = taskOf(call.run);
    await (isSwept ??= sweep(state));
    const slot = slots.get(task) ?? start(task, call, program);
    const session = await slot.session;
    session.usedAt = performance.now();
    return session;
  };
  return {
    find: (call) => ready.get(taskOf(call.run)) ?? null,
    open,
    renew: async (call, program) => {
      await end(taskOf(call.run));
      return open(call, program);
    },
    allowMachine: (call, host) => {
      slots.get(taskOf(call.run))?.servers.push(host);
    },
    endTask: (run) => end(run),
    closeIdle: async () => {
      const before = performance.now() - settings.idle_minutes * 60_000;
      for (const [task, session] of ready) if (session.usedAt < before) await end(task);
    },
    close: async () => {
      await Promise.all([...slots.keys()].map(end));
    },
  };

  function start(task: string, call: ToolCall, program: string): Slot {
    const [hosts, servers]: [string[], string[]] = [[], []];
    const session = launch(task, call, { program, hosts, servers });
    const slot = { session, hosts, servers };
    slots.set(task, slot);
    session.then(
      (opened) => {
        ready.set(task, opened);
        opened.ended(() => slots.get(task) === slot && void end(task));
      },
      () => slots.delete(task),
    );
    return slot;
  }

  async function launch(
    task: string,
    { run }: ToolCall,
    { program, hosts, servers }: { program: string; hosts: string[]; servers: string[] },
  ): Promise<BrowserSession> {
    const folder = join(state, task.replaceAll(/[^\w.-]/g, '_'));
    const ticket = await openTicket({ run, call: null, hosts, servers }, egress);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const browser = await openBrowser({
      program,
      folder,
      launcher: browserLauncher(state, folder),
      proxy: ticket.proxy,
      shut: ticket.renew,
      allow: (url) => remember(hosts, url),
    });
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const close = async (): Promise<void> => {
      ticket.end(); // first, since a page may want to send something as it ends
      await browser.close();
    };
    return new BrowserSession({ ...browser, close }, page);
  }

  async function end(task: string): Promise<void> {
    const slot = slots.get(task);
    slots.delete(task);
    ready.delete(task);
    await (await slot?.session.catch(() => null))?.close(); // it never started
  }
}

type Holder = { run: string; call: null; hosts: string[]; servers: string[] };
type BrowserTicket = { proxy: () => URL; renew: () => Promise<void>; end: () => void };

/** What a browser may use the proxy with. When it is renewed, no host is open any more, and what was connected is cut (S4). */
async function openTicket(holder: Holder, egress: EgressAccess): Promise<BrowserTicket> {
  let grant = await egress.grant(holder, LONGEST_MS);
  return {
    proxy: () => new URL(grant.env['HTTPS_PROXY'] ?? `http://${grant.address}`),
    renew: async () => {
      if (holder.hosts.length + holder.servers.length === 0) return;
      holder.hosts.splice(0);
      holder.servers.splice(0);
      grant[Symbol.dispose]();
      grant = await egress.grant(holder, LONGEST_MS);
    },
    end: () => grant[Symbol.dispose](),
  };
}

/** Runs inside a run begin with its name. */
const taskOf = (run: string): string => run.split('.')[0] ?? run;

function remember(hosts: string[], { hostname, port, protocol }: URL): void {
  const host = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  if (!hosts.includes(host)) hosts.push(host);
}

/** What a process that was killed has left. */
async function sweep(state: string): Promise<void> {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  await endLeftBrowsers(state);
  for (const name of readdirSync(state)) rmSync(join(state, name), { recursive: true, force: true });
}
