/**
 * Owns: which tasks have a browser now. A task and everything that runs within it share one.
 *
 * S1 A browser begins with nothing and leaves nothing: its profile is made for it and goes with it.
 * S2 It ends with its task, after nobody has used it for a while, and with the worker. What was held is not sent.
 * S3 The proxy lets it connect to a host once a request to that host may go (request-gate.ts), and to no other.
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
  return {
    find: (call) => ready.get(taskOf(call.run)) ?? null,
    open: async (call, program) => {
      const task = taskOf(call.run);
      await (isSwept ??= sweep(state));
      const slot = slots.get(task) ?? start(task, call, program);
      const session = await slot.session;
      session.usedAt = performance.now();
      return session;
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
      (opened) => ready.set(task, opened),
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
    const grant = await egress.grant({ run, call: null, hosts, servers }, LONGEST_MS);
    const proxy = new URL(grant.env['HTTPS_PROXY'] ?? `http://${grant.address}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const browser = await openBrowser({
      program,
      folder,
      launcher: browserLauncher(state, folder),
      proxy,
      allow: (url) => remember(hosts, url),
    });
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const close = async (): Promise<void> => {
      await browser.close();
      grant[Symbol.dispose]();
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
