/** Plans and reports of synthesis as people read them. */
import type { SynthesisPlan, SynthesisReport } from '../../core/schema/synthesis.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { plainText } from '../../kit/cli/plain-text.ts';

const MOST_LINES = 40;

export function sumUpPlan({ frames, model_calls: calls, tokens }: SynthesisPlan): string {
  const count = `${frames.length} ${frames.length === 1 ? 'frame' : 'frames'}`;
  if (calls === 0) return `${count}, without a model.`;
  return `${count}; a model is asked ${calls === 1 ? 'once' : `${calls} times`}, for about ${tokens.toLocaleString('en-US')} tokens.`;
}

export function renderPlan(plan: SynthesisPlan, terminal: Terminal): string {
  if (plan.frames.length === 0) return 'Everything is up to date.\n';
  const lines = plan.frames.map(
    ({ path, type, by }) => `${nameOf(path)} (${type}${by === 'model' ? ', a model' : ''})`,
  );
  return `${listShortly(lines)}${terminal.dim(sumUpPlan(plan))}\n`;
}

export function renderReport(report: SynthesisReport, terminal: Terminal): string {
  const { made, made_count: count = made.length, unchanged, failed, left_stale: left, usage } = report;
  const cost = usage.calls === 0 ? '' : `, ${usage.tokens.toLocaleString('en-US')} tokens of a model`;
  return [
    listShortly(made.map(({ path, type, frame }) => `${nameOf(path)} (${type}) ${terminal.dim(frame.slice(0, 12))}`)),
    `${count} made, ${unchanged} up to date${cost}.\n`,
    ...failed
      .slice(0, MOST_LINES)
      .map(({ path, reason }) => terminal.red(`not made: ${nameOf(path)}: ${plainText(reason)}\n`)),
    ...left
      .slice(0, MOST_LINES)
      .map(({ path, type, reason }) => `still stale: ${nameOf(path)} (${type}): ${plainText(reason)}\n`),
  ].join('');
}

const nameOf = (path: string): string => plainText(path === '' ? '.' : path);

function listShortly(lines: readonly string[]): string {
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… and ${more} more`] : [])]
    .map((line) => `${line}\n`)
    .join('');
}
