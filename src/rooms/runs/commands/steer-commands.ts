/** Pausing, continuing and ending. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPaused, pauseFile, restoredFile } from '../../../kit/home/stop-files.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../../../kit/cli/run-requests.ts';
import { flag } from '../../../kit/cli/options.ts';

type PauseData = RequestData | { paused: true };

export const commands: Commands = {
  pause: command({
    summary: 'Pause a run once its command has ended; without a run: start nothing new',
    operands: '[run]',
    options: { now: flag('End the command that is running instead of letting it finish.') },
    example: 'oka pause report-1',
    run: async (call: Call<{ now: boolean }>): Promise<Answer<PauseData>> => {
      const now = call.options.now ? { now: true as const } : {};
      if (call.operands.length > 0) return requestRun(call, { kind: 'pause', run: await runOperand(call), ...now });
      const file = pauseFile(call.home);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'No new task starts while this file is here. Remove it, or: oka unpause\n', {
        mode: 0o600,
      });
      return answer({ paused: true });
    },
    render: (data: PauseData, terminal: Terminal): string => {
      if (!('paused' in data)) return renderRequest(data, terminal);
      return 'No new task starts now; the queue keeps filling. Continue with: oka unpause\n';
    },
    jsonLines: (data: PauseData): object[] => ('paused' in data ? [data] : requestJson(data)),
  }),
  unpause: command({
    summary: 'Start new tasks again after `oka pause`',
    example: 'oka unpause',
    run: async ({ home }) => {
      const was = isPaused(home);
      for (const file of [pauseFile(home), restoredFile(home)]) rmSync(file, { force: true });
      return answer({ paused: false, was });
    },
    render: ({ was }) => (was ? 'Tasks start again.\n' : 'It was not paused.\n'),
  }),
  cancel: command({
    summary: 'End a run for good',
    operands: '<run>',
    example: 'oka cancel report-1',
    run: async (call) => requestRun(call, { kind: 'cancel', run: await runOperand(call) }),
    render: renderRequest,
    jsonLines: requestJson,
  }),
  resume: command({
    summary: 'Continue a stopped, paused or blocked run; after a failure start a linked one',
    operands: '<run>',
    example: 'oka resume report-1',
    run: async (call) => requestRun(call, { kind: 'resume', run: await runOperand(call) }),
    render: renderRequest,
    jsonLines: requestJson,
  }),
};
