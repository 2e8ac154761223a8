/** The table of commands, by what they are for. To add one: a row in a table of its room, and a file beside it. */
import type { Command } from '../../kit/cli/command-module.ts';
import { agents } from '../../rooms/agents/commands/agents-commands.ts';
import { fleetRepair } from '../../rooms/fleet/commands/backfill-commands.ts';
import { bulk } from '../../rooms/runs/commands/bulk-commands.ts';
import { channels } from '../../rooms/channels/commands/channels-commands.ts';
import { contextFrames, contextStatus, contextTree } from '../../rooms/context/commands/context-commands.ts';
import { graphFiles } from '../../rooms/graphs/commands/graph-files-commands.ts';
import { graphState } from '../../rooms/graphs/commands/graph-state-commands.ts';
import { graphs } from './table/graphs-commands.ts';
import { guard } from './table/guard-commands.ts';
import { mcp } from './table/mcp-commands.ts';
import { memory } from './table/memory-commands.ts';
import { models } from '../../rooms/models/commands/model-commands.ts';
import { chat } from '../../rooms/chat/commands/chat-commands.ts';
import { forOthers } from './table/others-commands.ts';
import { replica } from '../../rooms/replica/commands/replica-commands.ts';
import { graphSchedules, schedules } from '../../rooms/schedules/commands/schedule-commands.ts';
import { skills } from '../../rooms/skills/commands/skills-commands.ts';
import { contextQuestions, contextSynthesis } from '../../rooms/context/commands/synthesis-commands.ts';
import { steer } from './table/steer-commands.ts';
import { tools } from '../../rooms/dependencies/commands/tools-commands.ts';
import { upkeep } from './table/upkeep-commands.ts';
import { web } from '../web/commands/web-commands.ts';
import { work } from './table/work-commands.ts';

export const groups: readonly { title: string; commands: Readonly<Record<string, Command>> }[] = [
  { title: 'Work', commands: work },
  { title: 'Talk', commands: chat },
  { title: 'At fixed times', commands: schedules },
  { title: 'Answer and steer', commands: steer },
  { title: 'Many runs at once', commands: bulk },
  { title: 'Dashboard', commands: web },
  { title: 'Reaching you', commands: channels },
  { title: 'Memory and habits', commands: memory },
  {
    title: 'What the workspace contains',
    commands: { ...contextTree, ...contextQuestions, ...contextStatus, ...contextSynthesis, ...contextFrames },
  },
  { title: 'Graphs, and looking closer', commands: { ...graphFiles, ...graphs, ...graphState, ...graphSchedules } },
  { title: 'Skills', commands: skills },
  { title: 'Agents', commands: agents },
  { title: 'Tools', commands: { ...tools, ...mcp } },
  { title: 'Language models', commands: models },
  { title: 'Secrets and the guard', commands: guard },
  { title: 'For other programs', commands: forOthers },
  { title: 'Upkeep', commands: upkeep },
  { title: 'A copy elsewhere', commands: replica },
  { title: 'Repairing a fleet', commands: fleetRepair },
];

export const commands: Readonly<Record<string, Command>> = Object.assign({}, ...groups.map((group) => group.commands));
