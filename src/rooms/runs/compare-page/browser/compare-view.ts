/** Two runs side by side; only what differs is shown in full. */
import type { VNode } from 'preact';
import type { Json } from '../../../../core/schema/json.ts';
import type { Cost } from '../../../../core/schema/view-answers.ts';
import { formatCount, formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Pair<T> = [T, T];
type Compared = { run: string; title: string; status: string; started: string; cost: Cost };
type Comparison = {
  runs: Pair<Compared>;
  same: boolean;
  paths: Pair<string[]>;
  outputs: { node: string; output: Pair<Json> }[];
  files: { path: string; content: Pair<string | null> }[] | null;
};

export default function CompareView({ data, params }: ViewProps<Comparison | null>): VNode {
  if (data === null)
    return html`<h1>Compare two runs</h1>
      <p>Select two runs on the page <a href=${addressOf('/runs')}>Runs</a>, then choose Compare there.</p>`;
  const { runs, paths, outputs, files, same: isSame } = data;
  return html`
    <h1>Compare two runs</h1>
    <p role="status">${isSame ? t('Both ended alike, with the same outputs and files.') : t('They differ.')}
      ${' '}<a href=${addressOf(`/compare?a=${params['b'] ?? ''}&b=${params['a'] ?? ''}`)}>Swap sides</a></p>
    <div class="scroll"><table class="sides">
      <thead><tr><td></td>${runs.map(({ run, title }) => html`<th scope="col" key=${run}><a href=${addressOf(`/runs/${run}`)}>${title}</a></th>`)}</tr></thead>
      <tbody>
        ${row(
          t('Run'),
          runs.map(({ run }) => html`<code>${run}</code>`),
        )}
        ${row(
          t('Status'),
          runs.map(({ status }) => html`<${Status} status=${status} />`),
        )}
        ${row(
          t('Started'),
          runs.map(({ started }) => html`<${Time} at=${started} />`),
        )}
        ${row(
          t('Cost'),
          runs.map(({ cost }) => formatMoney(cost.usd)),
        )}
        ${row(
          t('Tokens'),
          runs.map(({ cost }) => formatCount(cost.tokens)),
        )}
        ${row(
          t('Calls'),
          runs.map(({ cost }) => t('{}, {} failed', formatCount(cost.calls), formatCount(cost.failed_calls))),
        )}
        ${row(
          t('Path'),
          paths.map((path, side) => html`<${Path} path=${path} other=${paths[side === 0 ? 1 : 0]} />`),
        )}
        ${outputs.map(({ node, output }) =>
          row(
            t('Output of {}', node),
            output.map((value) => html`<pre>${value === null ? t('nothing') : JSON.stringify(value, null, 2)}</pre>`),
          ),
        )}
        ${(files ?? []).map(({ path, content }) =>
          row(
            path,
            content.map((hash) =>
              hash === null ? t('not there') : html`another content <code class="soft">${hash.slice(0, 12)}</code>`,
            ),
          ),
        )}
      </tbody>
    </table></div>
    ${outputs.length === 0 ? html`<p class="soft">The outputs are the same.</p>` : null}
    ${files === null ? html`<p class="soft">The snapshots of the files are no longer stored.</p>` : files.length === 0 ? html`<p class="soft">The files are the same.</p>` : null}
  `;
}

function row(name: string, cells: readonly unknown[]): VNode {
  return html`<tr key=${name}><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

/** The steps that ran; those that the other run has not are marked. */
function Path({ path, other }: { path: readonly string[]; other: readonly string[] }): VNode {
  if (path.length === 0) return html`<span class="soft">nothing ran</span>`;
  return html`<ol class="path">${path.map((node) => html`<li>${other.includes(node) ? node : html`<strong>${node}</strong> <span class="tag">only here</span>`}</li>`)}</ol>`;
}

export const isChangedBy = (
  { type, run }: LedgerEvent,
  { a = '', b = '' }: Readonly<Record<string, string>>,
): boolean => /^(?:run\.|call\.ended)/.test(type) && run !== null && (run.startsWith(a) || run.startsWith(b));
