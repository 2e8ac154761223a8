/** A run in progress: how far it is, what it does right now, what it has spent. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AwaitedDesk, CurrentRun } from '../../../core/schema/view-answers.ts';
import type { LiveMessage } from '../../../core/schema/live.ts';
import { countOf, formatMoney } from '../../../kit/web/browser/components/format-figures.ts';
import { Status } from '../../../kit/web/browser/components/status-mark.ts';
import { Elapsed } from '../../../kit/web/browser/components/time.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { onLive } from '../../../kit/web/browser/live-events.ts';
import { addressOf } from '../../../kit/web/browser/start.ts';
import { chosenId } from '../../../kit/web/browser/answers/chosen-wait.ts';
import { t } from '../../../kit/web/browser/words.ts';

export function RunningCard({ run: current }: { run: CurrentRun }): VNode {
  const { run, title, status, started, steps, current: step, cost, desk } = current;
  const line = useLiveLine(current);
  return html`<article class="card" id=${`item-${run}`} aria-current=${chosenId.value === run ? 'true' : null}>
    <h3><a href=${addressOf(`/runs/${encodeURIComponent(run)}`)}>${title}</a></h3>
    <p class="row soft"><${Status} status=${desk === undefined ? status : 'waiting'} />${steps.all === 0 ? null : html`<span class="number">step ${Math.min(steps.done + 1, steps.all)} of ${steps.all}</span>`}<${Elapsed} from=${started} />
      ${cost.tokens === 0 ? null : html`<span class="number">${countOf(cost.tokens, 'token')}</span>`}${cost.usd === 0 ? null : html`<span class="number">${formatMoney(cost.usd)}</span>`}</p>
    <progress max=${Math.max(1, steps.all)} value=${steps.done} aria-label="Steps done"></progress>
    <p class="one-line">${desk !== undefined ? html`<${DeskWait} desk=${desk} />` : step === title ? '' : (step ?? '')}</p>
    <p class="one-line live-line" aria-live="off">${line}</p>
  </article>`;
}

/** For whom it waits, and since when. */
function DeskWait({ desk: { since, run, title } }: { desk: AwaitedDesk }): VNode {
  const whom = run === null ? null : html`: <a href=${addressOf(`/runs/${encodeURIComponent(run)}`)}>${title}</a>`;
  return html`<span>waits for the desk${whom} (for <${Elapsed} from=${since} />)</span>`;
}

const MOST_SHOWN = 200;

/** What the run, or one inside it, writes right now. The place stays when there is nothing, so that nothing jumps. */
function useLiveLine({ run, inside }: CurrentRun): string {
  const [line, setLine] = useState('');
  const names = [run, ...inside].join(' ');
  useEffect(() => {
    const mine = new Set(names.split(' '));
    let written = '';
    let frame = 0;
    const show = (): void => {
      frame = 0;
      setLine(written);
    };
    const stop = onLive((message) => {
      if (!mine.has(message.run)) return;
      written = lineAfter(written, message);
      frame ||= requestAnimationFrame(show);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [names]);
  return line;
}

function lineAfter(before: string, message: LiveMessage): string {
  switch (message.kind) {
    case 'output':
    case 'text': // complete lines, of a command or of a model
      return lastLine(message.text).slice(-MOST_SHOWN) || before;
    case 'tokens':
      return before === '' || before.startsWith(t('The model answers: {}', ''))
        ? t('The model answers: {}', countOf(message.count, 'token'))
        : before;
    case 'end':
      return '';
  }
}

/** A progress bar draws over its own line: what counts is what stands there last. */
const lastLine = (text: string): string => text.split(/[\r\n]/).findLast((line) => line.trim() !== '') ?? '';
