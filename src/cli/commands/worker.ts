import { beat } from '../../daemon/supervise.ts';
import { work } from '../../daemon/worker/worker.ts';
import { type Call, exits } from '../command.ts';
import { plainText } from '../plain-text.ts';

export async function run({ home, signal, out }: Call): Promise<number> {
  const heart = beat();
  const parentGone = new AbortController();
  process.once('disconnect', () => parentGone.abort());
  try {
    await work(home, AbortSignal.any([signal, parentGone.signal]), (line) =>
      out(`${timeOfDay()} ${plainText(line)}\n`),
    );
    return exits.ok;
  } finally {
    clearInterval(heart);
    if (process.connected) process.disconnect(); // who listens for its end is kept alive by it
  }
}

const timeOfDay = (): string => new Date().toTimeString().slice(0, 8);
