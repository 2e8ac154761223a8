import { replayRunDecisions, eventsOfRun, replayRunFully } from '../../daemon/home/replay-runs.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Event } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { describeEvent } from '../event-sentence.ts';
import { count, dim, fitText, green, plainText, red, WIDTH } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const mode = call.text('mode') ?? 'narrative';
  const events = await eventsOfRun(call.home, onlyOperand(call, 'run'));
  if (mode === 'narrative') return narrate(call, events);
  if (mode === 'decision') return decideAgain(call, events);
  if (mode === 'full') return executeAgain(call, events);
  throw new OkaError('usage', `--mode is narrative, decision or full, not "${mode}"`);
}

function narrate({ json, out }: Call, events: readonly Event[]): number {
  for (const event of events) {
    if (json) out(`${JSON.stringify(event)}\n`);
    else out(`${dim(event.at.slice(11, 19))}  ${fitText(describeEvent(event), WIDTH - 10)}\n`);
  }
  return exits.ok;
}

async function decideAgain({ home, json, out }: Call, events: readonly Event[]): Promise<number> {
  const replay = await replayRunDecisions(home, events);
  if (json) out(`${JSON.stringify(replay)}\n`);
  else if (replay.difference === null)
    out(`${green('the same')}: ${count(replay.decided, 'decision')} in ${count(replay.events, 'event')}\n`);
  else {
    const { seq, found, decided } = replay.difference;
    out(`${red('differs')} at seq ${seq}\n  recorded: ${fitText(plainText(JSON.stringify(found)), WIDTH - 12)}\n`);
    for (const each of decided) out(`  decided:  ${fitText(plainText(JSON.stringify(each)), WIDTH - 12)}\n`);
  }
  return replay.difference === null ? exits.ok : exits.no;
}

async function executeAgain({ home, json, out, signal }: Call, events: readonly Event[]): Promise<number> {
  const calls = await replayRunFully(home, events, signal);
  const differing = calls.filter((each) => each.state === 'differs').length;
  if (json) out(`${JSON.stringify({ calls, differing })}\n`);
  else {
    for (const { call, tool, state } of calls)
      out(
        `  ${state === 'same' ? green('same') : state === 'differs' ? red('differs') : dim('recorded')}  ${tool}  ${dim(call)}\n`,
      );
    out(`${count(calls.length, 'call')}, ${differing === 0 ? green('none differs') : red(`${differing} differ`)}\n`);
  }
  return differing === 0 ? exits.ok : exits.no;
}
