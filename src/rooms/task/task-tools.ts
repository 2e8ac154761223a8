/** Owns: putting a task's planner, steps and critic together with the home, its models and its memory. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { Models } from '../../kit/models/role-models.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Event } from '../../core/schema/event.ts';
import type { ArtifactStore, Planner, ToolRegistry } from '../../core/schema/ports.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { Tool } from '../../core/schema/tool.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import type { Deps } from '../../kit/ports/dependencies-port.ts';
import { readHead } from '../../kit/desk/read-head.ts';
import { changesOf, editsOf } from '../../kit/runs/run-changes.ts';
import type { FolderGrants } from '../../kit/ports/folders-port.ts';
import type { OfferChoice } from '../../kit/ports/offers-port.ts';
import type { Memory } from '../../kit/ports/memory-port.ts';
import type { Home } from '../../core/schema/home.ts';
import type { HomeVault } from '../../kit/vault/home-vault.ts';
import type { ProjectionsPort, Runs } from '../../kit/ports/port-types.ts';
import type { TaskFrames } from '../../kit/ports/frames-port.ts';
import { writtenInstructions } from '../../kit/runs/written-instructions.ts';
import { readInstructions } from './operator-instructions.ts';
import { critiqueTool } from './critique.ts';
import { modelPlanner } from './model-planner.ts';
import { fitsProcedure } from './fits-procedure.ts';
import { describeFolder, describeSituation, namesAround } from './describe-situation.ts';
import { workDescriber } from './describe-work.ts';
import { describeMoment } from '../../kit/describe-moment.ts';
import { planTool } from './plan.ts';
import type { TaskPorts } from './task-ports.ts';
import type { ChooseProcedure } from '../../kit/ports/procedures-port.ts';
import { taskOf } from '../../kit/runs/run-family.ts';
import { stepCheckTool } from './check-step.ts';
import { readEdits } from './read-edits.ts';
import { secretsIn } from './secrets-in.ts';

type TaskParts = {
  home: Home;
  config: Config;
  artifacts: ArtifactStore;
  vault: Pick<HomeVault, 'redact' | 'originals'>;
  shadow: Snapshots;
  models: Models;
  memory: Memory;
  deps: Pick<Deps, 'waitForMissing' | 'detect'>;
  runs: Pick<Runs, 'stateOf' | 'eventsOf' | 'post'>;
  tools: Pick<ToolRegistry, 'list'>;
  folders: FolderGrants;
  offers: OfferChoice;
  projections: Pick<ProjectionsPort, 'stateOf'>;
  /** What is known about the files of the task's folder. */
  frames: TaskFrames;
  chooseProcedure: ChooseProcedure;
};

type TaskTools = {
  /** Decides the turns of agent nodes. */
  planner: Planner;
  tools: readonly Tool[];
  fitsProcedure: (run: string) => Promise<boolean>;
};

export function taskTools(parts: TaskParts): TaskTools {
  const { config, memory, models, runs } = parts;
  const ports = portsOf(parts);
  const planner = modelPlanner((run) => modelOfRun(run, runs), config.models.ask_again_seconds * 1000, {
    packFor: ({ run, node, goal }, model) =>
      memory.pack({ role: 'executor', run, node, query: goal, model: idOf(models, 'executor', model) }, ports.note),
    taskOf: workDescriber(ports),
    contextOf: (model) => ports.contextOf('executor', model),
    now: () => describeMoment(Date.now()),
    mostCalls: config.models.calls_per_answer,
    offersFor: async (input) => ({
      ...parts.offers.forTurn(input),
      instructions: ports.instructions(await dirOfRun(input.run, runs)),
    }),
    foldersOf: async (run) => (await ports.foldersForModel(run)).map(describeFolder),
  });
  return {
    planner,
    tools: ownTools(ports),
    fitsProcedure: (run) => fitsProcedure(ports, run),
  };
}

export const ownTools = (ports: TaskPorts): Tool[] => [planTool(ports), critiqueTool(ports), stepCheckTool(ports)];

function portsOf(parts: TaskParts): TaskPorts {
  const { home, config, artifacts, vault, shadow, models, memory, deps, runs, folders, tools: registry } = parts;
  const { eventsOf, stateOf } = runs;
  const tools = (): Tool[] => registry.list().filter(({ internal }) => internal !== true);
  const note: TaskPorts['note'] = (event) => void runs.post(event.run, event);
  const eventsOfAll = async (ids: readonly string[]): Promise<Event[]> => (await Promise.all(ids.map(eventsOf))).flat();
  const changesBy: TaskPorts['changesBy'] = async (ids) => changesOf(await eventsOfAll(ids), shadow);
  return {
    artifacts,
    clock: Date.now,
    askAgainMs: config.models.ask_again_seconds * 1000,
    model: (role, override) => models.for(role, override),
    contextOf: (role, override) => models.called(role, override)?.contextTokens ?? null,
    tools,
    offers: parts.offers.forPlan,
    instructions: (dir) =>
      readInstructions(home, dir, (oid) => parts.projections.stateOf(writtenInstructions).oids.includes(oid)),
    pack: async (role, { run, node }, { title, fields, dir }, about, given = []) => {
      const model = idOf(models, role, fields.model);
      const query = `${title}\n${about}`;
      const frames = role === 'planner' ? await parts.frames(dir, query) : [];
      return memory.pack({ role, run, node, query, model, given: [...given, ...frames] }, note);
    },
    folders: folders.forPlan,
    foldersForModel: (run) => folders.forCall({ run, author: 'model' }),
    situation: (dir, outside) =>
      describeSituation(dir, {
        folders: outside,
        desk: join(home.workspace, 'desk'),
        now: Date.now(),
        hasProgram: (name) => deps.detect({ kind: 'command', name, evidence: '' }).there,
      }),
    names: (dir) => namesAround(join(home.workspace, 'desk'), dir),
    procedures: parts.chooseProcedure,
    lacking: deps.waitForMissing,
    resultOf: (run) => resultOf(run, home),
    stateOf,
    eventsOf,
    note,
    originals: vault.originals,
    writtenAt: (path) => lstatIfPresent(join(home.workspace, 'desk', path))?.ctimeMs ?? null,
    secretsIn: (paths) => secretsIn(join(home.workspace, 'desk'), paths, vault.redact),
    contentsOf: (paths) => paths.flatMap((path) => readHead(join(home.workspace, 'desk'), path) ?? []),
    changesBy,
    editsBy: async (ids, signal) => readEdits(editsOf(await eventsOfAll(ids), shadow), vault.redact, signal),
    changedBy: async (runs) => {
      const { created, changed, removed } = await changesBy(runs);
      return [...created, ...changed, ...removed];
    },
  };
}

function idOf(models: Models, role: 'planner' | 'executor' | 'critic', override: string | undefined): string | null {
  return models.for(role, override)?.id ?? null;
}

/** Tasks may name a model of their own; their steps think with it. */
async function modelOfRun(run: string, runs: Pick<Runs, 'stateOf'>): Promise<string | undefined> {
  const state = await runs.stateOf(run);
  const task = state === null ? null : await taskOf(state, runs);
  return task === null ? undefined : (task.input as Partial<TaskGiven> | null)?.fields?.model;
}

/** The folder of the task that a run works for. */
async function dirOfRun(run: string, runs: Pick<Runs, 'stateOf'>): Promise<string | null> {
  const state = await runs.stateOf(run);
  const task = state === null ? null : await taskOf(state, runs);
  return (task?.input as Partial<TaskGiven> | null | undefined)?.dir ?? null;
}

async function resultOf(run: string, home: Home): Promise<string | null> {
  const file = join(home.workspace, 'outbox', run, 'RESULT.md');
  return lstatIfPresent(file)?.isFile() === true ? readFile(file, 'utf8') : null;
}
