/** Owns: putting a task's planner, steps and critic together with the home, its models and its memory. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../../engine/engine.ts';
import { lookAt } from '../../ledger/disk.ts';
import type { Models } from '../../models/models.ts';
import type { Config } from '../../schema/config.ts';
import type { Event } from '../../schema/event.ts';
import type { Planner } from '../../schema/ports.ts';
import type { TaskGiven } from '../../schema/task-run.ts';
import type { Tool } from '../../schema/tool.ts';
import { memoryTools } from '../../tools/builtin/memory.ts';
import type { Shadow } from '../../tools/desk/shadow.ts';
import type { Deps } from '../deps/deps.ts';
import { stepsOf } from '../desk/desk.ts';
import type { Memory } from '../memory/open-memory.ts';
import type { Home } from '../../schema/home.ts';
import type { Stores } from '../stores.ts';
import { critiqueTool } from './critique.ts';
import { executor } from './executor.ts';
import { fitsProcedure } from './fits-procedure.ts';
import { planTool } from './plan.ts';
import type { TaskPorts } from './task-ports.ts';
import { chooseFrom } from './procedures.ts';
import { taskOf } from './write-result.ts';
import { secretsIn } from './secrets-in.ts';

export type TaskParts = {
  home: Home;
  config: Config;
  stores: Stores;
  shadow: Shadow;
  models: Models;
  memory: Memory;
  deps: Pick<Deps, 'lacking'>;
  /** It is made after the tools that ask it. */
  engine: () => Engine;
  eventsOf: (run: string) => Promise<Event[]>;
};

export type TaskWiring = {
  /** Of agent nodes. */
  planner: Planner;
  /** The tools of a task, which plan with those that are handed in. */
  tools: (acting: readonly Tool[]) => Tool[];
  fitsProcedure: (run: string) => Promise<boolean>;
};

export function taskWiring(parts: TaskParts): TaskWiring {
  const { config, memory, models, engine } = parts;
  const acting: Tool[] = [];
  const ports = portsOf(parts, acting);
  const planner = executor(
    (run) => modelOfRun(run, engine()),
    config.models.ask_again_seconds * 1000,
    ({ run, node, goal }, model) =>
      memory.pack({ role: 'executor', run, node, query: goal, model: idOf(models, 'executor', model) }, ports.note),
  );
  return {
    planner,
    tools: (others) => {
      acting.push(...others);
      return [planTool(ports), critiqueTool(ports)];
    },
    fitsProcedure: (run) => fitsProcedure(ports, run),
  };
}

/** A plan is made of what acts on the desk and the network; asking people and starting runs are no steps of it. */
const NOT_FOR_PLANS = new Set(['human.ask', 'run.start']);

function portsOf(parts: TaskParts, acting: readonly Tool[]): TaskPorts {
  const { home, config, stores, shadow, models, memory, deps, engine, eventsOf } = parts;
  const tools = (): Tool[] => [...acting.filter(({ name }) => !NOT_FOR_PLANS.has(name)), ...memoryTools(memory.tools)];
  const note: TaskPorts['note'] = (event) => void engine().note(event.run, event);
  return {
    artifacts: stores.artifacts,
    clock: Date.now,
    askAgainMs: config.models.ask_again_seconds * 1000,
    model: (role, override) => models.for(role, override),
    tools,
    pack: (role, { run, node }, { title, fields }, about, given = []) => {
      const model = idOf(models, role, fields.model);
      return memory.pack({ role, run, node, query: `${title}\n${about}`, model, given }, note);
    },
    procedures: chooseFrom({
      ledger: home.ledgers.maintenance,
      settings: config.maintenance.procedures,
      tools,
      hasPlanner: () => models.for('planner') !== null,
      clock: Date.now,
    }),
    lacking: deps.lacking,
    resultOf: (run) => resultOf(run, home),
    stateOf: (run) => engine().stateOf(run),
    eventsOf,
    note,
    secretsIn: (paths) => secretsIn(join(home.workspace, 'desk'), paths, stores.vault.redact),
    changedBy: async (runs) => {
      const events = (await Promise.all(runs.map(eventsOf))).flat();
      const { created, changed, removed } = shadow.changes(stepsOf(events, null));
      return [...created, ...changed, ...removed];
    },
  };
}

function idOf(models: Models, role: 'planner' | 'executor' | 'critic', override: string | undefined): string | null {
  return models.for(role, override)?.id ?? null;
}

/** Tasks may name a model of their own; their steps think with it. */
async function modelOfRun(run: string, engine: Engine): Promise<string | undefined> {
  const state = await engine.stateOf(run);
  const task = state === null ? null : await taskOf(state, engine);
  return task === null ? undefined : (task.input as unknown as TaskGiven).fields.model;
}

async function resultOf(run: string, home: Home): Promise<string | null> {
  const file = join(home.workspace, 'outbox', run, 'RESULT.md');
  return lookAt(file)?.isFile() === true ? readFile(file, 'utf8') : null;
}
