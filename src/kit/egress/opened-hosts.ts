/** Owns: which machines of the own network a person has opened to a call of a web tool. */
import { includesHost } from '../../core/guard/egress-rule.ts';
import { namesMachine } from '../../core/guard/host-names.ts';
import { isOperatorsOwn } from '../../core/guard/judge-call.ts';
import type { ToolCall } from '../../core/schema/tool.ts';

/**
 * Those that a rule or an approval names. An approval of the call, or a call that the operator wrote, names the host of
 * its own address; a server that redirects names nothing.
 */
export function openedHosts(call: ToolCall, address: string): (host: string, port: number) => boolean {
  const machines = (call.approvedHosts ?? []).filter(namesMachine);
  const isNamed = typeof call.approval === 'string' || call.isAllowedForRun === true || isOperatorsOwn(call);
  const own = isNamed ? URL.parse(address) : null;
  return (host, port) => includesHost(machines, host, port) || (own !== null && isHostOf(own, host, port));
}

function isHostOf({ hostname, port, protocol }: URL, host: string, at: number): boolean {
  return hostname.replace(/^\[(.*)\]$/, '$1') === host && Number(port || (protocol === 'https:' ? 443 : 80)) === at;
}
