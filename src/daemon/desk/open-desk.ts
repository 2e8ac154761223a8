/** Owns: the desk while a process owns the pen: its tools, its sandbox, its snapshots. */
import { join } from 'node:path';
import { mayRedirectTo } from '../../guard/egress-rule.ts';
import type { Config } from '../../schema/config.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { Home } from '../../schema/home.ts';
import type { ArtifactStore, EventStore } from '../../schema/ports.ts';
import type { OpenedRoom } from '../../schema/room.ts';
import { openSnapshots } from '../../tools/desk/snapshots.ts';
import { classifierOf } from '../guard/classifier.ts';
import type { LoadedPolicy } from '../guard/policy-file.ts';
import { classWith, openSandbox } from '../guard/sandbox.ts';
import type { EgressRoutes } from '../network/egress-routes.ts';
import type { ports } from '../room-ports.ts';
import type { LedgerPort, OnDurable, Runs } from '../port-types.ts';
import { builtInTools } from './built-in-tools.ts';
import { onDesk, oneAtATime } from './desk.ts';
import { undo, undoFolder } from './undo.ts';
import { witnessWith } from './witness.ts';

export type DeskPorts = {
  home: Home;
  config: Config;
  ledger: Pick<LedgerPort, 'append'>;
  events: EventStore;
  artifacts: ArtifactStore;
  onDurable: OnDurable;
  egress: EgressRoutes;
  policy: () => LoadedPolicy;
  runs: Pick<Runs, 'startChild' | 'eventsOf'>;
  reportRun: (text: string, run: string) => void;
};

type Gives = Pick<typeof ports, 'sandbox' | 'shadow' | 'witness'>;

export function openDesk(needed: DeskPorts): OpenedRoom<unknown, Gives> {
  const { home, config, ledger, events, artifacts, onDurable, egress, policy, runs, reportRun } = needed;
  const folder = join(home.workspace, 'desk');
  const shadow = openSnapshots({ store: undoFolder(home), desk: folder });
  const inTurn = oneAtATime();
  const append = (event: NewEvent): Promise<unknown> => ledger.append(event);
  const classify = classifierOf(home);
  const sandbox = openSandbox({ home, sandbox: config.sandbox, classify, egress: egress.steps });
  const unsubscribe = onDurable(sandbox.forgetWitnesses);
  const tools = builtInTools({
    desk: folder,
    home,
    artifacts,
    startRun: ({ graph, input, call }) => runs.startChild(graph, input, call),
    shell: { classify: classWith(classify), sandbox: sandbox.forCommand },
    sendOn: (host) => mayRedirectTo(policy().policy, host),
    net: egress.tools,
  });
  return {
    gives: { sandbox, shadow, witness: witnessWith({ home, artifacts, events, shadow, append, inTurn }) },
    tools: onDesk(tools, shadow, append, inTurn, {
      onWait: ({ run }) => reportRun('the disk is full: it waits for space', run),
      environmentOf: sandbox.environmentOf,
    }),
    intakes: {
      undo: async ({ run }) => {
        await undo({ runs, ledger, shadow }, run);
        return null;
      },
    },
    close: () => {
      unsubscribe();
      shadow.close();
    },
  };
}
