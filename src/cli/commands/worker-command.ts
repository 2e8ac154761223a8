import { work } from '../../daemon/worker/worker.ts';
import { type Answer, type Call, exits } from '../command-module.ts';
import { plainText, timeOfDay } from '../plain-text.ts';

export async function run({ home, signal, emit, underSupervisor }: Call<object, string>): Promise<Answer<string>> {
  await underSupervisor(signal, (stop) => work(home, stop, (line) => emit(plainText(line))));
  return { code: exits.ok };
}

export const render = (line: string): string => `${timeOfDay()} ${line}\n`;
