/**
 * Owns: the sandbox of each command: the rights of its class, egress if it may have that, and a scratch folder.
 * Does not own: which rights those are (core/guard/command-rights.ts), which hosts it reaches (the policy, through the proxy).
 */
import { join } from 'node:path';
import { confinementFor, rightsOf } from '../../core/guard/command-rights.ts';
import type { Command } from '../../core/schema/command.ts';
import type { Event } from '../../core/schema/event.ts';
import type { OpenFolder } from '../../core/schema/folder.ts';
import type { SideEffectClass } from '../../core/schema/effect.ts';
import { runsCommand, type ToolCall } from '../../core/schema/tool.ts';
import type { CommandSandbox, SandboxRequest, StepTerms } from './command-sandbox.ts';
import type { Grant } from '../egress/open-egress.ts';
import { type SandboxLaunch } from './sandbox-launch.ts';
import { type KernelSupport, probeKernel } from './probe-kernel.ts';
import { noteSupport, unsandboxedWarning } from './sandbox-warning.ts';
import { createScratch, placesOf, removeScratch } from './sandbox-places.ts';
import { sandboxServer, type ServerRequest, type ServerSandbox } from './sandbox-server.ts';
import { importsFrom } from './imports.ts';
import { callLockFile } from './call-locks.ts';
import { type DeskLock, markOf } from './desk-lock.ts';
import { launchEnvironment } from './launch-ticket.ts';
import { forgetWitness } from './launch-witness.ts';
import type { EgressAccess } from '../egress/egress-access.ts';
import { certificateFiles } from '../settings.ts';
import { deskFolder } from '../desk-folder.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Classifier } from '../policy/classifier.ts';
import { launcherPath, prepareLauncher } from './find-launcher.ts';
import { grantEgress, readTunnelSettings, registrySettings } from './sandbox-egress.ts';
import { barePath, NEUTRAL_GIT, OFFLINE, reachablePath } from './sandbox-environment.ts';

export type SandboxPorts = {
  home: Home;
  sandbox: 'jail' | 'none';
  classify: Classifier;
  egress: EgressAccess;
  /** Folders outside the desk that are open to this call now. */
  folders?: (call: ToolCall) => Promise<readonly OpenFolder[]>;
  /** The folders of the desk that this call may change; null for all of it. */
  placeOf?: (call: ToolCall) => Promise<readonly string[] | null>;
};

export const deskLockFile = (home: Home): string => join(home.oka, 'state', 'desk.lock');
export const callsFolder = (home: Home): string => join(home.oka, 'state', 'calls');

type InstallerRequest = {
  net: boolean;
  servers: readonly string[];
  readable: readonly string[];
  timeoutMs: number;
};

export type Sandbox = {
  forCommand: (call: ToolCall, command: Command, request: SandboxRequest) => Promise<CommandSandbox>;
  /** For a program of the installer, which alone writes the tools and reaches the registries. */
  forInstaller: (call: ToolCall, request: InstallerRequest) => Promise<CommandSandbox>;
  /** For an MCP server: it gets what its entry states, a folder for temporary files, and nothing of the desk. */
  forServer: (request: ServerRequest) => Promise<ServerSandbox>;
  /** For a program that only prints its version: it may run what was installed, and change nothing. */
  forVersionCheck: () => Promise<CommandSandbox>;
  hasLauncher: () => Promise<boolean>;
  /** Whether the kernel limits what the command of this call may change. */
  isConfined: (call: ToolCall) => Promise<boolean>;
  /** Identifies where the call is launched, so that recovery can check whether it began; null without a launcher. */
  environmentOf: (call: ToolCall) => Promise<string | null>;
  /** What a person should know before a command runs without a sandbox; null when every command is sandboxed. */
  warning: () => Promise<string | null>;
  /** Deletes the witness files of calls whose outcome is durable in the ledger. */
  forgetWitnesses: (durable: readonly Event[]) => void;
};

export function openSandbox(ports: SandboxPorts): Sandbox {
  let probed: Promise<KernelSupport> | null = null;
  const ask = async (): Promise<KernelSupport> =>
    noteSupport(ports.home, await probeKernel((await prepareLauncher()).path));
  const probe = (): Promise<KernelSupport> => (probed ??= ask());
  const witnessed = new Set<string>();
  return {
    async forCommand(call, command, request) {
      const sandbox = await sandboxCommand(ports, await probe(), call, command, request);
      if (sandbox.kind === 'ready') witnessed.add(call.call);
      return sandbox;
    },
    forInstaller: async (call, request) => sandboxInstaller(ports, await probe(), call, request),
    forServer: async (request) => sandboxServer(ports, await probe(), request),
    forVersionCheck: async () => sandboxVersionCheck(ports, await probe()),
    hasLauncher: async () => (await probe()).launcher,
    isConfined: async ({ author }) => confinementFor(await probe(), ports.sandbox, author).kind === 'jail',
    async environmentOf({ tool }) {
      const { launcher } = await probe();
      return launcher && runsCommand(tool) ? launchEnvironment(callsFolder(ports.home)) : null;
    },
    warning: async () => unsandboxedWarning(await probe(), ports.sandbox),
    forgetWitnesses(durable) {
      if (witnessed.size === 0) return;
      for (const event of durable)
        if (event.type === 'call.ended' && witnessed.delete(event.data.call))
          void forgetWitness(callsFolder(ports.home), event.data.call).catch(() => undefined); // removed at the next start
    },
  };
}

/** It was promised that the command sends nothing. */
const NEVER_OFFLINE =
  'commands on this machine run without a sandbox, where nothing can take the network from them, and this one must not have it';

async function sandboxCommand(
  ports: SandboxPorts,
  support: KernelSupport,
  call: ToolCall,
  command: Command,
  request: SandboxRequest,
): Promise<CommandSandbox> {
  const confinement = confinementFor(support, ports.sandbox, call.author);
  if (confinement.kind === 'refused') return confinement;
  const isConfined = confinement.kind === 'jail';
  if (request.isOffline === true && !isConfined) return { kind: 'refused', reason: NEVER_OFFLINE };
  const grant = await grantEgress(ports, call, command, request);
  const scratch = call.class === 'read' && !support.seccomp ? null : createScratch(ports.home);
  const open = isConfined ? ((await ports.folders?.(call)) ?? []) : [];
  const isTrial = call.trial === true;
  const folders = isTrial ? open.map((folder) => ({ ...folder, access: 'read' as const })) : open;
  const place = isTrial ? [] : call.class === 'read' ? null : ((await ports.placeOf?.(call)) ?? null);
  return toSandbox({
    env: {
      ...(isConfined ? { PATH: call.class === 'read' ? barePath(ports.home) : reachablePath(ports.home) } : {}),
      ...(grant === null ? OFFLINE : await registrySettings(ports.home)),
      ...(grant !== null && scratch !== null
        ? await readTunnelSettings(ports.home, call, scratch, grant, request)
        : {}),
      ...importsFrom(join(ports.home.oka, 'tools')),
      ...(call.class === 'read' || (call.author === 'model' && call.onlyHosts !== undefined) ? NEUTRAL_GIT : {}),
      ...homeIn(ports.home, place),
      ...grant?.env,
    },
    scratch,
    launch: isConfined
      ? confinedLaunch(ports, call, request, support, { grant, scratch, folders, place })
      : witnessedLaunch(ports, call, support),
    grant,
  });
}

async function sandboxInstaller(
  ports: SandboxPorts,
  support: KernelSupport,
  { run, call }: ToolCall,
  { net, servers, readable, timeoutMs }: InstallerRequest,
): Promise<CommandSandbox> {
  const confinement = confinementFor(support, ports.sandbox, 'operator');
  if (confinement.kind === 'refused') return confinement;
  const grant = net ? await ports.egress.grant({ run, call, hosts: [], servers }, timeoutMs) : null;
  const scratch = createScratch(ports.home);
  const places = placesOf(ports.home, scratch);
  const step = { class: 'write_local', author: 'operator', net: grant?.address ?? null, installer: true } as const;
  const rights = confinement.kind === 'jail' ? rightsOf(step, places, support) : null;
  const launch =
    rights === null
      ? null
      : { launcher: launcherPath(), rights: { ...rights, read: [...rights.read, ...readable, ...certificateFiles()] } };
  return toSandbox({ env: grant?.env ?? {}, scratch, launch, grant });
}

async function sandboxVersionCheck(ports: SandboxPorts, support: KernelSupport): Promise<CommandSandbox> {
  const confinement = confinementFor(support, ports.sandbox, 'operator');
  if (confinement.kind === 'refused') return confinement;
  if (confinement.kind === 'none') return toSandbox({ env: {}, scratch: null, launch: null, grant: null });
  const places = placesOf(ports.home, null);
  const rights = rightsOf({ class: 'read', author: 'model', net: null, installer: false }, places, support);
  return toSandbox({
    env: { PATH: barePath(ports.home) },
    scratch: null,
    launch: { launcher: launcherPath(), rights: { ...rights, run: [...rights.run, places.tools] } },
    grant: null,
  });
}

type SandboxParts = {
  env: Readonly<Record<string, string>>;
  scratch: string | null;
  launch: SandboxLaunch | null;
  grant: Grant | null;
};

/** Disposing of the sandbox revokes its egress grant and removes its scratch folder. */
function toSandbox({ env, scratch, launch, grant }: SandboxParts): CommandSandbox {
  return {
    kind: 'ready',
    env,
    ...(scratch === null ? {} : { scratch }),
    ...(launch === null ? {} : { launch }),
    ...(grant === null ? {} : { refused: () => grant.refused() }),
    [Symbol.asyncDispose]: async () => {
      grant?.[Symbol.dispose]();
      if (scratch !== null) await removeScratch(scratch);
    },
  };
}

type Granted = {
  grant: Grant | null;
  scratch: string | null;
  folders: readonly OpenFolder[];
  place: readonly string[] | null;
};

function confinedLaunch(
  { home }: SandboxPorts,
  { class: effect, author, call, desk, trial }: ToolCall,
  { readable }: SandboxRequest,
  support: KernelSupport,
  { grant, scratch, folders, place }: Granted,
): SandboxLaunch {
  const places = placesOf(home, scratch, desk);
  const within = desk === undefined || trial ? place?.map((path) => join(places.desk, path)) : undefined;
  const step = { class: effect, author, net: grant?.address ?? null, installer: false, folders, place: within };
  const rights = rightsOf(step, places, support);
  return {
    launcher: launcherPath(),
    rights: { ...rights, read: [...rights.read, ...readable, ...(grant === null ? [] : certificateFiles())] },
    state: { folder: callsFolder(home), call },
    desk: deskLockFor(home, trial === true ? 'read' : effect, place === null ? null : call),
  };
}

/** `placed` is a call that may change a part of the desk only. */
function deskLockFor(home: Home, effect: SideEffectClass, placed: string | null): DeskLock {
  const mark = markOf(join(home.workspace, 'desk'));
  if (effect === 'read') return { file: null, mark };
  return { file: placed === null ? deskLockFile(home) : callLockFile(callsFolder(home), placed), mark };
}

/** Programs write to the home folder of their user, which is the desk, or the first folder that they may change. */
function homeIn(home: Home, place: readonly string[] | null): { HOME?: string } {
  const [first] = place ?? [];
  return first === undefined ? {} : { HOME: join(deskFolder(home), first) };
}

/** Without a sandbox, the launcher still ends leftover processes and witnesses the exit. */
function witnessedLaunch(
  { home }: SandboxPorts,
  { call, class: effect }: ToolCall,
  { launcher }: KernelSupport,
): SandboxLaunch | null {
  if (!launcher) return null;
  const state = { folder: callsFolder(home), call };
  return { launcher: launcherPath(), rights: null, state, desk: deskLockFor(home, effect, null) };
}

/** What the words of a command say that it does, whoever wrote them. */
export function judgeWith(classify: Classifier, desk: string) {
  return (command: Command, { dir, folders }: Omit<StepTerms, 'hasNet'>): SideEffectClass =>
    classify(command, folders, join(desk, dir)).class;
}

/** What a person fenced runs on the desk, whatever it contains; only network access has to be declared. */
export function classWith(classify: Classifier, desk: string) {
  return (command: Command, author: 'operator' | 'model', { hasNet, dir, folders }: StepTerms): SideEffectClass => {
    const found = classify(command, folders, join(desk, dir));
    if (author === 'model') return found.class;
    return found.class === 'external_mutation' && found.net && !hasNet ? 'external_mutation' : 'write_local';
  };
}
