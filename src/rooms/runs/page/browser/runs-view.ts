/** The page Runs: filters, the list, and what is done with the runs that are selected or fit the filter. */
import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { RunsPage } from '../../../../core/schema/view-answers.ts';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { countOf, formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import { openBulk } from './bulk-dialog.ts';
import { cursor, readLines, selected, toggleFold, toggleSelected } from './chosen-runs.ts';
import { loaded, type LoadedRuns, takeFirstPage } from './loaded-runs.ts';
import { Filters, hasFilters } from './run-filters.ts';
import { lineHeight, RunList, scrollToLine } from './run-list.ts';
import { RunLine } from './run-line.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export default function RunsView({ data, params, reload }: ViewProps<RunsPage>): VNode {
  useLayoutEffect(() => {
    const isAtTop = scrollY < lineHeight();
    const moved = takeFirstPage(data, params);
    if (moved > 0 && !isAtTop) scrollBy(0, moved * lineHeight()); // what is being read stays where it is
  }, [data]);
  const now = loaded.value;
  const isEmpty = data.runs.length === 0 && data.next === null;
  return html`
    <h1>Runs</h1>
    <${Filters} />
    <${Actions} params=${params} reload=${reload} />
    ${
      data.pinned.length === 0
        ? null
        : html`<section class="pinned"><h2>Pinned</h2><ol class="run-lines">
            ${data.pinned.map((run) => html`<${RunLine} key=${run.run} run=${run} isUnder=${false} />`)}
          </ol></section>`
    }
    ${isEmpty ? html`<${Nothing} isFiltered=${hasFilters(params)} />` : now === null ? null : html`<${RunList} />`}
  `;
}

function Nothing({ isFiltered }: { isFiltered: boolean }): VNode {
  return isFiltered
    ? html`<${Empty} title="No run fits."><p>Remove a filter, or <a href=${addressOf('/runs')}>show all runs</a>.</p><//>`
    : html`<${Empty} title="There are no runs yet."><p>Give oka something to do on the page <a href=${addressOf('/')}>Now</a>, or drop a file into workspace/inbox.</p><//>`;
}

const ACTS = [
  ['cancel', t('Cancel')],
  ['pause', t('Pause')],
  ['resume', t('Resume')],
  ['again', t('Run again')],
  ['undo', t('Undo')],
  ['archive', t('Archive')],
  ['pin', t('Pin')],
] as const;

function Actions({ params, reload }: Pick<ViewProps<RunsPage>, 'params' | 'reload'>): VNode {
  const names = [...selected.value];
  const isArchive = params['archived'] === 'only';
  const total = describeLength(loaded.value);
  const acts = ACTS.map(([act, word]) =>
    act === 'archive' && isArchive ? (['unarchive', t('Unarchive')] as const) : ([act, word] as const),
  );
  const isShown = start.rights !== 'read' && (names.length > 0 || hasFilters(params));
  return html`<div class="row apart actions" role="group" aria-label="What to do with runs">
    <span class="number soft" role="status">${names.length > 0 ? t('{} selected', formatCount(names.length)) : total}</span>
    <span class="row">
      ${names.length === 2 ? html`<a class="button" href=${addressOf(`/compare?a=${names[0]}&b=${names[1]}`)}>Compare</a>` : null}
      ${names.length > 0 ? html`<button type="button" class="quiet" onClick=${() => (selected.value = new Set())}>Select none</button>` : null}
      ${
        isShown
          ? acts.map(
              ([act, word]) =>
                html`<button type="button" onClick=${() => openBulk({ act, runs: names, filter: params, onDone: reload })}>${word}…</button>`,
            )
          : null
      }
    </span>
  </div>`;
}

/** A filtered list has a length once its end was read. */
function describeLength(now: LoadedRuns | null): string {
  if (now === null || (!now.isLengthKnown && now.next !== null)) return t('Runs that fit');
  return countOf(now.length, 'run');
}

const CHANGES = /^(?:run\.|runs\.|wait\.|call\.ended$|slot\.came$)/;

export const isChangedBy = ({ type }: LedgerEvent): boolean => CHANGES.test(type);

/** Goes to another line; the first one when there is no cursor yet. */
function moveCursor(by: 1 | -1): void {
  const lines = readLines(0, Number.POSITIVE_INFINITY).filter(({ line }) => line.run !== null);
  const here = lines.findIndex(({ line }) => line.run?.run === cursor.value);
  const next = lines[here === -1 ? 0 : Math.min(lines.length - 1, Math.max(0, here + by))];
  if (next === undefined) return;
  cursor.value = next.line.run?.run ?? null;
  scrollToLine(next.at);
}

const withCursor = (act: (run: string) => void) => (): void => {
  if (cursor.value !== null) act(cursor.value);
};

export const keys: readonly Key[] = [
  { key: 'j', does: t('The next run'), run: () => moveCursor(1) },
  { key: 'k', does: t('The run before'), run: () => moveCursor(-1) },
  { key: 'o', does: t('Open the run'), run: withCursor((run) => navigate(`/runs/${run}`)) },
  { key: 'x', does: t('Select the run, or not'), run: withCursor(toggleSelected) },
  { key: 'e', does: t('Unfold what belongs to the run'), run: withCursor((run) => void toggleFold(run)) },
];
