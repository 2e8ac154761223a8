import { penHolder } from '../../ledger/pen.ts';
import { beat } from '../../daemon/supervise.ts';
import { type Call, exits } from '../command.ts';
import { staying } from '../stay.ts';
import { count, plainText } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  if (call.flag('health')) return health(call);
  if (call.flag('dry-run')) return lookAhead(call);
  if (call.flag('once')) return once(call);
  const heart = beat();
  const parentGone = new AbortController();
  process.once('disconnect', () => parentGone.abort());
  const signal = AbortSignal.any([call.signal, parentGone.signal]);
  try {
    const { maintain } = await import('../../daemon/maintain/maintain.ts');
    return await staying({ ...call, signal }, async (isNews) => {
      await maintain(call.home, signal, (line) => {
        if (isNews(line)) call.out(`${timeOfDay()} ${plainText(line)}\n`);
      });
      return exits.ok;
    });
  } finally {
    clearInterval(heart);
    if (process.connected) process.disconnect(); // who listens for its end is kept alive by it
  }
}

/** For supervisors and containers, which ask often: asks the kernel who holds the pen, and loads nothing else. */
function health({ home, out }: Call): number {
  const holder = penHolder(home.ledgers.maintenance);
  out(holder === null ? 'maintenance is not running\n' : `maintenance is running, process ${holder.pid}\n`);
  return holder === null ? exits.no : exits.ok;
}

async function once({ home, signal, json, out, err }: Call): Promise<number> {
  const { maintainOnce, summaryOf } = await import('../../daemon/maintain/maintain.ts');
  const passed = await maintainOnce(home, signal, { tell: (line) => err(`${plainText(line)}\n`) });
  out(
    json ? `${JSON.stringify({ passed })}\n` : `${passed.isWhole ? '' : 'Stopped on the way: '}${summaryOf(passed)}\n`,
  );
  return passed.isWhole ? exits.ok : exits.interrupted;
}

async function lookAhead({ home, signal, json, out }: Call): Promise<number> {
  const [{ foresee }, { describeEvent }] = await Promise.all([
    import('../../daemon/maintain/preview.ts'),
    import('../event-sentence.ts'),
  ]);
  const { events, concluded, pages } = await foresee(home, signal);
  if (json) {
    out(`${JSON.stringify({ events, concluded, pages })}\n`);
    return exits.ok;
  }
  out(`A pass would read ${count(events, 'event')} and write:\n`);
  for (const event of concluded) out(`  ${plainText(describeEvent(event))}\n`);
  for (const page of pages) out(`  the page .oka/${plainText(page)}\n`);
  if (concluded.length + pages.length === 0) out('  nothing\n');
  return exits.ok;
}

const timeOfDay = (): string => new Date().toTimeString().slice(0, 8);
