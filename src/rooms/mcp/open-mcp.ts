/**
 * Owns: the tools of MCP servers while a process owns the pen: those that were accepted are in the registry, and follow what
 * people change in mcp.json and accept.
 */
import { mcpClass } from '../../core/guard/mcp-class.ts';
import type { ChangingTools } from '../../core/engine/tool-registry.ts';
import type { SideEffectClass } from '../../core/schema/effect.ts';
import { stampOf } from '../../core/ledger/disk.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { LiveSteps } from '../../core/schema/live-port.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { OpenedRoom } from '../../core/schema/room.ts';
import type { Tool, ToolCall } from '../../core/schema/tool.ts';
import { createMcpTool } from './client/mcp-tool.ts';
import type { HomeVault } from '../../kit/vault/home-vault.ts';
import type { LoadedPolicy } from '../../kit/policy/policy-file.ts';
import type { Sandbox } from '../../kit/sandbox/sandbox.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import type { OnDurable, Runs } from '../../kit/ports/port-types.ts';
import { acceptedServers } from './accepted-tools.ts';
import { loadServers, mcpFile } from './mcp-file.ts';
import { allowAlways, pinStamp } from './mcp-pins.ts';
import { openPool } from './server-pool.ts';
import { mayPassOn } from './server-rights.ts';
import { revealForServer } from './server-secrets.ts';
import { storedLogins } from './stored-logins.ts';

type McpPorts = {
  home: Home;
  policy: () => LoadedPolicy;
  vault: Pick<HomeVault, 'find'>;
  sandbox: Sandbox;
  egress: EgressRoutes;
  artifacts: ArtifactStore;
  tools: ChangingTools;
  runs: Pick<Runs, 'eventsOf'>;
  live: LiveSteps;
  onDurable: OnDurable;
};

export function openMcp(ports: McpPorts): OpenedRoom {
  const { home, policy, vault, sandbox, egress, artifacts, tools, runs, live, onDurable } = ports;
  const reveal = revealForServer((name) => vault.find(name));
  const answersFor = (call: ToolCall): Promise<ReadonlyMap<string, string>> => answersToQuestions(runs, call);
  const logins = storedLogins(home, (name) => vault.find(name));
  const connecting = { home, sandbox, egress: egress.steps, reveal, logins, clock: Date.now };
  const pool = openPool({ ...connecting, artifacts, live, answersFor });
  let stamp = '';
  let current = new Map<string, Tool>();
  const refresh = (): Promise<void> => {
    const now = stampsOf(home);
    if (now === stamp) return Promise.resolve();
    stamp = now;
    const accepted = acceptedServers(home);
    pool.update(accepted.servers);
    const passesOn = (server: string): boolean => mayPassOn(accepted.servers.get(server));
    const classOf = (tool: string): SideEffectClass => mcpClass(policy().policy, tool, accepted.reads);
    const toolPorts = { classOf, passesOn, allowed: accepted.allowed, call: pool.call };
    const wanted = accepted.tools.map(({ server, tool }) => createMcpTool(server, tool, toolPorts));
    tools.remove([...current.keys()]);
    tools.add(wanted);
    current = new Map(wanted.map((tool) => [tool.name, tool]));
    return Promise.resolve();
  };
  void refresh();
  const leave = onDurable((events) => {
    if (rememberAlways(events, home)) void refresh();
  });
  return {
    refresh,
    close: () => {
      leave();
      return pool.close();
    },
  };
}

/** What a person answered about every call of a tool is stored with what they accepted, before the run goes on. */
function rememberAlways(events: readonly Event[], home: Home): boolean {
  const said = events.flatMap(({ type, at, data }) =>
    type === 'wait.closed' && data.answer.always_for_tool !== undefined ? [{ at, answer: data.answer }] : [],
  );
  for (const { at, answer } of said) {
    const [, server, tool] = /^mcp\.([^.]+)\.(.+)$/.exec(answer.always_for_tool ?? '') ?? [];
    if (server !== undefined && tool !== undefined)
      allowAlways(home, server, { tool, by: answer.by ?? 'somebody', at });
  }
  return said.length > 0;
}

/** Changes when anything has that decides which tools there are. */
function stampsOf(home: Home): string {
  const file = stampOf(mcpFile(home));
  return [file, ...[...loadServers(home).servers.keys()].map((name) => pinStamp(home, name))].join('\n');
}

/** What people answered to questions that this step's calls have raised. */
async function answersToQuestions(
  runs: Pick<Runs, 'eventsOf'>,
  { run, node, attempt }: ToolCall,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  if (attempt === 1) return answers; // nothing was asked before
  const asked = new Map<string, string>();
  for (const { type, data } of await runs.eventsOf(run)) {
    if (type === 'wait.opened' && data.node === node && data.for.kind === 'question' && data.for.repeat === true)
      asked.set(data.wait, data.for.text);
    const text = type === 'wait.closed' ? asked.get(data.wait) : undefined;
    if (type === 'wait.closed' && text !== undefined && data.answer.verdict === 'answered')
      answers.set(text, data.answer.text ?? '');
  }
  return answers;
}
