/** Owns: the browser while a process has the pen, and its tools for simulations. */
import { BrowserConfig, ConfigWithBrowser } from '../../core/schema/browser.ts';
import type { Home } from '../../core/schema/home.ts';
import type { OpenedRoom } from '../../core/schema/room.ts';
import type { Tool } from '../../core/schema/tool.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import { parseConfig } from '../../kit/settings.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';
import { openSessions } from './browser-sessions.ts';
import { browserTools } from './browser-tools.ts';

type BrowsingPorts = { home: Home; egress: EgressRoutes; settings: BrowserConfig };

export function openBrowsing({ home, egress, settings }: BrowsingPorts): OpenedRoom<RunState> {
  const sessions = openSessions({ home, egress: egress.steps, settings });
  return {
    tools: browserTools(sessions, settings),
    runSettled: async ({ id, status }) => {
      if (!id.includes('.') && !['blocked', 'paused'].includes(status)) await sessions.endTask(id);
    },
    refresh: () => sessions.closeIdle(),
    close: () => sessions.close(),
  };
}

/** For a simulation, which has them where the operator has switched the browser on. */
export async function simulatedBrowserTools(home: Home): Promise<Tool[]> {
  const { browser } = await parseConfig(home, ConfigWithBrowser);
  return browser.on ? browserTools(unusedPorts, browser) : [];
}
