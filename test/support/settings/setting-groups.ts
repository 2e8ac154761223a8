/** All groups of settings, and the settings whose effect is seen elsewhere, or cannot be seen. */
import { backupSettings } from './backup-settings.ts';
import { chatSettings } from './chat-settings.ts';
import { commandSettings } from './command-settings.ts';
import { habitSettings } from './habit-settings.ts';
import { maintenanceSettings } from './maintenance-settings.ts';
import { memorySettings } from './memory-settings.ts';
import { modelSettings } from './model-settings.ts';
import { replicaSettings } from './replica-settings.ts';
import type { OpenGroup } from './setting-group.ts';
import { slowSettings } from './slow-settings.ts';
import { treeSettings } from './tree-settings.ts';
import { workerSettings } from './worker-settings.ts';

export const settingGroups: readonly OpenGroup[] = [
  workerSettings,
  commandSettings,
  replicaSettings,
  chatSettings,
  memorySettings,
  modelSettings,
  backupSettings,
  maintenanceSettings,
  habitSettings,
  treeSettings,
  slowSettings,
];

/** Tried on the real command by a test of their own. */
export const seenElsewhere: Readonly<Record<string, string>> = {
  'web.off': 'test/story/dashboard-settings.test.ts',
  'web.port': 'test/story/dashboard-settings.test.ts',
  'web.address': 'test/story/dashboard-settings.test.ts',
};

const UNTRIED = 'nobody has written its row yet';

/** Not seen on the real command, and why. */
export const notSeen: Readonly<Record<string, string>> = {
  'browser.idle_minutes': UNTRIED,
  'browser.on': UNTRIED,
  'browser.program': UNTRIED,
  'inbox.rescan_ms':
    'on a local disk a watcher notices all that comes, also with a folder that takes the place of the inbox',
  'ledger.segment_mb': UNTRIED,
  'ledger.snapshot_events': UNTRIED,
  'maintenance.off': UNTRIED,
  'maintenance.wording_budget.tokens': UNTRIED,
  'maintenance.wording_budget.usd': UNTRIED,
  'memory.procedures': UNTRIED,
  'memory.shares.procedures': UNTRIED,
  'replica.batch.kb': UNTRIED,
  'replica.batch.seconds': UNTRIED,
  'replica.timeout_seconds': UNTRIED,
  'search.key': UNTRIED,
  'tree.watch_seconds': UNTRIED,
};
