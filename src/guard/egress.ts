/**
 * Owns: which hosts the commands of a step may reach through the egress proxy. Pure.
 * Does not own: names and addresses (tools/egress), which commands run at all (judge.ts).
 *
 * E1 What no rule names is refused. A rule about a program, a path or a class says nothing here: the proxy sees a
 *    connection, not who makes it. What such a rule or a person allowed one step comes with that step.
 * E2 A deny or ask rule that matches refuses, whatever else allows it; only an answer that was given for this very step
 *    overrules an ask.
 * E3 Ports are 80 and 443. Another one is allowed by writing it: `host: git.example.org:8443`.
 * E4 Only a package registry or a server of a model that the operator has configured may be at an address that is not
 *    public.
 */
import type { Policy, PolicyRule } from '../schema/policy.ts';
import { type Facts, hostMatches, ruleMatches } from './rules.ts';

/** Where packages come from, by the configuration of the package managers themselves. */
export type Registry = { host: string; port: number };

/** `reach` says at which addresses the host may be: on the internet, or also on the operator's own network. */
export type EgressVerdict =
  | { verdict: 'allowed'; reason: string; reach: 'public' | 'own network' }
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

export function allowsBy(rules: readonly PolicyRule[], registries: readonly Registry[]): Allows {
  const relevant = rules.filter(isAboutHosts);
  return (host, port, named = [], servers = []) => {
    const of = (effect: PolicyRule['effect']): PolicyRule | undefined =>
      relevant.find((rule) => rule.effect === effect && covers(rule.host, effect, host, port));
    const denied = of('deny');
    if (denied !== undefined) return refused(denied.why ?? `a rule forbids ${host}`);
    if (named.some((each) => covers(each, 'allow', host, port))) return allowed(`${host} was allowed for this step`);
    if (servers.some((each) => covers(each, 'allow', host, port)))
      return { verdict: 'allowed', reason: `${host} is a server that the operator configured`, reach: 'own network' };
    const asked = of('ask');
    if (asked !== undefined) return refused(asked.why ?? `${host} is asked about, and nobody was asked for this step`);
    if (registries.some((registry) => registry.host === host && registry.port === port))
      return { verdict: 'allowed', reason: `${host} is a package registry`, reach: 'own network' };
    const rule = of('allow');
    return rule === undefined ? refused(whyNot(relevant, host, port)) : allowed(rule.why ?? `a rule allows ${host}`);
  };
}

/** Whether a server may send http.get on to another host: only where it could have gone without a question. */
export function maySendOn({ rules, defaults }: Policy, host: string): boolean {
  const hosts = [host];
  const facts: Facts = {
    tool: 'http.get',
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

const allowed = (reason: string): EgressVerdict => ({ verdict: 'allowed', reason, reach: 'public' });
const refused = (reason: string): EgressVerdict => ({ verdict: 'refused', reason });

/** The tool that makes connections through the proxy is the shell. */
function isAboutHosts({ tool, class: effect, program, path, host, risk, destructive }: PolicyRule): boolean {
  const conditions = [effect, program, path, risk, destructive];
  if (host === undefined || conditions.some((each) => each !== undefined)) return false;
  return tool === undefined || (tool.endsWith('*') ? 'shell'.startsWith(tool.slice(0, -1)) : tool === 'shell');
}

/** Without a port a rule allows the usual ones, and forbids all. */
function covers(pattern: string | undefined, effect: PolicyRule['effect'], host: string, port: number): boolean {
  const [name, written] = partsOf(pattern ?? '');
  const portFits = written === null ? effect !== 'allow' || PORTS.includes(port) : written === port;
  return portFits && name !== '' && hostMatches(name, host);
}

/** `git.example.org:8443` and `[2001:db8::1]:8443` have a port, `2001:db8::1` has none. */
function partsOf(pattern: string): [name: string, port: number | null] {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(pattern) ?? [];
  return [bracketed ?? plain ?? pattern, port === undefined ? null : Number(port)];
}

function whyNot(rules: readonly PolicyRule[], host: string, port: number): string {
  const onUsual = rules.some((rule) => rule.effect === 'allow' && covers(rule.host, 'allow', host, 443));
  if (onUsual) return `${host} is allowed on ports ${PORTS.join(' and ')}, not on ${port}`;
  return `${host} is not among the hosts that the policy allows`;
}
