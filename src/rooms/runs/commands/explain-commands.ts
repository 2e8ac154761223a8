/** What a run did and why. */
import { eventsOfRun, replayRunDecisions, replayRunFully } from '../../../kit/runs/replay-runs.ts';
import { type ToolRank, toolRanks } from '../tool-ranks.ts';
import { childrenIn } from '../../../kit/runs/run-family.ts';
import type { Event } from '../../../core/schema/event.ts';
import { explainRun } from '../../../kit/views/explanation.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { findRunName, runOperand } from '../../../kit/cli/find-run.ts';
import { count, fitText, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';
import { describeEvent } from '../../../kit/views/event-sentence.ts';
import { compareByName, type ComparedRun, type FileDifference } from '../compare-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { rowOfRun } from '../../../kit/cli/linked-runs.ts';
import { choice } from '../../../kit/cli/options.ts';

type Explanation = ReturnType<typeof explainRun>;

type Replay = Awaited<ReturnType<typeof replayRunDecisions>>;

type Full = Awaited<ReturnType<typeof replayRunFully>>;

type Calls = Full['calls'];

type ReplayData =
  | { mode: 'narrative'; events: readonly Event[] }
  | { mode: 'decision'; replay: Replay }
  | { mode: 'full'; calls: Calls; differing: number; tools: Full['tools'] };

export const commands: Commands = {
  explain: command({
    summary: 'Explain what a run did and why: states, calls, reasons, artifacts',
    operands: '<run>',
    example: 'oka explain report-1',
    run: async (call) => {
      const read = (id: string): Promise<readonly Event[]> =>
        withReadingProgress(call, (reading) => eventsOfRun(call.home, id, reading));
      const own = await read(await runOperand(call));
      const families = [own];
      for (const child of childrenIn(own)) families.push(await read(child));
      const tools = await toolRanks(call.home, families.flat());
      return answer({ ...explainRun(own), inside: families.slice(1).map(explainRun), tools });
    },
    render: ({ inside, tools, ...task }, terminal) =>
      [task, ...inside].map((each) => renderExplanation(each, terminal)).join('\n') +
      renderSection('Tools, as planners were shown them', tools.map(describeRank), terminal),
  }),
  replay: command({
    summary: 'Go through a run again without asking a model; exit 1 if it differs',
    operands: '<run>',
    options: { mode: choice(['narrative', 'decision', 'full'], 'MODE', 'narrative (default), decision or full.') },
    example: 'oka replay report-1 --mode decision',
    run: replayCommand,
    render: (data, terminal) => {
      switch (data.mode) {
        case 'narrative':
          return data.events.map((event) => renderEvent(event, terminal)).join('');
        case 'decision':
          return `${renderReplay(data.replay, terminal)}${renderTools(data.replay.tools, terminal)}`;
        case 'full':
          return `${renderCalls(data.calls, data.differing, terminal)}${renderTools(data.tools, terminal)}`;
      }
    },
    jsonLines: (data) => {
      switch (data.mode) {
        case 'narrative':
          return data.events;
        case 'decision':
          return [data.replay];
        case 'full':
          return [{ calls: data.calls, differing: data.differing, tools: data.tools }];
      }
    },
  }),
  diff: command({
    summary: 'Compare two runs: path, outputs, files and cost; exit 1 if they differ',
    operands: '<run> <other>',
    example: 'oka diff report-1 report-1-fork',
    /** Exit 0 when both ended the same way, with the same outputs and files. */
    run: async (call) => {
      const [first, second, ...more] = call.operands;
      if (first === undefined || second === undefined || more.length > 0)
        throw new OkaError('usage', 'say which two runs', { fix: 'oka diff <run> <fork>' });
      const names = [await findRunName(call, first), await findRunName(call, second)] as const;
      const compared = await compareByName(call.home, (name) => rowOfRun(call, name), names);
      return answer(compared, compared.same ? exits.ok : exits.no);
    },
    render: (data, terminal) => {
      const { runs, paths, outputs, files } = data;
      const names = runs.map(({ run }) => run);
      const lines = (texts: readonly string[]): string[] => texts.map((text, side) => `${names[side] ?? ''}: ${text}`);
      return [
        section('Runs', lines(runs.map(describeSide)), terminal),
        section('Path', lines(paths.map((path) => path.join(' → ') || 'nothing ran')), terminal),
        section(
          'Outputs',
          outputs.flatMap(({ node, output }) => lines(output.map(shownOutput)).map((line) => `${node} in ${line}`)),
          terminal,
        ),
        section(
          'Files',
          files === null
            ? ['the snapshots are no longer stored']
            : files.map((file) => describeFile(file, names as [string, string])),
          terminal,
        ),
      ].join('\n');
    },
  }),
};

function renderExplanation(explanation: Explanation, terminal: Terminal): string {
  const { title, status, timeline, actions, rationales, artifacts } = explanation;
  const { bold, dim } = terminal;
  return [
    `${bold(plainText(title))}  ${dim(explanation.run)}  ${status}\n`,
    renderSection(
      'Timeline',
      timeline.map(({ at, what, why }) => `${terminal.toTimeOfDay(at)}  ${what}${why === '' ? '' : `: ${why}`}`),
      terminal,
    ),
    renderSection(
      'Calls',
      actions.map((action) => describeAction(action, explanation.run)),
      terminal,
    ),
    renderSection(
      'Reasons',
      rationales.map(
        ({ node, turn, decision, why }) => `${node} turn ${turn}: ${decision}${why === '' ? '' : `, ${why}`}`,
      ),
      terminal,
    ),
    renderSection(
      'Artifacts',
      artifacts.map(({ sha256, bytes, name }) => `${sha256.slice(0, 12)}  ${bytes} bytes  ${name ?? ''}`),
      terminal,
    ),
  ].join('');
}

function describeAction(action: Explanation['actions'][number], run: string): string {
  const { call, node, tool, class: effect, repeats, status, ms, error } = action;
  const time = ms === null ? '' : ` in ${ms} ms`;
  return `${node ?? placeOfCall(call, run)}: ${tool} (${effect})${repeats === true ? ', repeated,' : ''} ${status}${time}${error === null ? '' : `: ${error}`}`;
}

/** Calls of no node are hooks, or were made within a step, whose name theirs begins with. */
function placeOfCall(call: string, run: string): string {
  if (/\.(?:(?:before|after)_(?:run|node)|on_error)$/.test(call)) return 'hook';
  return `within ${call.slice(run.length + 1).split('.', 1)[0] ?? ''}`;
}

function renderSection(name: string, lines: readonly string[], terminal: Terminal): string {
  if (lines.length === 0) return '';
  return `\n${terminal.bold(name)}\n${lines.map((line) => `${indentWrapped(line, '  ', terminal)}\n`).join('')}`;
}

function renderEvent(event: Event, { dim, width, toTimeOfDay }: Terminal): string {
  return `${dim(toTimeOfDay(event.at))}  ${fitText(describeEvent(event), width - 10)}\n`;
}

const describeRank = ({ tool, rank, of, score, because }: ToolRank): string =>
  `${tool}: place ${rank} of ${of}, score ${score} (${because.join(', ')})`;

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

async function replayCommand(call: Call<{ mode: ReplayData['mode'] | undefined }>): Promise<Answer<ReplayData>> {
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

function describeSide({ status, cost }: ComparedRun): string {
  const money = cost.usd === 0 ? '' : `, $${cost.usd.toFixed(4)}`;
  return `${status}, ${count(cost.calls, 'call')}, ${count(cost.tokens, 'token')}${money}`;
}

const shownOutput = (output: Json): string => (output === null ? 'nothing' : JSON.stringify(output));

function describeFile({ path, content: [before, after] }: FileDifference, [first, second]: [string, string]): string {
  if (before !== null && after !== null) return `${path}: differs`;
  return `${path}: only after ${before === null ? second : first}`;
}

function section(name: string, lines: readonly string[], { bold, width }: Terminal): string {
  const shown = lines.length === 0 ? ['the same'] : lines;
  return `${bold(name)}\n${shown.map((line) => `  ${fitText(plainText(line), width - 2)}\n`).join('')}`;
}
