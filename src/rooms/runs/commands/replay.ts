import { eventsOfRun, replayRunDecisions, replayRunFully } from '../../../kit/runs/replay-runs.ts';
import type { Event } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { describeEvent } from '../../../kit/views/event-sentence.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';

type Replay = Awaited<ReturnType<typeof replayRunDecisions>>;
type Full = Awaited<ReturnType<typeof replayRunFully>>;
type Calls = Full['calls'];
type Data =
  | { mode: 'narrative'; events: readonly Event[] }
  | { mode: 'decision'; replay: Replay }
  | { mode: 'full'; calls: Calls; differing: number; tools: Full['tools'] };

export async function run(call: Call<{ mode: Data['mode'] | undefined }>): Promise<Answer<Data>> {
  const { home, signal } = call;
  const { mode = 'narrative' } = call.options;
  const id = await runOperand(call);
  const events = await withReadingProgress(call, (reading) => eventsOfRun(home, id, reading));
  switch (mode) {
    case 'narrative':
      return answer({ mode, events });
    case 'decision': {
      const replay = await replayRunDecisions(home, events, call.rooms);
      return answer({ mode, replay }, replay.difference === null ? exits.ok : exits.no);
    }
    case 'full': {
      const { calls, tools } = await replayRunFully(home, events, signal, call.rooms);
      const differing = calls.filter((each) => each.state === 'differs').length;
      return answer({ mode, calls, differing, tools }, differing === 0 ? exits.ok : exits.no);
    }
  }
}

export function jsonLines(data: Data): readonly object[] {
  switch (data.mode) {
    case 'narrative':
      return data.events;
    case 'decision':
      return [data.replay];
    case 'full':
      return [{ calls: data.calls, differing: data.differing, tools: data.tools }];
  }
}

export function render(data: Data, terminal: Terminal): string {
  switch (data.mode) {
    case 'narrative':
      return data.events.map((event) => renderEvent(event, terminal)).join('');
    case 'decision':
      return `${renderReplay(data.replay, terminal)}${renderTools(data.replay.tools, terminal)}`;
    case 'full':
      return `${renderCalls(data.calls, data.differing, terminal)}${renderTools(data.tools, terminal)}`;
  }
}

function renderEvent(event: Event, { dim, width, toTimeOfDay }: Terminal): string {
  return `${dim(toTimeOfDay(event.at))}  ${fitText(describeEvent(event), width - 10)}\n`;
}

function renderReplay({ difference, decided, events }: Replay, { green, red, width }: Terminal): string {
  if (difference === null) return `${green('the same')}: ${count(decided, 'decision')} in ${count(events, 'event')}\n`;
  const json = (value: unknown): string => fitText(plainText(JSON.stringify(value)), width - 12);
  const lines = [
    `${red('differs')} at seq ${difference.seq}`,
    `  recorded: ${json(difference.found)}`,
    ...difference.decided.map((each) => `  decided:  ${json(each)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function renderTools(tools: Replay['tools'], { yellow, dim }: Terminal): string {
  if (tools === null) return `${dim('which tools the run had is not recorded')}\n`;
  const { changed, removed } = tools;
  const lines = [
    ...(changed.length === 0 ? [] : [`tools that changed since: ${changed.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`tools that no longer exist: ${removed.join(', ')}`]),
  ];
  return lines.length === 0 ? `${dim('its tools are unchanged')}\n` : lines.map((line) => `${yellow(line)}\n`).join('');
}

function renderCalls(calls: Calls, differing: number, { green, red, dim }: Terminal): string {
  const states = { same: green('same'), differs: red('differs'), recorded: dim('recorded') };
  const lines = calls.map(({ call, tool, state }) => `  ${states[state]}  ${tool}  ${dim(call)}\n`);
  const summary = differing === 0 ? green('none differs') : red(`${differing} differ`);
  return `${lines.join('')}${count(calls.length, 'call')}, ${summary}\n`;
}
