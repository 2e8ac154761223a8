/**
 * THE list of rooms: everything that the worker, `oka doctor`, tidying and the command line consist of.
 * To add a capability: a folder with a room.ts, and one line here. The order is that of findings, tools and polls;
 * the order of opening follows from what rooms need (open-rooms.ts).
 */
import { chat } from '../chat/room.ts';
import { engine } from '../engine/room.ts';
import { graphs } from '../graphs/room.ts';
import { guard } from '../guard/room.ts';
import { intake } from '../intake/room.ts';
import { ledger } from '../ledger/room.ts';
import { memory } from '../memory/room.ts';
import { models } from '../models/room.ts';
import type { RunState } from '../engine/run-state.ts';
import type { Room } from '../schema/room.ts';
import { replica } from '../replica/room.ts';
import { tools } from '../tools/room.ts';
import { views } from '../views/room.ts';
import { agents } from './agents/room.ts';
import { reaching } from './channels/room.ts';
import { conversations } from './chat/room.ts';
import { dependencies } from './deps/room.ts';
import { desk } from './desk/room.ts';
import { fleet } from './fleet/room.ts';
import { homeGraphs } from './graphs/room.ts';
import { homeGuard } from './guard/room.ts';
import { homeRoom } from './home/room.ts';
import { liveStream } from './live/room.ts';
import { maintenance } from './maintain/room.ts';
import { mcpServers } from './mcp/room.ts';
import { metrics } from './metrics/room.ts';
import { homeMemory } from './memory/room.ts';
import { network } from './network/room.ts';
import { offering } from './offers/room.ts';
import { webSearch } from './search/room.ts';
import { schedules } from './schedule/room.ts';
import { skills } from './skills/room.ts';
import { task } from './task/room.ts';
import { synthesis } from './context/synthesis/room.ts';
import { contextTree } from './context/tree/room.ts';
import { viewStore } from './views/room.ts';
import { dashboard } from './web/room.ts';
import { worker } from './worker/room.ts';

export type DaemonRoom = Room<RunState>;

export const rooms: readonly DaemonRoom[] = [
  homeRoom,
  desk,
  homeGraphs,
  task,
  dependencies,
  homeGuard,
  models,
  homeMemory,
  worker,
  schedules,
  conversations,
  maintenance,
  ledger,
  intake,
  guard,
  tools,
  views,
  chat,
  metrics,
  viewStore,
  engine,
  graphs,
  memory,
  contextTree,
  synthesis,
  network,
  webSearch,
  skills,
  agents,
  offering,
  mcpServers,
  liveStream,
  dashboard,
  reaching,
  replica,
  fleet,
];
