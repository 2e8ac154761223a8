/** Owns: whether a command in the sandbox has egress, to which hosts, and the settings that make its programs use it. */
import { splitApprovedHosts } from '../../core/guard/approved-hosts.ts';
import type { Command } from '../../core/schema/command.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ToolCall } from '../../core/schema/tool.ts';
import type { SandboxRequest } from './command-sandbox.ts';
import { readDeskPackages } from '../egress/desk-packages.ts';
import type { Grant } from '../egress/open-egress.ts';
import type { TicketOwner } from '../egress/proxy-tickets.ts';
import { deskFolder } from '../desk-folder.ts';
import type { EgressAccess } from '../egress/egress-access.ts';
import { npmrcLines, packageAuthorities, packageSettings, registryVariables } from '../egress/registry-settings.ts';
import type { Classifier } from '../policy/classifier.ts';
import { classifyWithHosts } from '../policy/create-guard.ts';
import { trustedAuthorities, withoutScripts } from './sandbox-environment.ts';

type EgressPorts = { egress: EgressAccess; classify: Classifier; home: Home };

/** What makes programs accept that the proxy reads their requests, where it does. */
export async function readTunnelSettings(
  home: Home,
  { author, proxyHeaders }: ToolCall,
  scratch: string,
  { authority }: Grant,
  { idempotencyKey }: Pick<SandboxRequest, 'idempotencyKey'>,
): Promise<Record<string, string>> {
  if (author !== 'model' && proxyHeaders === undefined && idempotencyKey === undefined) return {};
  const settings = await packageSettings(home);
  const trusted = await trustedAuthorities(scratch, authority, await packageAuthorities(settings));
  return author === 'model' ? { ...(await withoutScripts(scratch, npmrcLines(settings))), ...trusted } : trusted;
}

/** Where packages come from, as the settings of npm and pip of this home say. */
export async function registrySettings(home: Home): Promise<Record<string, string>> {
  const settings = await packageSettings(home);
  const { npmGlobalConfig } = settings;
  const found = registryVariables(settings);
  return npmGlobalConfig === null ? found : { ...found, npm_config_globalconfig: npmGlobalConfig };
}

/**
 * An operator's command gets egress if the task asks for it, a person approved it or a rule names its hosts; a model's if it
 * is classified so.
 */
export async function grantEgress(
  { egress, classify, home }: EgressPorts,
  toolCall: ToolCall,
  command: Command,
  { net, isOffline, timeoutMs, idempotencyKey }: SandboxRequest,
): Promise<Grant | null> {
  if (isOffline === true) return null;
  const { author, run, call, class: effect, approvedHosts = [] } = toolCall;
  const isUnasked = toolCall.approval === null && toolCall.isAllowedForRun !== true;
  const step = { run, call, ...limitsOfSecrets(toolCall), ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const named = [...approvedHosts, ...(toolCall.onlyHosts ?? [])];
  if (author === 'operator' && net !== false) {
    const declared = net === true ? [] : net;
    return egress.grant({ ...step, ...splitApprovedHosts([...declared, ...named]) }, timeoutMs);
  }
  const found = classifyWithHosts(toolCall, command, { classify, deskOf: ({ desk }) => deskFolder(home, desk) });
  if (approvedHosts.length === 0 && (!found.net || (author !== 'model' && isUnasked))) return null;
  const onlyFetches = isUnasked && effect !== 'external_mutation';
  const hosts = splitApprovedHosts([...(isUnasked ? [] : found.hosts), ...named]);
  const packages = onlyFetches ? { packages: await readDeskPackages(deskFolder(home, toolCall.desk), command) } : {};
  return egress.grant({ ...step, ...hosts, onlyFetches, ...packages }, timeoutMs);
}

/** A step with a secret reaches only the hosts of the secret; a secret with a header is added by the proxy. */
function limitsOfSecrets({ onlyHosts, proxyHeaders }: ToolCall): Pick<TicketOwner, 'onlyHosts' | 'addedHeaders'> {
  return {
    ...(onlyHosts === undefined ? {} : { onlyHosts }),
    ...(proxyHeaders === undefined ? {} : { addedHeaders: proxyHeaders }),
  };
}
