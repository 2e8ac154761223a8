import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pauseFile } from '../../../kit/home/stop-files.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../../../kit/cli/run-requests.ts';

type Data = RequestData | { paused: true };

export async function run(call: Call<{ now: boolean }>): Promise<Answer<Data>> {
  const now = call.options.now ? { now: true as const } : {};
  if (call.operands.length > 0) return requestRun(call, { kind: 'pause', run: await runOperand(call), ...now });
  const file = pauseFile(call.home);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'No new task starts while this file is here. Remove it, or: oka unpause\n', {
    mode: 0o600,
  });
  return answer({ paused: true });
}

export const jsonLines = (data: Data): object[] => ('paused' in data ? [data] : requestJson(data));

export function render(data: Data, terminal: Terminal): string {
  if (!('paused' in data)) return renderRequest(data, terminal);
  return 'No new task starts now; the queue keeps filling. Continue with: oka unpause\n';
}
