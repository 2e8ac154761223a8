import type { Call } from '../command.ts';
import { decide } from '../decide-approval.ts';

export async function run(call: Call): Promise<number> {
  return decide(call, 'denied');
}
