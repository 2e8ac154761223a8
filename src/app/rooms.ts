/**
 * THE list of rooms: everything that the worker, `oka doctor`, tidying and the command line consist of.
 * To add a capability: a folder with a room.ts, and one line here. The order is that of findings, tools and polls;
 * the order of opening follows from what rooms need (open-rooms.ts).
 */
import { engine } from '../core/engine/room.ts';
import { guard } from '../core/guard/room.ts';
import { intake } from '../rooms/inbox/room.ts';
import { ledger } from '../core/ledger/room.ts';
import { models } from '../kit/models/room.ts';
import type { HouseRoom } from '../kit/house/house.ts';
import { replica } from '../rooms/replica/room.ts';
import { views } from '../kit/views/room.ts';
import { accounts } from '../rooms/accounts/room.ts';
import { addOns } from '../rooms/add-ons/room.ts';
import { agents } from '../rooms/agents/room.ts';
import { browsing } from '../rooms/browsing/room.ts';
import { reaching } from '../rooms/channels/room.ts';
import { chat } from '../rooms/chat/room.ts';
import { dependencies } from '../rooms/dependencies/room.ts';
import { desk } from '../rooms/desk/room.ts';
import { fleet } from '../rooms/fleet/room.ts';
import { graphs } from '../rooms/graphs/room.ts';
import { homeGuard } from '../rooms/approvals/room.ts';
import { homeRoom } from '../rooms/records/room.ts';
import { liveStream } from '../rooms/live/room.ts';
import { backup } from '../rooms/backup/room.ts';
import { maintenance } from '../rooms/maintenance/room.ts';
import { mcpServers } from '../rooms/mcp/room.ts';
import { metrics } from '../rooms/figures/room.ts';
import { memory } from '../rooms/memory/room.ts';
import { procedures } from '../rooms/procedures/room.ts';
import { network } from '../rooms/models/room.ts';
import { offering } from '../rooms/offers/room.ts';
import { webSearch } from '../rooms/web/room.ts';
import { schedules } from '../rooms/schedules/room.ts';
import { skills } from '../rooms/skills/room.ts';
import { task } from '../rooms/task/room.ts';
import { telemetry } from '../rooms/telemetry/room.ts';
import { synthesis } from '../rooms/context/synthesis/room.ts';
import { contextTree } from '../rooms/context/tree/room.ts';
import { dashboard } from './web/room.ts';
import { worker } from './worker/room.ts';

export const rooms: readonly HouseRoom[] = [
  homeRoom,
  desk,
  graphs,
  task,
  dependencies,
  homeGuard,
  models,
  memory,
  procedures,
  worker,
  schedules,
  chat,
  maintenance,
  ledger,
  intake,
  guard,
  views,
  metrics,
  engine,
  contextTree,
  synthesis,
  network,
  webSearch,
  accounts,
  browsing,
  skills,
  agents,
  offering,
  mcpServers,
  liveStream,
  dashboard,
  reaching,
  replica,
  backup,
  addOns,
  telemetry,
  fleet,
];
