/**
 * Owns: which hosts the commands of a step may reach through the egress proxy. Pure.
 * Does not own: resolving names and addresses (tools/egress), which commands run at all (judge-call.ts).
 *
 * E1 A host that no rule names is refused. A rule about a program, a path or a class does not count here: the proxy sees
 *    a connection, not who makes it. Hosts that such a rule or a person allowed for one step are passed with that step.
 * E2 A matching deny or ask rule refuses, whatever else allows it; only an approval of this very step overrules an ask.
 * E3 Ports are 80 and 443. Any other has to be named: `host: git.example.org:8443`.
 * E4 Only a package registry, a model server that the operator configured, and a machine that a person named (in a rule, for
 *    the step or for its secret; host-names.ts) may be private.
 */
import type { Policy, PolicyRule } from '../schema/policy.ts';
import { namesMachine, splitHost } from './host-names.ts';
import { type Facts, hostMatches, ruleMatches } from './rule-match.ts';

/** A package registry, from the package managers' own configuration. */
export type Registry = {
  host: string;
  port: number;
  /** It speaks plain http, so the proxy sees each request. */
  isPlain?: boolean;
  /** Paths, each with a slash at its end, below which it has packages. */
  bases?: readonly string[];
};

/** `registry`: allowed only because packages come from there. `reach`: whether the host must have a public address, or may also be on the operator's own network. */
type EgressVerdict =
  | { verdict: 'allowed'; reason: string; reach: 'public' | 'own network'; registry?: Registry }
  | { verdict: 'refused'; reason: string };

/**
 * `named` are the hosts that were allowed for one step, `servers` (host:port) those the operator configured for it.
 * Hosts are lower case, without a dot at the end.
 */
export type Allows = (
  host: string,
  port: number,
  named?: readonly string[],
  servers?: readonly string[],
) => EgressVerdict;

const PORTS = [80, 443];

export function egressRule(rules: readonly PolicyRule[], registries: readonly Registry[]): Allows {
  const relevant = rules.filter(isAboutHosts);
  return (host, port, named = [], servers = []) => {
    const of = (effect: PolicyRule['effect']): PolicyRule | undefined =>
      relevant.find((rule) => rule.effect === effect && covers(rule.host, effect, host, port));
    const denied = of('deny');
    if (denied !== undefined) return refuse(denied.why ?? `a rule forbids ${host}`);
    if (servers.some((each) => covers(each, 'allow', host, port)))
      return { verdict: 'allowed', reason: `${host} is a server that the operator named`, reach: 'own network' };
    if (named.some((each) => covers(each, 'allow', host, port))) return allow(`${host} was allowed for this step`);
    const asked = of('ask');
    if (asked !== undefined) return refuse(asked.why ?? `${host} needs an approval, and this step has none`);
    const rule = of('allow');
    const registry = registries.find((each) => each.host === host && each.port === port);
    if (registry !== undefined && rule !== undefined)
      return { verdict: 'allowed', reason: rule.why ?? `a rule allows ${host}`, reach: 'own network' };
    if (registry !== undefined)
      return { verdict: 'allowed', reason: `${host} is a package registry`, reach: 'own network', registry };
    if (rule === undefined) return refuse(whyNot(relevant, host, port));
    const reach = namesMachine(rule.host ?? '*') ? 'own network' : 'public';
    return { verdict: 'allowed', reason: rule.why ?? `a rule allows ${host}`, reach };
  };
}

/** Whether one of these hosts is the one that is asked for. */
export function includesHost(hosts: readonly string[], host: string, port: number): boolean {
  return hosts.some((each) => covers(each, 'allow', host, port));
}

/** Whether a tool that reads may follow a redirect to this host: only if it needs no approval to go there directly. */
export function mayRedirectTo({ rules, defaults }: Policy, host: string, tool = 'http.get'): boolean {
  const hosts = [host];
  const facts: Facts = {
    tool,
    class: 'read',
    programs: [],
    paths: [],
    hosts,
    risk: 'medium',
    destructive: false,
  };
  const matching = rules.filter((rule) => ruleMatches(rule, facts) !== 'no');
  if (matching.some(({ effect }) => effect !== 'allow')) return false;
  return defaults.read === 'allow' || matching.length > 0;
}

const allow = (reason: string): EgressVerdict => ({ verdict: 'allowed', reason, reach: 'public' });
const refuse = (reason: string): EgressVerdict => ({ verdict: 'refused', reason });

/** Whether a rule is about hosts: connections through the proxy are made by the shell tool. */
function isAboutHosts({ tool, class: effect, program, path, host, risk, destructive }: PolicyRule): boolean {
  const conditions = [effect, program, path, risk, destructive];
  if (host === undefined || conditions.some((each) => each !== undefined)) return false;
  return tool === undefined || (tool.endsWith('*') ? 'shell'.startsWith(tool.slice(0, -1)) : tool === 'shell');
}

/** Without a port, a rule allows the usual ports, and forbids all. */
function covers(pattern: string | undefined, effect: PolicyRule['effect'], host: string, port: number): boolean {
  const [name, written] = splitHost(pattern ?? '');
  const portFits = written === null ? effect !== 'allow' || PORTS.includes(port) : written === port;
  return portFits && name !== '' && hostMatches(name, host);
}

function whyNot(rules: readonly PolicyRule[], host: string, port: number): string {
  const onUsual = rules.some((rule) => rule.effect === 'allow' && covers(rule.host, 'allow', host, 443));
  if (onUsual) return `${host} is allowed on ports ${PORTS.join(' and ')}, not on ${port}`;
  return `${host} is not among the hosts that the policy allows`;
}
