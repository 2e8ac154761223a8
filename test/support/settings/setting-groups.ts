/** All groups of settings, and the settings whose effect is seen elsewhere, or cannot be seen. */
import { backupSettings } from './backup-settings.ts';
import { chatSettings } from './chat-settings.ts';
import { commandSettings } from './command-settings.ts';
import { habitSettings } from './habit-settings.ts';
import { moneyBudgetSettings, segmentSettings, tokenBudgetSettings } from './limit-settings.ts';
import { maintenanceSettings } from './maintenance-settings.ts';
import { memorySettings } from './memory-settings.ts';
import { modelSettings } from './model-settings.ts';
import { replicaBatchSettings } from './replica-batch-settings.ts';
import { replicaSettings } from './replica-settings.ts';
import type { OpenGroup } from './setting-group.ts';
import { slowSettings } from './slow-settings.ts';
import { partOf } from '../thorough.ts';
import { treeSettings } from './tree-settings.ts';
import { upSettings } from './up-settings.ts';
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
  upSettings,
  replicaBatchSettings,
  tokenBudgetSettings,
  moneyBudgetSettings,
  segmentSettings,
];

/** What the story of settings tries: in a part of the suite a third of the homes. */
export const groupsToTry = partOf(3, settingGroups, ({ name }) => name);

/** Tried on the real command by a test of their own. */
export const seenElsewhere: Readonly<Record<string, string>> = {
  'web.off': 'test/story/dashboard-settings.test.ts',
  'web.port': 'test/story/dashboard-settings.test.ts',
  'web.address': 'test/story/dashboard-settings.test.ts',
};

/** Not seen on the real command, and why. */
export const notSeen: Readonly<Record<string, string>> = {
  'browser.idle_minutes': 'a minute at least, and a page that a browser has open',
  'inbox.rescan_ms':
    'on a local disk a watcher notices all that comes, also with a folder that takes the place of the inbox',
  'replica.batch.seconds': 'only how soon something is sent',
};
