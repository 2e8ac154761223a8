/** The process that learns. */
import { describeSilence, penHealth } from '../../../core/ledger/pen-health.ts';
import type { Home } from '../../../core/schema/home.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { count, plainText, timeOfDay } from '../../../kit/cli/plain-text.ts';
import { tryUntilFixed } from '../../../kit/cli/stay.ts';
import { flag } from '../../../kit/cli/options.ts';
import { stay } from '../../../kit/cli/shared-options.ts';

type Options = { once: boolean; dryRun: boolean; health: boolean; stay: boolean };

type MaintainCall = Call<Options, Data>;

type Data =
  | { kind: 'line'; line: string }
  | { kind: 'health'; process: number | null; silent_ms: number | null }
  | { kind: 'passed'; passed: { isWhole: boolean }; summary: string }
  | { kind: 'preview'; preview: { events: number; concluded: unknown[]; pages: string[] }; sentences: string[] };

type Health = Extract<Data, { kind: 'health' }>;

export const commands: Commands = {
  maintain: command({
    summary: 'Learn from what happened, until Ctrl-C; `oka up` starts it, too',
    options: {
      once: flag('One pass now, send what is pending to the replica, and end.'),
      'dry-run': flag('Only say what a pass would write.'),
      health: flag('Only say whether maintenance is running and responds; exit 1 if not.'),
      stay,
    },
    example: 'oka maintain --once',
    run: async (call) => {
      const { options } = call;
      if (options.health) return checkHealth(call.home);
      if (options.dryRun) return describePreview(call);
      return options.once ? passOnce(call) : maintainUntilStopped(call);
    },
    render: (data) => {
      switch (data.kind) {
        case 'line':
          return `${timeOfDay()} ${data.line}\n`;
        case 'health':
          return `${healthText(data)}\n`;
        case 'passed':
          return `${data.passed.isWhole ? '' : 'Stopped before it was finished: '}${data.summary}\n`;
        case 'preview': {
          const written = data.sentences.length === 0 ? ['nothing'] : data.sentences;
          const lines = [`A pass would read ${count(data.preview.events, 'event')} and write:`, ...written];
          return `${lines.join('\n  ')}\n`;
        }
      }
    },
    jsonLines: (data) => {
      switch (data.kind) {
        case 'line':
          return [{ line: data.line }];
        case 'health':
          return [{ healthy: isHealthy(data), process: data.process, silent_ms: data.silent_ms }];
        case 'passed':
          return [{ passed: data.passed }];
        case 'preview':
          return [data.preview];
      }
    },
  }),
};

async function maintainUntilStopped(call: MaintainCall): Promise<Answer<Data>> {
  const { maintain } = await import('../maintain.ts');
  const code = await call.underSupervisor(call.signal, (signal) =>
    tryUntilFixed({ ...call, signal }, async (isNews) => {
      const log = (line: string): void => {
        if (isNews(line)) call.emit({ kind: 'line', line: plainText(line) });
      };
      await maintain(call.home, signal, log, { rooms: call.rooms });
      return exits.ok;
    }),
  );
  return { code };
}

/** For supervisors and containers, which ask often: reads no ledger. */
function checkHealth(home: Home): Answer<Data> {
  const health = penHealth(home.ledgers.maintenance);
  const data: Health = { kind: 'health', process: health?.holder.pid ?? null, silent_ms: health?.silentMs ?? null };
  return answer(data, isHealthy(data) ? exits.ok : exits.no);
}

const isHealthy = (health: Health): boolean => health.process !== null && health.silent_ms === null;

function healthText({ process, silent_ms }: Health): string {
  if (process === null) return 'maintenance is not running';
  if (silent_ms !== null) return `maintenance, process ${process}, ${describeSilence(silent_ms)}`;
  return `maintenance is running, process ${process}`;
}

async function passOnce({ home, signal, notify, rooms }: MaintainCall): Promise<Answer<Data>> {
  const { maintainOnce, summaryOf } = await import('../maintain.ts');
  const passed = await maintainOnce(home, signal, { log: (line) => notify(plainText(line)), rooms });
  const summary = [summaryOf(passed), ...passed.news.map(plainText)].join('\n');
  return answer({ kind: 'passed', passed, summary }, passed.isWhole ? exits.ok : exits.interrupted);
}

async function describePreview({ home, signal, rooms }: MaintainCall): Promise<Answer<Data>> {
  const [{ previewPass }, { describeEvent }] = await Promise.all([
    import('../preview.ts'),
    import('../../../kit/views/event-sentence.ts'),
  ]);
  const { events, concluded, pages } = await previewPass(home, signal, { rooms });
  const sentences = [
    ...concluded.map((event) => plainText(describeEvent(event))),
    ...pages.map((page) => `the page .oka/${plainText(page)}`),
  ];
  return answer({ kind: 'preview', preview: { events, concluded, pages }, sentences });
}
