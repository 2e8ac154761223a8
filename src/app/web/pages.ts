/** Every page of the dashboard, in one list. A new page is a folder with a page.ts in its room, and a line here. */
import type { Page } from '../../kit/web/page.ts';
import { chatPages } from '../../rooms/chat/page/page.ts';
import { comparePage } from '../../rooms/runs/compare-page/page.ts';
import { daysPage } from '../../rooms/memory/days-page/page.ts';
import { designPage } from '../design/page.ts';
import { filesPage } from '../../rooms/desk/page/page.ts';
import { figuresPage } from '../../rooms/figures/page/page.ts';
import { fleetPage } from '../../rooms/fleet/page/page.ts';
import { graphPage } from '../../rooms/graphs/graph-page/page.ts';
import { graphsPage } from '../../rooms/graphs/page/page.ts';
import { healthPage } from '../health/page.ts';
import { learnedPage } from '../../rooms/memory/learned-page/page.ts';
import { ledgerPage } from '../../rooms/records/page/page.ts';
import { memoryPage } from '../../rooms/memory/page/page.ts';
import { nowPage } from '../now/page.ts';
import { procedurePage } from '../../rooms/procedures/procedure-page/page.ts';
import { proceduresPage } from '../../rooms/procedures/page/page.ts';
import { runPages } from '../../rooms/runs/run-page/page.ts';
import { runsPage } from '../../rooms/runs/page/page.ts';
import { schedulesPage } from '../../rooms/schedules/page/page.ts';
import { settingsPage } from '../settings/page.ts';
import { setupPage } from '../setup/page.ts';
import { treePage } from '../../rooms/context/page/page.ts';

export const pages: readonly Page[] = [
  nowPage,
  runsPage,
  ...runPages,
  comparePage,
  ...chatPages,
  filesPage,
  graphsPage,
  graphPage,
  schedulesPage,
  memoryPage,
  learnedPage,
  daysPage,
  proceduresPage,
  procedurePage,
  treePage,
  fleetPage,
  figuresPage,
  ledgerPage,
  healthPage,
  settingsPage,
  setupPage,
  designPage,
];
