/**
 * The ports of the worker's rooms: what a room may name in its `needs`. Only types are imported here, so that
 * declaring a need loads nothing.
 *
 * The first group is given by the host before any room is opened (wire.ts); each of the others by the room it names.
 */
import type { EngineOptions } from '../../core/engine/engine-context.ts';
import type { ChangingTools } from '../../core/engine/tool-registry.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import { modelsPort } from '../models/room.ts';
import { artifactsPort } from '../../core/schema/artifacts-port.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Home } from '../../core/schema/home.ts';
import type { EventStore, ExecutionBackend, Planner, StateStore } from '../../core/schema/ports.ts';
import type { ProviderDefinition } from '../../core/schema/model-provider.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { TaskFrames } from './frames-port.ts';
import { port, type RunHandle, type Tidied, type Tidying } from '../../core/schema/room.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Snapshots } from '../desk/snapshots.ts';
import type { AgentsPort } from './agents-port.ts';
import type { Deps } from './dependencies-port.ts';
import type { InTurn } from './desk-turn-port.ts';
import type { DayBudget } from './day-budget-port.ts';
import type { FleetPort } from './fleet-port.ts';
import type { FolderGrants } from './folders-port.ts';
import type { HomeVault } from '../vault/home-vault.ts';
import type { LoadedPolicy } from '../policy/policy-file.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Memory } from './memory-port.ts';
import type { EgressRoutes } from '../egress/egress-routes.ts';
import type { LedgerPort, OnDurable, ProjectionsPort, Runs } from './port-types.ts';
import type { ChooseProcedure } from './procedures-port.ts';
import type { ReachingPort } from './reaching-port.ts';
import type { SchedulesPort } from './schedules-port.ts';
import type { OfferChoice } from './offers-port.ts';
import type { SkillsPort } from './skills-port.ts';
import type { ViewFolds } from '../rows/views-writer.ts';
import type { ResultReports } from './results-port.ts';

export const ports = {
  home: port<Home>('home'),
  config: port<Config>('config'),
  ledger: port<LedgerPort>('ledger'),
  /** All of it, for whoever moves events into the archive. */
  liveLedger: port<Ledger>('liveLedger'),
  events: port<EventStore>('events'),
  artifacts: artifactsPort,
  projections: port<ProjectionsPort>('projections'),
  taskGraph: port<() => TaskGraph>('taskGraph'),
  /** What graphs remember. */
  state: port<StateStore>('state'),
  vault: port<HomeVault>('vault'),
  onDurable: port<OnDurable>('onDurable'),
  /** Reports to a person the outcome of a task, and the file of its result. */
  reportResult: port<(line: string, file: string) => void>('reportResult'),
  /** Reports a problem of a run to a person. */
  reportRun: port<(text: string, run: string) => void>('reportRun'),
  /** Removes what is old in every room. */
  tidy: port<(tidying: Tidying) => Promise<Tidied>>('tidy'),
  /** The views of every room. */
  viewFolds: port<() => Promise<ViewFolds>>('viewFolds'),
  /** All providers of models. */
  providers: port<readonly ProviderDefinition[]>('providers'),
  /** All node kinds that people may write in graphs. */
  nodeKinds: port<readonly NodeKind[]>('nodeKinds'),
  runs: port<Runs>('runs'),
  /** Where the runs of tasks are executed. */
  backend: port<ExecutionBackend>('backend'),
  /** This home as a member of a fleet; null when it works alone. */
  fleet: port<FleetPort | null>('fleet'),
  /** All tools there are, those of other rooms too, once all rooms are open. */
  tools: port<ChangingTools>('tools'),

  /** rooms/approvals */
  policy: port<() => LoadedPolicy>('policy'),
  /** What models may cost today, over all runs. */
  dayBudget: port<DayBudget>('dayBudget'),
  /** rooms/models */
  egress: port<EgressRoutes>('egress'),
  models: modelsPort,
  /** rooms/desk */
  sandbox: port<Sandbox>('sandbox'),
  shadow: port<Snapshots>('shadow'),
  /** Whoever writes to the desk waits for a turn. */
  deskTurn: port<InTurn>('deskTurn'),
  /** To be called when a folder was put onto the desk, so that no step that is running is blamed for it. */
  deskPlaced: port<(name: string) => void>('deskPlaced'),
  /** Folders outside the desk that tasks may use. */
  folders: port<FolderGrants>('folders'),
  witness: port<NonNullable<EngineOptions['witness']>>('witness'),
  /** rooms/graphs: starts a graph of workspace/graphs. */
  runGraph: port<(asked: Omit<Extract<Intake, { kind: 'run_graph' }>, 'kind'>) => Promise<RunHandle>>('runGraph'),
  /** rooms/context: what the context tree says about the folder of a task. */
  frames: port<TaskFrames>('frames'),
  /** rooms/dependencies */
  deps: port<Deps>('deps'),
  /** rooms/procedures: what has worked for tasks like this one. */
  chooseProcedure: port<ChooseProcedure>('chooseProcedure'),
  /** rooms/memory */
  memory: port<Memory>('memory'),
  /** rooms/schedules */
  schedules: port<SchedulesPort>('schedules'),
  /** rooms/channels */
  reaching: port<ReachingPort>('reaching'),
  /** rooms/skills */
  skills: port<SkillsPort>('skills'),
  /** rooms/agents: who may be mentioned, and within which limits. */
  agents: port<AgentsPort>('agents'),
  /** rooms/offers: which tools and skills a prompt shows. */
  offers: port<OfferChoice>('offers'),
  /** rooms/chat: decides the turns of replies in conversations. */
  replyPlanner: port<Planner>('replyPlanner'),
  /** Lets a process with the pen that is no worker answer in conversations. */
  answerChats: port<() => void>('answerChats'),
  /** rooms/task */
  planner: port<Planner>('planner'),
  results: port<ResultReports>('results'),
  /** Whether a procedure could plan a task that has not been planned yet. */
  fitsProcedure: port<(run: string) => Promise<boolean>>('fitsProcedure'),
} as const;
