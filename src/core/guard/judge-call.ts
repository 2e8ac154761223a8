/**
 * Owns: judging a call by the policy. Pure: the same policy, call and grants give the same verdict.
 *
 * J1 A call of class deny, or one that a deny rule matches, is refused; nothing overrules that.
 * J2 An external change whose target came out of a tool needs an approval, whatever the rules and earlier answers say.
 * J3 A matching ask rule asks, even if another rule allows; an allow rule allows only what it names; otherwise the default
 *    of the class applies.
 * J9 What a person has said of every call of a tool (of a server, or of drafts in their own account) takes the place of the
 *    default of its class, and of nothing else: rules, what was read, and targets that came out of a tool count as before.
 * J10 A call of a tool that asks each time needs an approval of its own, whatever rules and earlier answers allow: what it
 *    does reaches other people and cannot be undone.
 * J4 An answer for the whole run covers the same tool, class, programs and hosts under the same policy.
 * J5 A command that the operator wrote runs as a local write in the sandbox, whatever its class; with text of a tool, a
 *    model or memory inserted it is no longer the operator's.
 * J6 A request of a model that could carry out what the run has read needs an approval (information-flow.ts), unless a
 *    rule of the policy lets its host be sent to. For reads, an allow rule about a host beats an ask rule that names none.
 * J8 Hosts that an allow rule names are passed with the call, so that its step reaches them. A model that reads from a machine
 *    of the own network needs an approval or such a rule.
 * J7 A change of a file that makes other programs run (core/schema/program-triggers.ts) needs an approval of its own, unless the
 *    operator wrote the call or a rule allows this very path.
 */
import { posix } from 'node:path';
import type { Classified } from '../schema/command.ts';
import type { Json } from '../schema/json.ts';
import { jsonField } from '../schema/json-field.ts';
import type { Effect, Policy, PolicyRule } from '../schema/policy.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import { isServerTool, type Tool, type ToolCall } from '../schema/tool.ts';
import type { Grant } from '../schema/wait.ts';
import { type Flow, type RuleOnHost, whyHopAsks, whyRequestAsks, whyServerAsks } from './information-flow.ts';
import { isOwnMachine, namesMachine, splitHost } from './host-names.ts';
import { programTrigger } from '../schema/program-triggers.ts';
import { type Facts, ruleMatches, withRuleLine } from './rule-match.ts';

/** `isForRun`: a person allowed calls like this one for the whole run. `approvedHosts` were named with it, or by a rule. */
export type Verdict = {
  effect: Effect;
  why: string;
  isForRun?: boolean;
  approvedHosts?: readonly string[];
  /** Whether the default alone asks, about a tool of a server: the answer may be for all calls of it (J9). */
  mayBeAlways?: boolean;
};

/** What is known of a call: for a command what the classifier found, for another tool what its target fields contain. */
export type Described = Facts & {
  /** Why it has its class, in words for a person. */
  reason: string;
  /** Whether the call is a command. */
  command: boolean;
  net: boolean;
  /** The server that gets every argument and can pass it on; absent when there is none. */
  passesTo?: string;
  /** What a server says of its tool; absent for tools of oka. */
  about?: string;
  /** Who has allowed every call of the tool (J9). */
  allowedBy?: string;
  /** Whether every call is asked about by itself (J10). */
  asksEachTime?: true;
  /** Whether it is a part of oka's own work, such as planning, that only oka calls. */
  internal: boolean;
};

export type Describe = (call: ToolCall) => Described;

type JudgeOptions = {
  /** The active policy and its hash. */
  policy: () => { policy: Policy; sha256: string };
  describe: Describe;
  /** Answers that apply to the whole run. */
  allowedInRun?: (run: string) => readonly Given[];
  /** Whether the task itself asks for the network, so that its own commands may use it. */
  declaresNetwork?: (call: ToolCall) => boolean;
};

/** An answer for the whole run. */
export type Given = Grant & { effect: 'allow' | 'deny'; by: string; approvedHosts?: readonly string[] };

/** `flow` is what the run has read; null for calls that send nothing out of this machine as a read. */
export function createJudge(options: JudgeOptions): (call: ToolCall, flow?: Flow | null) => Verdict {
  return (call, flow = null) => {
    const { policy, sha256 } = options.policy();
    const found = options.describe(call);
    const facts = { ...found, class: classFor(call, found, options) };
    if (facts.class === 'deny') return { effect: 'deny', why: `it is never allowed: ${facts.reason}` };
    const { denies, asks, allows } = rulesFor(policy.rules, facts);
    if (denies !== undefined) return { effect: 'deny', why: whyOf(denies, facts, 'a rule of the policy forbids it') };
    const given = answerFor(options.allowedInRun?.(call.run) ?? [], facts, sha256);
    if (given?.effect === 'deny') return { effect: 'deny', why: `${given.by} refused this for the whole run` };
    const strange = targetsFromTools(call, facts);
    if (facts.asksEachTime === true) return { effect: 'ask', why: whyEachTime(strange) };
    if (strange.length > 0) return { effect: 'ask', why: describeFields(strange) };
    const trigger = allows?.path === undefined ? triggersIn(call, facts) : null;
    if (trigger !== null) return { effect: 'ask', why: withRuleLine(trigger, facts) };
    const leak = flow === null ? null : whyLeaks(call, facts, flow, allows);
    const near = allows?.host === undefined ? whyOwnMachineAsks(call, facts) : null;
    const unusual = leak ?? near;
    const verdict: Verdict =
      unusual === null ? applyRules(policy, facts, asks, allows) : { effect: 'ask', why: withRuleLine(unusual, facts) };
    if (verdict.effect !== 'ask' || given === undefined) return verdict;
    const { by, approvedHosts = [] } = given;
    return { effect: 'allow', why: `${by} allowed this for the whole run`, isForRun: true, approvedHosts };
  };
}

/** The class that counts (J5). Without the network, a command cannot change anything outside. */
export function classFor(
  call: ToolCall,
  facts: Described,
  { declaresNetwork = () => false }: Pick<JudgeOptions, 'declaresNetwork'> = {},
): SideEffectClass {
  if (!facts.command || !isOperatorsOwn(call) || facts.class === 'read') return facts.class;
  return facts.class === 'external_mutation' && facts.net && !declaresNetwork(call) ? facts.class : 'write_local';
}

/** Whether every word of the command was written by the person who gave the task. */
export function isOperatorsOwn(call: ToolCall): boolean {
  return (
    call.author === 'operator' &&
    Object.values(call.origins()).every((origin) => origin === 'operator' || origin === 'task')
  );
}

function whyEachTime(strange: readonly string[]): string {
  const why = 'it reaches other people and cannot be undone, so it is asked about each time';
  return strange.length === 0 ? why : `${why}; its target (${strange.join(', ')}) came out of a tool`;
}

type Rules = { denies?: PolicyRule; asks?: PolicyRule; allows?: PolicyRule };

/** A deny rule that may match leads to a question, since a person can see how the shell would expand the words. */
function rulesFor(rules: readonly PolicyRule[], facts: Facts): Rules {
  const found: Rules = {};
  for (const rule of rules) {
    const match = ruleMatches(rule, facts);
    if (match === 'no') continue;
    if (rule.effect === 'deny' && match === 'yes') found.denies ??= rule;
    else if (rule.effect !== 'allow') found.asks ??= rule;
    else if (match === 'yes') found.allows ??= rule;
  }
  return found;
}

function applyRules(policy: Policy, facts: Described, asks?: PolicyRule, allows?: PolicyRule): Verdict {
  if (asks !== undefined && !isExemptHost(facts, asks, allows))
    return { effect: 'ask', why: whyOf(asks, facts, 'a rule of the policy asks about it') };
  if (allows !== undefined)
    return {
      effect: 'allow',
      why: whyOf(allows, facts, 'a rule of the policy allows it'),
      approvedHosts: hostsByRule(allows, facts),
    };
  const effect = policy.defaults[facts.class];
  if (effect === 'ask' && facts.allowedBy !== undefined)
    return { effect: 'allow', why: `${facts.allowedBy} allowed every call of it (${facts.reason})` };
  if (effect === 'ask' && isServerTool(facts.tool))
    return { effect, why: withRuleLine(facts.reason, facts), mayBeAlways: true };
  if (effect === 'ask' && facts.internal && facts.class === 'read') return { effect: 'allow', why: facts.reason };
  return { effect, why: effect === 'ask' ? withRuleLine(facts.reason, facts) : facts.reason };
}

/** The hosts that a rule opens to a call (J8). One with a wildcard names no machine, so its hosts have to be public. */
function hostsByRule({ host }: PolicyRule, facts: Facts): string[] {
  if (host === undefined) return [];
  const [name, port] = splitHost(host);
  if (!name.includes('*')) return [host.toLowerCase()];
  return port === null ? facts.hosts.filter((each) => !namesMachine(each)) : [];
}

/** Why reading from a machine of the own network needs a person (J8); null for everything else, also on a page that is open. */
function whyOwnMachineAsks(call: ToolCall, { command, class: effect, hosts }: Described): string | null {
  if (command || effect !== 'read' || isOperatorsOwn(call) || actsOnPage(call)) return null;
  const machine = hosts.find(isOwnMachine);
  return machine === undefined ? null : `it goes to ${machine}, which is on your own network`;
}

/** Only oka makes this call. */
const actsOnPage = ({ tool, input }: ToolCall): boolean =>
  tool === 'browser.follow' && jsonField(input, 'stays') === true;

function whyLeaks(call: ToolCall, { passesTo }: Described, flow: Flow, allows?: PolicyRule): string | null {
  if (passesTo !== undefined) return allows?.send === true ? null : whyServerAsks(call, passesTo, flow);
  const { redirectedFrom: from } = call;
  const rule = ruleOnHost(allows);
  return from === undefined ? whyRequestAsks(call, flow, rule) : whyHopAsks(call, from, flow, rule);
}

/** A rule that also allows changes at a host lets it be sent to; one about reading alone does not unless it says so (J6). */
function ruleOnHost(allows: PolicyRule | undefined): RuleOnHost {
  if (allows?.host === undefined) return 'none';
  const { send, class: effect, tool } = allows;
  const isAboutReading = effect === 'read' || tool === 'http.get' || tool?.startsWith('web.') === true;
  return (send ?? !isAboutReading) ? 'send' : 'read';
}

/** An allow-list of hosts for reads (J6): the hosts are listed, everything else is asked about. */
function isExemptHost({ class: effect, command }: Described, asks: PolicyRule, allows?: PolicyRule): boolean {
  return effect === 'read' && !command && allows?.host !== undefined && asks.host === undefined;
}

function whyOf(rule: PolicyRule, facts: Described, words: string): string {
  return `${rule.why ?? words} (${facts.reason})`;
}

function answerFor(given: readonly Given[], facts: Facts, policy: string): Given | undefined {
  const isSame = (grant: Given): boolean =>
    grant.policy === policy &&
    grant.tool === facts.tool &&
    grant.class === facts.class &&
    sameSet(grant.programs, facts.programs) &&
    sameSet(grant.hosts, facts.hosts);
  return given.find((grant) => grant.effect === 'deny' && isSame(grant)) ?? given.find(isSame);
}

/** What an answer for the whole run to this call would cover. */
export function grantOf(facts: Facts, policy: string): Grant {
  const { tool, programs, hosts } = facts;
  return { tool, class: facts.class, programs: sortValues(programs), hosts: sortValues(hosts), policy };
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [sortValues(a), sortValues(b)];
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

const sortValues = (words: readonly string[]): string[] => [...new Set(words)].toSorted();

/** Target fields that came out of a tool (J2). Changes on the desk are exempt, since they can be undone. */
function targetsFromTools(call: ToolCall, facts: Facts): string[] {
  if (facts.class !== 'external_mutation') return [];
  return Object.entries(call.origins()).flatMap(([field, origin]) => (origin === 'tool' ? [field] : []));
}

/** Why the files that a tool would change make other programs run (J7). Commands are judged by their classes. */
function triggersIn(call: ToolCall, facts: Described): string | null {
  if (facts.command || facts.class === 'read' || isOperatorsOwn(call)) return null;
  const [found] = facts.paths.flatMap((path) => {
    const why = programTrigger(posix.normalize(path));
    return why === null ? [] : [`it changes ${path}, which makes other programs run outside the sandbox: ${why}`];
  });
  return found ?? null;
}

function describeFields(fields: readonly string[]): string {
  return `its target (${fields.join(', ')}) came out of a tool, not from you or your task. No rule allows that: name it in the task, or say yes here`;
}

/** Describes calls of these tools: commands by the classifier, all others by the fields that the tool declares as targets. */
export function createDescriber(
  tools: {
    get: (
      name: string,
    ) =>
      | (Pick<Tool, 'targets' | 'annotations' | 'internal' | 'passesTo' | 'allowedBy' | 'asksEachTime'> &
          Partial<Pick<Tool, 'about'>>)
      | undefined;
  },
  classify: (call: ToolCall) => Classified | null,
): Describe {
  return (call) => {
    const tool = tools.get(call.tool);
    const { targets = [], annotations, internal = false, passesTo, allowedBy, about } = tool ?? {};
    const known = {
      tool: call.tool,
      risk: annotations?.risk ?? 'high',
      destructive: annotations?.destructive ?? true,
      internal,
    };
    const classified = classify(call);
    if (classified !== null)
      return { ...known, ...classified, paths: seenFromDesk(call, classified.paths), command: true };
    const values = targets.flatMap((field) => textsIn(jsonField(call.input, field)));
    const hosts = values.flatMap(hostsIn);
    return {
      ...known,
      class: call.class,
      reason: REASONS[call.class],
      programs: [],
      paths: values.filter(
        (value) => hostsIn(value).length === 0 && (!isServerTool(call.tool) || PATH_SHAPE.test(value)),
      ),
      hosts,
      command: false,
      net: hosts.length > 0,
      ...(passesTo === undefined ? {} : { passesTo }),
      ...(allowedBy === undefined ? {} : { allowedBy }),
      ...(tool?.asksEachTime === true ? { asksEachTime: true as const } : {}),
      ...(about === undefined || !isServerTool(call.tool) ? {} : { about }),
    };
  };
}

/** Every field of a server's tool is a target, and most of them are no paths. */
const PATH_SHAPE = /^[^\s]*\/[^\s]*$/;

const REASONS: Readonly<Record<SideEffectClass, string>> = {
  read: 'it only reads',
  write_local: 'it changes files on the desk',
  external_mutation: 'it may change something outside this machine',
  deny: 'calls of this kind are never made',
};

/** Makes a command's paths, which are relative to the folder it starts in, relative to the desk. */
function seenFromDesk(call: ToolCall, paths: readonly string[]): string[] {
  const dir = jsonField(call.input, 'dir');
  if (typeof dir !== 'string' || dir === '.') return [...paths];
  return paths.map((path) => (/^[/~$]/.test(path) ? path : `${dir}/${path}`));
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(textsIn);
}

function hostsIn(value: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return [];
  const host = URL.canParse(value) ? new URL(value).host : '';
  return host === '' ? ['?'] : [host];
}
