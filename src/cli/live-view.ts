/** Owns: the calm live view of `oka up` on a terminal: what is told scrolls by, what runs stands below it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../schema/home.ts';
import { lookAt } from '../ledger/disk.ts';
import type { Goal } from '../ledger/goal.ts';
import type { TaskGraph } from '../ledger/task-graph.ts';
import { describeWait } from './event-sentence.ts';
import { dim, fitText, green, plainText, WIDTH, yellow } from './plain-text.ts';

export type View = { tell: (line: string) => void; end: () => void };

const DRAW_EVERY_MS = 500;
const MOST_GOALS = 8;

/** Plain lines where nobody watches. */
export function viewOn(stream: NodeJS.WriteStream, home: Home): View {
  return stream.isTTY
    ? liveView(stream, home)
    : { tell: (line) => void stream.write(`${line}\n`), end: () => undefined };
}

function liveView(stream: NodeJS.WriteStream, home: Home): View {
  const file = join(home.oka, 'active_task_graph.json');
  let drawn = 0;
  let seen = '';
  let lines: string[] = [];
  const erase = (): void => {
    if (drawn > 0) stream.write(`\u001B[${drawn}A\u001B[J`);
    drawn = 0;
  };
  const draw = (): void => {
    erase();
    if (lines.length === 0) return;
    stream.write(`${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const look = (): void => {
    const stamp = String(lookAt(file)?.mtimeMs);
    if (stamp === seen) return;
    seen = stamp;
    const next = linesOf(file);
    if (next.join('\n') === lines.join('\n')) return;
    lines = next;
    draw();
  };
  const timer = setInterval(look, DRAW_EVERY_MS);
  return {
    tell: (line) => {
      erase();
      stream.write(`${line}\n`);
      draw();
    },
    end: () => {
      clearInterval(timer);
      erase();
    },
  };
}

/** A file that is just being replaced, or not there yet, shows nothing. */
function linesOf(file: string): string[] {
  try {
    const { state } = JSON.parse(readFileSync(file, 'utf8')) as { state: TaskGraph };
    const goals = state.goals.slice(-MOST_GOALS);
    const more = state.goals.length - goals.length;
    return [...(more > 0 ? [dim(`  and ${more} more`)] : []), ...goals.flatMap(goalLines)];
  } catch {
    return [];
  }
}

function goalLines({ title, status, state, nodes, waits, parent }: Goal): string[] {
  const done = nodes.filter((node) => node.status === 'done').length;
  const current = nodes.find((node) => node.status === 'running')?.title ?? '';
  const mark = status === 'running' ? green('●') : yellow('◐');
  const progress = `${parent === null ? state : 'steps'} ${done}/${nodes.length}`;
  const about = fitText(plainText(`${title}${current === '' ? '' : `: ${current}`}`), WIDTH - 8 - progress.length);
  const asked = waits.filter(({ for: { kind } }) => kind !== 'child' && kind !== 'timer');
  return [
    `  ${parent === null ? mark : ' '} ${about}  ${dim(progress)}`,
    ...asked.map(({ for: awaited }) => yellow(fitText(`      waits for ${plainText(describeWait(awaited))}`, WIDTH))),
  ];
}
