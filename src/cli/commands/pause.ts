import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pauseFile } from '../../daemon/home/stop-files.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { request } from '../run-requests.ts';

export async function run(call: Call): Promise<number> {
  if (call.operands.length > 0) return request(call, { kind: 'pause', run: onlyOperand(call, 'run') });
  const file = pauseFile(call.home);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'Nothing new is begun while this file is here. Remove it, or: oka unpause\n');
  call.out(
    call.json
      ? `${JSON.stringify({ paused: true })}\n`
      : 'Nothing new is begun now; the queue keeps filling. Go on with: oka unpause\n',
  );
  return exits.ok;
}
