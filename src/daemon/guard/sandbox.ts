/**
 * Owns: with what a command is held: the rights of its class in the jail, a way out if it may have one, a scratch folder.
 * Does not own: which rights those are (guard/command-rights.ts), which hosts the way out leads to (the policy, by the proxy).
 */
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { confinementFor, pathWithin, type Places, rightsOf } from '../../guard/command-rights.ts';
import type { Classified, Command } from '../../schema/command.ts';
import type { Event } from '../../schema/event.ts';
import type { SideEffectClass } from '../../schema/effect.ts';
import type { ToolCall } from '../../schema/tool.ts';
import type { CommandSandbox, SandboxRequest } from '../../tools/builtin/shell.ts';
import type { Grant } from '../../tools/egress/open-egress.ts';
import { type SandboxLaunch, type KernelSupport, probeKernel } from '../../tools/sandbox-launch.ts';
import { resolvePlaces, programFolders } from '../../tools/sandbox-places.ts';
import { importsFrom } from '../../tools/deps/imports.ts';
import { shimFolder } from '../../tools/deps/shims.ts';
import { launchEnvironment } from '../../tools/launch-ticket.ts';
import { forgetWitness } from '../../tools/launch-witness.ts';
import type { EgressAccess } from '../network/egress-access.ts';
import { npmGlobalConfig } from '../network/npm-config.ts';
import { certificateFiles, commandEnvironment, programFolder } from '../settings.ts';
import type { Home } from '../../schema/home.ts';

export type SandboxPorts = {
  home: Home;
  sandbox: 'jail' | 'none';
  classify: (command: Command) => Classified;
  egress: EgressAccess;
};

export const launcherPath = join(programFolder, 'native', 'oka-launch');
export const callsFolder = (home: Home): string => join(home.oka, 'state', 'calls');

export type Sandbox = {
  forCommand: (call: ToolCall, command: Command, wants: SandboxRequest) => Promise<CommandSandbox>;
  /** For a program of the installer, which alone writes the tools and reaches the registries. */
  forInstaller: (
    call: ToolCall,
    wants: { net: boolean; servers: readonly string[]; readable: readonly string[]; timeoutMs: number },
  ) => Promise<CommandSandbox>;
  /** For a program that is only asked what it is: it may run what was installed, and change nothing. */
  forVersionCheck: () => Promise<CommandSandbox>;
  /** By what it can be known later whether a command began; null when no launcher would see it. */
  environmentOf: (call: ToolCall) => Promise<string | null>;
  /** What the ledger has needs no witness any more. */
  forgetWitnesses: (durable: readonly Event[]) => void;
};

export function openSandbox(ports: SandboxPorts): Sandbox {
  let asked: Promise<KernelSupport> | null = null;
  const witnessed = new Set<string>();
  return { forCommand, forInstaller, forVersionCheck, environmentOf, forgetWitnesses };

  async function environmentOf({ tool }: ToolCall): Promise<string | null> {
    const { launcher } = await (asked ??= probeKernel(launcherPath));
    return launcher && tool === 'shell' ? launchEnvironment(callsFolder(ports.home)) : null;
  }

  function forgetWitnesses(durable: readonly Event[]): void {
    if (witnessed.size === 0) return;
    for (const event of durable)
      if (event.type === 'call.ended' && witnessed.delete(event.data.call))
        void forgetWitness(callsFolder(ports.home), event.data.call).catch(() => undefined); // tidied up at the next start
  }

  async function forCommand(call: ToolCall, command: Command, wants: SandboxRequest): Promise<CommandSandbox> {
    const offer = await (asked ??= probeKernel(launcherPath));
    const held = confinementFor(offer, ports.sandbox, call.author);
    if (held.kind === 'refused') return held;
    witnessed.add(call.call);
    const way = await wayFor(ports, call, command, wants);
    const globalconfig = way === null ? null : await npmGlobalConfig(ports.home);
    const scratch = call.class === 'read' && !offer.seccomp ? null : await scratchIn(ports.home);
    const jail =
      held.kind === 'jail' ? await jailFor(ports, call, wants, offer, way, scratch) : openJail(ports, call, offer);
    return {
      kind: 'held',
      env: {
        ...(held.kind === 'jail'
          ? { PATH: call.class === 'read' ? barePath(ports.home) : reachablePath(ports.home) }
          : {}),
        ...(way === null ? OFFLINE : {}),
        ...(globalconfig === null ? {} : { npm_config_globalconfig: globalconfig }),
        ...importsFrom(join(ports.home.oka, 'tools')),
        ...(call.class === 'read' ? NEUTRAL_GIT : {}),
        ...way?.env,
      },
      ...(scratch === null ? {} : { scratch }),
      ...(jail === null ? {} : { jail }),
      [Symbol.asyncDispose]: async () => {
        way?.[Symbol.dispose]();
        if (scratch !== null) await rm(scratch, { recursive: true, force: true });
      },
    };
  }

  async function forInstaller(
    { run, call }: ToolCall,
    { net, servers, readable, timeoutMs }: Parameters<Sandbox['forInstaller']>[1],
  ): Promise<CommandSandbox> {
    const offer = await (asked ??= probeKernel(launcherPath));
    const held = confinementFor(offer, ports.sandbox, 'operator');
    if (held.kind === 'refused') return held;
    const way = net ? await ports.egress.grant({ run, call, hosts: [], servers }, timeoutMs) : null;
    const scratch = await scratchIn(ports.home);
    const places = await placesOf(ports.home, scratch);
    const step = { class: 'write_local', author: 'operator', net: way?.address ?? null, installer: true } as const;
    const rights = held.kind === 'jail' ? rightsOf(step, places, offer) : null;
    const jail =
      rights === null
        ? null
        : { launcher: launcherPath, rights: { ...rights, read: [...rights.read, ...readable, ...certificateFiles()] } };
    return {
      kind: 'held',
      env: way?.env ?? {},
      scratch,
      ...(jail === null ? {} : { jail }),
      [Symbol.asyncDispose]: async () => {
        way?.[Symbol.dispose]();
        await rm(scratch, { recursive: true, force: true });
      },
    };
  }

  async function forVersionCheck(): Promise<CommandSandbox> {
    const offer = await (asked ??= probeKernel(launcherPath));
    const held = confinementFor(offer, ports.sandbox, 'operator');
    if (held.kind === 'refused') return held;
    const places = await placesOf(ports.home, null);
    const rights = rightsOf({ class: 'read', author: 'model', net: null, installer: false }, places, offer);
    const jail = { launcher: launcherPath, rights: { ...rights, run: [...rights.run, places.tools] } };
    return {
      kind: 'held',
      env: held.kind === 'jail' ? { PATH: barePath(ports.home) } : {},
      ...(held.kind === 'jail' ? { jail } : {}),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
}

/** Whoever has no network need not try again. */
const OFFLINE: Readonly<Record<string, string>> = { npm_config_fetch_retries: '0' };

/** A repository on the desk may name programs for git to run; a read runs none of them. */
const NEUTRAL_GIT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  ...gitConfig({
    'core.fsmonitor': 'false',
    'core.hooksPath': '/dev/null',
    'core.pager': 'cat',
    'credential.helper': '',
    'protocol.ext.allow': 'never',
    'safe.directory': '*',
  }),
};

function gitConfig(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(entries.length)],
    ...entries.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]) as Record<string, string>;
}

/** An operator's command gets out if the task says so or a person allowed it; a model's if it was judged as one that does. */
async function wayFor(
  { egress, classify }: SandboxPorts,
  { author, run, call, approval }: ToolCall,
  command: Command,
  { net, timeoutMs }: SandboxRequest,
): Promise<Grant | null> {
  if (author === 'operator' && net !== false)
    return egress.grant({ run, call, hosts: net === true ? [] : [...net] }, timeoutMs);
  const isAllowed = author === 'model' || approval !== null;
  const found = classify(command);
  if (!isAllowed || !found.net) return null;
  return egress.grant({ run, call, hosts: approval === null ? [] : [...found.hosts] }, timeoutMs);
}

async function jailFor(
  { home }: SandboxPorts,
  { class: effect, author, call }: ToolCall,
  { readable }: SandboxRequest,
  offer: KernelSupport,
  way: Grant | null,
  scratch: string | null,
): Promise<SandboxLaunch> {
  const places = await placesOf(home, scratch);
  const rights = rightsOf({ class: effect, author, net: way?.address ?? null, installer: false }, places, offer);
  return {
    launcher: launcherPath,
    rights: { ...rights, read: [...rights.read, ...readable, ...(way === null ? [] : certificateFiles())] },
    state: { folder: callsFolder(home), call },
  };
}

/** PATH of a command that runs nothing which was installed, and of whoever wants to know what there really is. */
export function barePath(home: Home): string {
  const shims = shimFolder(join(home.oka, 'tools'));
  return reachablePath(home)
    .split(':')
    .filter((folder) => folder !== shims)
    .join(':');
}

/** PATH of a command in the jail. */
export function reachablePath(home: Home): string {
  const { PATH = '' } = commandEnvironment(home);
  const { oka } = home;
  return pathWithin(PATH, { oka, tools: join(oka, 'tools'), programs: programFolders(process.execPath) });
}

/** Nothing is held, but what is left over is ended, and somebody sees how it ended. */
function openJail({ home }: SandboxPorts, { call }: ToolCall, { launcher }: KernelSupport): SandboxLaunch | null {
  return launcher ? { launcher: launcherPath, rights: null, state: { folder: callsFolder(home), call } } : null;
}

async function placesOf(home: Home, scratch: string | null): Promise<Places> {
  const desk = join(home.workspace, 'desk');
  return resolvePlaces({ oka: home.oka, desk, scratch, tools: join(home.oka, 'tools') });
}

async function scratchIn(home: Home): Promise<string> {
  const folder = join(realpathSync(home.oka), 'scratch');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return mkdtemp(join(folder, 'call-'));
}

/** What a person fenced runs on the desk, whatever it looks like; only leaving the machine has to be said. */
export function classWith(classify: (command: Command) => Classified) {
  return (command: Command, author: 'operator' | 'model', hasNet: boolean): SideEffectClass => {
    const found = classify(command);
    if (author === 'model') return found.class;
    return found.class === 'external_mutation' && found.net && !hasNet ? 'external_mutation' : 'write_local';
  };
}
