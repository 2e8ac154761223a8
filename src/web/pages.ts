/** Every page of the dashboard, in one list. A new page is a folder in pages/ and a line here. */
import type { Page } from './page.ts';
import { chatPages } from './pages/chat/page.ts';
import { comparePage } from './pages/compare/page.ts';
import { daysPage } from './pages/days/page.ts';
import { figuresPage } from './pages/figures/page.ts';
import { fleetPage } from './pages/fleet/page.ts';
import { graphPage } from './pages/graph/page.ts';
import { graphsPage } from './pages/graphs/page.ts';
import { healthPage } from './pages/health/page.ts';
import { learnedPage } from './pages/learned/page.ts';
import { ledgerPage } from './pages/ledger/page.ts';
import { memoryPage } from './pages/memory/page.ts';
import { nowPage } from './pages/now/page.ts';
import { procedurePage } from './pages/procedure/page.ts';
import { proceduresPage } from './pages/procedures/page.ts';
import { runPages } from './pages/run/page.ts';
import { runsPage } from './pages/runs/page.ts';
import { schedulesPage } from './pages/schedules/page.ts';
import { setupPage } from './pages/setup/page.ts';
import { treePage } from './pages/tree/page.ts';

export const pages: readonly Page[] = [
  nowPage,
  runsPage,
  ...runPages,
  comparePage,
  ...chatPages,
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
  setupPage,
];
