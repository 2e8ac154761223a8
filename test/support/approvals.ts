/** A home whose policy asks about every command, the engine as the product builds it, and polls that a test makes itself. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApprovalPages, openApprovals } from '../../src/rooms/approvals/approval-pages.ts';
import { loadRoomsConfig } from '../../src/kit/house/room-config.ts';
import { startedRun } from '../../src/core/schema/room.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { openStores, type Stores, storePorts } from '../../src/kit/house/stores.ts';
import { openHome } from '../../src/kit/house/wire.ts';
import type { Engine } from '../../src/core/engine/engine.ts';
import type { Open } from '../../src/core/guard/approval-page.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event, EventType } from '../../src/core/schema/event.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import type { WaitAnswer } from '../../src/core/schema/wait.ts';

export const RAN = 'ran.txt';

export type Asker = {
  home: Home;
  engine: Engine;
  stores: Stores;
  pages: ApprovalPages;
  /** Lets a run of these nodes come to rest. */
  run: (id: string, nodes: unknown[]) => Promise<void>;
  /** The only approval that is awaited. */
  open: () => Open;
  pageFile: (wait?: string) => string;
  /** Polls until an edit counts, and waits until the runs are settled. */
  looks: () => Promise<void>;
  answer: (wait: string, answer: WaitAnswer) => Promise<string>;
  /** How often the command that was asked about has run. */
  ran: () => number;
  desk: (name: string) => string;
};

export const shell = (input: object, rest: object = {}): object => ({
  kind: 'tool',
  id: 'act',
  tool: 'shell',
  input,
  timeout_seconds: 20,
  max_retries: 0,
  ...rest,
});
export const acting = (rest: object = {}): object => shell({ line: `echo ran >> ${RAN}` }, rest);

export function askingHome(dir: string, change: (policy: string) => string = (policy) => policy): Home {
  const home = homeAt(dir);
  setUp(home);
  const policy = readFileSync(home.policy, 'utf8').replace('rules: []', 'rules:\n  - { effect: ask, tool: shell }');
  writeFileSync(home.policy, change(policy));
  return home;
}

/** Runs a process with the pen, from its start to its end. */
export async function withProcess(home: Home, work: (asker: Asker) => Promise<void>): Promise<void> {
  const config = await loadRoomsConfig(home);
  const stores = await openStores(home, config);
  const { engine, handle, refresh, poll, close } = await openHome(config, storePorts(home, stores));
  const pages: ApprovalPages = {
    show: () => poll({ isStopped: true }),
    poll: async () => {
      await refresh();
      await poll({ isStopped: false });
      await engine.whenIdle();
    },
  };
  /** A changed policy counts once it has stayed the same. */
  const refreshTwice = async (): Promise<void> => {
    for (let times = 0; times < 2; times += 1) await refresh();
  };
  const desk = (name: string): string => join(home.workspace, 'desk', name);
  const open = (): Open => {
    const [only, ...more] = openApprovals(stores.taskGraph());
    if (only === undefined || more.length > 0) throw new Error(`${more.length + 1} approvals are awaited`);
    return only;
  };
  try {
    await work({
      home,
      engine,
      stores,
      pages,
      desk,
      open,
      run: async (id, nodes) => {
        await refreshTwice();
        await (await engine.start(Graph.parse({ id: 'g', nodes }), { id })).done;
        await pages.show();
      },
      pageFile: (wait = open().wait) => join(home.oka, 'approvals', `${wait}.md`),
      looks: async () => {
        for (let times = 0; times < 3; times += 1) await pages.poll();
      },
      answer: async (wait, answer) => {
        await refreshTwice(); // as the host does before it takes a request
        return handle({ kind: 'answer', wait, answer }).then(
          async (handled) => {
            const going = startedRun(handled);
            await going?.done;
            return going === null ? 'nothing' : ((await engine.stateOf(going.run.id))?.status ?? 'nothing');
          },
          (error: Error) => error.message,
        );
      },
      ran: () => (existsSync(desk(RAN)) ? readFileSync(desk(RAN), 'utf8').split('\n').length - 1 : 0),
    });
  } finally {
    await engine.stopAll('the test ends');
    try {
      await close();
    } finally {
      await stores.close();
    }
  }
}

export function decide(file: string, decision: string, note = ''): void {
  const text = readFileSync(file, 'utf8').replace('decision:\n', `decision: ${decision}\n`);
  writeFileSync(file, note === '' ? text : text.replace('note:\n', `note: ${note}\n`));
}

export type Told<T extends EventType> = Extract<Event, { type: T }>['data'];

export async function told<T extends EventType>(home: Home, type: T): Promise<Told<T>[]> {
  const found: Told<T>[] = [];
  for await (const event of readEvents(home.ledgers.run)) if (event.type === type) found.push(event.data as Told<T>);
  return found;
}
