/**
 * Owns: which tools of servers and which skills a prompt shows.
 *
 * 1. Built-in tools are always shown. Of the others at most as many as the budget of the prompt allows, those that fit
 *    the task best (kit/learning/rank-offers.ts), and among those that fit alike the safer ones (tool-score.ts). Those that
 *    their server calls deprecated come last.
 * 2. What was shown once in a run stays shown in it, so that caches of prompts stay valid.
 * 3. Tools that a step names, and those that its searches have found, are always shown to its worker.
 * 4. tools.search and the tools for skills are shown only where there is something to find or to use.
 */
import { foundTools } from '../../core/engine/found-tools.ts';
import { type Offer, rankOffers } from '../../kit/learning/rank-offers.ts';
import { type OfferedSkill, saysDeprecated, serverToolLine } from '../../kit/task/offers.ts';
import { byteLength } from '../../kit/text/prompt-text.ts';
import type { PlannerInput, ToolRegistry } from '../../core/schema/ports.ts';
import { listTool } from '../../core/schema/tool-listing.ts';
import { BEST_SCORE, bestFirst, scoreTool } from '../../core/schema/tool-score.ts';
import { leanSchemaOf } from '../../core/schema/role.ts';
import { isServerTool, type Tool, TOOL_SEARCH } from '../../core/schema/tool.ts';
import type { OfferChoice } from '../../kit/ports/offers-port.ts';

type OfferPorts = { tools: Pick<ToolRegistry, 'list'>; skills: () => readonly OfferedSkill[] };

/** Bytes of the lines about tools of servers, and of skills, in the prompt of a planner. */
const PLAN_TOOL_BYTES = 1500;
const PLAN_SKILL_BYTES = 900;
const MOST_TOOLS = 10;
const MOST_SKILLS = 6;
/** Bytes of the schemas of tools that a worker is offered without having asked for them. */
const TURN_TOOL_BYTES = 1500;
/** Runs of which it is known what was shown. */
const MOST_RUNS = 200;

const SKILL_TOOLS: readonly string[] = ['skill.use', 'skill.read', 'skill.run'];

export function offerChoice({ tools, skills }: OfferPorts): OfferChoice {
  const memory = shownMemory();
  const offeredTools = toolOffers(tools);
  const chooseSkills = (key: string, task: string): readonly OfferedSkill[] => {
    const all = skills();
    const wanted = totalBytes(all) <= PLAN_SKILL_BYTES ? all : rankSkills(all, task);
    const chosen = memory.extend(`${key} skills`, names(fitting(wanted, PLAN_SKILL_BYTES, MOST_SKILLS, skillBytes)));
    return all.filter(({ name }) => chosen.has(name));
  };
  return {
    forPlan: (run, task) => {
      const { own, fromServers, offers } = offeredTools();
      const ranked = rankTools(offers, task);
      const best = fitting(ranked, PLAN_TOOL_BYTES, MOST_TOOLS, (tool) => byteLength(serverToolLine(tool)));
      const chosen = memory.extend(`${run} tools`, names(best));
      const shown = [...chosen].flatMap((name) => fromServers.find((tool) => tool.name === name) ?? []);
      const shownSkills = chooseSkills(run, task);
      const furtherTools = fromServers.length - shown.length;
      const furtherSkills = skills().length - shownSkills.length;
      return {
        tools: own.filter(({ name }) => isUseful(name, furtherTools + furtherSkills > 0, shownSkills.length > 0)),
        servers: shown,
        furtherTools,
        skills: shownSkills,
        furtherSkills,
      };
    },
    forTurn: (input) => {
      const offered = chooseForTurn(input, memory, offeredTools);
      const mayUse = offered.some(({ name }) => name === 'skill.use');
      const shown = mayUse ? chooseSkills(`${input.run} ${input.node}`, input.goal) : [];
      const hasMore = offeredTools().fromServers.length > 0 || skills().length > shown.length;
      return {
        tools: offered.filter(
          ({ name }) => input.hasNamedTools === true || isUseful(name, hasMore, skills().length > 0),
        ),
        skills: shown,
      };
    },
    search: (query, most) => ({
      tools: rankTools(offeredTools().offers, query).slice(0, most),
      skills: rankSkills(skills(), query).slice(0, most),
    }),
  };
}

/** Whether a built-in tool does anything here (4). */
function isUseful(name: string, hasFurther: boolean, hasSkills: boolean): boolean {
  if (name === TOOL_SEARCH) return hasFurther;
  return hasSkills || !SKILL_TOOLS.includes(name);
}

type ToolOffer = Offer & { tool: Tool };
type ListedTools = { own: readonly Tool[]; fromServers: readonly Tool[]; offers: readonly ToolOffer[] };

/** The tools that planners may name, indexed again only when the registry has changed. */
function toolOffers(registry: Pick<ToolRegistry, 'list'>): () => ListedTools {
  let known: { list: readonly Tool[]; listed: ListedTools } | null = null;
  return () => {
    const list = registry.list();
    if (known?.list === list) return known.listed;
    const open = list.filter(({ internal }) => internal !== true);
    const fromServers = open.filter(({ name }) => isServerTool(name));
    const own = open.filter(({ name }) => !isServerTool(name)).toSorted(bestFirst);
    const listed = { own, fromServers, offers: fromServers.map(toolOffer) };
    known = { list, listed };
    return listed;
  };
}

function toolOffer(tool: Tool): ToolOffer {
  const [, group = '', ...rest] = tool.name.split('.');
  const { properties = {} } = leanSchemaOf(tool.input) as { properties?: object };
  const text = `${tool.about.slice(0, 1000)} ${Object.keys(properties).join(' ')}`;
  return { name: tool.name, group, title: `${group} ${rest.join(' ')}`, text, tool };
}

/** What the best score adds to the weight of the words: among tools that fit alike, the safer one comes first. */
const SCORE_SHARE = 0.15;

function rankTools(offers: readonly ToolOffer[], task: string): Tool[] {
  return rankOffers(offers, task)
    .map(({ offer: { tool }, weight }) => {
      const { score } = scoreTool(listTool(tool));
      return { tool, weight: weight * (1 + (SCORE_SHARE * score) / BEST_SCORE) };
    })
    .toSorted(
      (a, b) =>
        Number(saysDeprecated(a.tool.about)) - Number(saysDeprecated(b.tool.about)) ||
        b.weight - a.weight ||
        bestFirst(a.tool, b.tool),
    )
    .map(({ tool }) => tool);
}

/** A step that names its tools has them all; else the best that fit, besides what was found (3). */
function chooseForTurn(
  input: PlannerInput,
  memory: ShownMemory,
  offeredTools: () => ListedTools,
): PlannerInput['tools'] {
  if (input.hasNamedTools === true) return input.tools;
  const eligible = new Map(input.tools.map((tool) => [tool.name, tool]));
  const ranked = rankTools(offeredTools().offers, input.goal).flatMap(({ name }) => eligible.get(name) ?? []);
  const best = fitting(ranked, TURN_TOOL_BYTES, MOST_TOOLS, schemaBytes);
  const shown = memory.extend(`${input.run} ${input.node} tools`, [...names(best), ...foundTools(input.evidence)]);
  return input.tools.filter(({ name }) => !isServerTool(name) || shown.has(name));
}

const schemaBytes = ({ name, about, input }: Pick<Tool, 'name' | 'about' | 'input'>): number =>
  byteLength(name) + byteLength(about) + byteLength(JSON.stringify(leanSchemaOf(input)));

const skillBytes = ({ name, description }: OfferedSkill): number =>
  byteLength(name) + Math.min(160, byteLength(description)) + 5;

const totalBytes = (skills: readonly OfferedSkill[]): number => skills.reduce((sum, each) => sum + skillBytes(each), 0);

function rankSkills(skills: readonly OfferedSkill[], task: string): OfferedSkill[] {
  const offers = skills.map((skill) => ({
    name: skill.name,
    title: skill.name,
    text: skill.description,
    group: skill.name,
    skill,
  }));
  return rankOffers(offers, task).map(({ offer }) => offer.skill);
}

/** The first ones that fit into the bytes; one that is too large is passed over. */
function fitting<T>(wanted: readonly T[], bytes: number, most: number, sizeOf: (each: T) => number): T[] {
  let left = bytes;
  return wanted
    .filter((each) => {
      const size = sizeOf(each);
      if (size > left) return false;
      left -= size;
      return true;
    })
    .slice(0, most);
}

const names = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name);

type ShownMemory = { extend: (key: string, more: readonly string[]) => ReadonlySet<string> };

/** What was shown under a key; the set only grows (2). A new process begins again, and so does every cache of a prompt. */
function shownMemory(): ShownMemory {
  const shown = new Map<string, Set<string>>();
  return {
    extend: (key, more) => {
      const set = shown.get(key) ?? new Set<string>();
      for (const name of more) set.add(name);
      shown.delete(key);
      shown.set(key, set);
      const [oldest] = shown.keys();
      if (shown.size > MOST_RUNS && oldest !== undefined) shown.delete(oldest);
      return set;
    },
  };
}
