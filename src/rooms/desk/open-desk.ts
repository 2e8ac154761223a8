/** Owns: the desk while a process owns the pen: its tools, its sandbox, its snapshots. */
import { realpathSync } from 'node:fs';
import { mayRedirectTo } from '../../core/guard/egress-rule.ts';
import type { Config } from '../../core/schema/config.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { LiveSteps } from '../../core/schema/live-port.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ArtifactStore, EventStore, ToolRegistry } from '../../core/schema/ports.ts';
import type { OpenedRoom } from '../../core/schema/room.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { isRestorable } from '../../kit/desk/restorable.ts';
import type { FileOrigins } from '../../kit/desk/file-origins.ts';
import { openSnapshots, type Snapshots } from '../../kit/desk/snapshots.ts';
import { type Classifier, classifierOf } from '../../kit/policy/classifier.ts';
import { commandOf } from '../../kit/policy/create-guard.ts';
import { acceptedFiles } from './accepted-files.ts';
import { openApprovedFolders } from './approved-folders.ts';
import { openFolderGrants } from './folder-grants.ts';
import type { FolderGrants } from '../../kit/ports/folders-port.ts';
import type { LoadedPolicy } from '../../kit/policy/policy-file.ts';
import { classWith, judgeWith, openSandbox, type Sandbox } from '../../kit/sandbox/sandbox.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import type { ports } from '../../kit/ports/room-ports.ts';
import { commandEnvironment } from '../../kit/settings.ts';
import type { SkillsPort } from '../../kit/ports/skills-port.ts';
import type { LedgerPort, OnDurable, ProjectionsPort, Runs } from '../../kit/ports/port-types.ts';
import { builtInTools } from './built-in-tools.ts';
import { type DeskPorts, recordAfter, recordUnbegun } from './desk.ts';
import { onDesk } from './desk-calls.ts';
import { deskTurns } from './desk-turns.ts';
import { onNamedDesk } from '../../kit/desk/fork-desks.ts';
import { openDeskCalls } from './open-desk-calls.ts';
import type { AsidePorts } from './set-aside.ts';
import { deskSettling } from './settle-desk.ts';
import { type TaskPlaces, taskPlaces } from './task-place.ts';
import { previewUndo, undo } from './undo.ts';
import { undoFolder, undoLimits } from '../../kit/runs/undo-folder.ts';
import { witnessWith } from './witness.ts';

type DeskRoomPorts = {
  home: Home;
  config: Config;
  ledger: Pick<LedgerPort, 'append'>;
  events: EventStore;
  projections: ProjectionsPort;
  artifacts: ArtifactStore;
  onDurable: OnDurable;
  egress: EgressRoutes;
  policy: () => LoadedPolicy;
  runs: Pick<Runs, 'startChild' | 'eventsOf' | 'stateOf'>;
  reportRun: (text: string, run: string) => void;
  live: LiveSteps;
  skills: SkillsPort;
  tools: Pick<ToolRegistry, 'get'>;
};

type Gives = Pick<typeof ports, 'folders' | 'sandbox' | 'shadow' | 'witness' | 'deskTurn' | 'deskPlaced'>;

export function openDesk(needed: DeskRoomPorts): OpenedRoom<unknown, Gives> {
  const { home, config, ledger, events, artifacts, onDurable, egress, policy, runs, tools: allTools } = needed;
  const folder = deskFolder(home);
  const shadow = openSnapshots({ store: undoFolder(home), desk: folder, ...undoLimits(config.maintenance) });
  const classify = classifierOf(home);
  const folders = openFolderGrants({
    home,
    policy,
    runs,
    artifacts,
    clock: Date.now,
    approved: openApprovedFolders(home),
  });
  const sandbox: Sandbox = openSandbox({
    home,
    sandbox: config.sandbox,
    classify,
    egress: egress.steps,
    folders: folders.forCall,
    placeOf: (call) => places.of(call),
  });
  const places = taskPlaces({
    home,
    runs,
    isConfined: sandbox.isConfined,
    namedIn: (call) => {
      const command = commandOf(call);
      return command === null ? [] : classify(command).paths;
    },
  });
  const closing = new AbortController();
  const accepted = (run: string): Promise<string[]> => acceptedFiles(runs, run);
  const asidePorts: AsidePorts = { shadow, policy, clock: Date.now, acceptedFiles: accepted };
  const desk = {
    ...writableDesk(needed, sandbox, shadow, asidePorts, closing.signal),
    foldersOf: changedFolders(home, folders),
    placeOf: places.of,
    readsOf: places.readBy,
    makePlace: places.make,
  };
  const { inTurn } = desk;
  const deskPlaced = (name: string): void => void desk.placed?.add(name);
  const undoing = new Set<Promise<unknown>>();
  const unsubscribe = onDurable(sandbox.forgetWitnesses);
  const tools = deskTools(needed, { folders, sandbox, classify, places, origins: shadow.origins });
  return {
    gives: {
      folders,
      sandbox,
      shadow,
      witness: witnessWith({ home, artifacts, events, inTurn, aside: asidePorts }),
      deskTurn: inTurn,
      deskPlaced,
    },
    tools: onDesk(tools, desk),
    intakes: {
      // It may wait for a long command, and requests, such as one to stop, are read meanwhile.
      undo: async ({ run, dry_run: isDry }) => {
        const undoPorts = { runs, ledger, shadow, deskTurn: inTurn, tools: allTools };
        const answer = isDry === true ? previewUndo(undoPorts, run) : undo(undoPorts, run);
        const recorded = answer.catch((error: unknown) =>
          ledger.append({
            type: 'intake.rejected',
            data: { name: `undo ${run}`.slice(0, 255), reason: messageOf(error) },
          }),
        );
        undoing.add(recorded);
        // a ledger that takes nothing ends the worker by itself
        void recorded.finally(() => undoing.delete(recorded)).catch(() => undefined);
        return { answer };
      },
    },
    close: async () => {
      closing.abort();
      await Promise.allSettled(undoing);
      unsubscribe();
      shadow.close();
    },
  };
}

type DeskGuards = {
  folders: FolderGrants;
  sandbox: Sandbox;
  classify: Classifier;
  places: TaskPlaces;
  origins: FileOrigins;
};

/** The built-in tools, which act on the desk, or in the copy of it that a fork works in. */
function deskTools(
  { home, artifacts, runs, live, policy, egress, skills }: DeskRoomPorts,
  { folders, sandbox, classify, places, origins }: DeskGuards,
): Tool[] {
  const toolsIn = (desk: string): Tool[] =>
    builtInTools({
      desk,
      home,
      artifacts,
      folders: folders.forCall,
      placeOf: places.of,
      origins,
      startRun: ({ graph, input, call }) => runs.startChild(graph, input, call),
      shell: {
        env: { ...commandEnvironment(home), HOME: desk },
        classify: classWith(classify, deskFolder(home)),
        judge: judgeWith(classify, deskFolder(home)),
        sandbox: sandbox.forCommand,
        live,
      },
      useSkill: skills.use,
      sendOn: (host) => mayRedirectTo(policy().policy, host),
      net: egress.tools,
    });
  return onNamedDesk(toolsIn(deskFolder(home)), (fork) => toolsIn(deskFolder(home, fork)));
}

/** A fork works in a folder outside the desk, too. */
function changedFolders(home: Home, folders: FolderGrants): NonNullable<DeskPorts['foldersOf']> {
  return async (call) => {
    if (call.desk !== undefined) return { restorable: [realpathSync(deskFolder(home, call.desk))], uncovered: [] };
    const writable = (await folders.forCall(call)).filter(({ access }) => access === 'write').map(({ path }) => path);
    const restorable = writable.filter((path) => isRestorable(path));
    return { restorable, uncovered: writable.filter((path) => !restorable.includes(path)) };
  };
}

/** The desk with its turns; what a process before left open is settled at once, and not only by the first who writes. */
function writableDesk(
  { home, ledger, projections, reportRun }: DeskRoomPorts,
  sandbox: Sandbox,
  shadow: Snapshots,
  asidePorts: AsidePorts,
  signal: AbortSignal,
): DeskPorts {
  const append = (event: NewEvent): Promise<unknown> => ledger.append(event);
  const settling = deskSettling({
    home,
    openCalls: () => projections.stateOf(openDeskCalls).open,
    recordAfter: (call) => recordAfter(desk, call, signal),
    recordUnbegun: (call) => recordUnbegun(desk, call, signal),
    hasLauncher: sandbox.hasLauncher,
    report: (text, run) => reportRun(text, run ?? 'desk'),
    signal,
  });
  const desk: DeskPorts = {
    shadow,
    append,
    inTurn: deskTurns(settling.settle),
    atWork: settling.atWork,
    seen: settling.seen,
    placed: new Set(),
    onWait: (run) => reportRun('the disk is full: it waits for space', run),
    environmentOf: sandbox.environmentOf,
    aside: asidePorts,
  };
  void settling.settle({}).catch(() => undefined); // whoever writes first gets the error
  return desk;
}
