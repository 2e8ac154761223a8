/** All graphs of this home in a table, and the dialog for a new one. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { Dialog } from '../../../../kit/web/browser/components/modal.ts';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { Status } from '../../../../kit/web/browser/components/status-mark.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { GraphsAnswer } from '../graph-list-answers.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

type GraphRow = GraphsAnswer['graphs'][number];

const ABOUT_GRAPHS = /^(graph\.saved|run\.(started|ended)|schedule\.changed|slot\.came)$/;

export const isChangedBy = ({ type }: LedgerEvent): boolean => ABOUT_GRAPHS.test(type);

export const keys: readonly Key[] = [
  { key: 'n', does: t('New graph'), run: () => document.querySelector<HTMLElement>('#new-graph')?.click() },
];

export default function GraphsView({ data }: ViewProps<GraphsAnswer>): VNode {
  const isAdding = useSignal(false);
  return html`
    <header class="row apart">
      <h1>Graphs</h1>
      <button id="new-graph" type="button" class="primary" onClick=${() => (isAdding.value = true)}>New graph</button>
    </header>
    ${
      data.graphs.length === 0
        ? html`<${Empty} title="No graphs yet">
          <p>A graph is a set of steps that runs the same way every time. Start with a template, or put a file into <code>workspace/graphs</code>.</p>
        <//>`
        : html`<${GraphTable} graphs=${data.graphs} />`
    }
    ${
      isAdding.value
        ? html`<${NewGraph} templates=${data.templates} taken=${data.graphs.map(({ graph }) => graph)} onClose=${() => (isAdding.value = false)} />`
        : null
    }
  `;
}

function GraphTable({ graphs }: { graphs: readonly GraphRow[] }): VNode {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Graphs">
    <table>
      <thead>
        <tr><th scope="col">Graph</th><th scope="col">Kind</th><th scope="col">Check</th><th scope="col">Last run</th><th scope="col">Next</th></tr>
      </thead>
      <tbody>${graphs.map((row) => html`<${GraphLine} key=${row.graph} row=${row} />`)}</tbody>
    </table>
  </div>`;
}

function GraphLine({ row }: { row: GraphRow }): VNode {
  const { graph, title, nodes, mode, author, problem, problems, last_run: last, next } = row;
  return html`<tr>
    <td><a href=${addressOf(`/graphs/${graph}`)}>${title ?? graph}</a>${title === null ? null : html`<br /><small>${graph}</small>`}</td>
    <td>${mode ?? '–'}${author === 'model' ? t(', by a model') : ''}<br /><small>${countOf(nodes, 'step')}</small></td>
    <td>${
      problem === null
        ? html`<span class="status done"><span aria-hidden="true">✓</span> valid</span>`
        : html`<span class="status failed"><span aria-hidden="true">✕</span> cannot run</span><br /><small>${problem}${problems > 1 ? t(' (and {} more)', problems - 1) : ''}</small>`
    }</td>
    <td>${
      last === null
        ? html`<span class="soft">never</span>`
        : html`<a href=${addressOf(`/runs/${last.run}`)}><${Status} status=${last.status} /></a><br /><small><${Time} at=${last.started} /></small>`
    }</td>
    <td>${next === null ? html`<span class="soft">–</span>` : html`<${Time} at=${next} />`}</td>
  </tr>`;
}

type NewGraphProps = { templates: GraphsAnswer['templates']; taken: readonly string[]; onClose: () => void };

function NewGraph({ templates, taken, onClose }: NewGraphProps): VNode {
  const template = useSignal(templates[0]?.template ?? '');
  const name = useSignal('');
  const isTaken = taken.includes(name.value);
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isTaken) navigate(`/graphs/${name.value}?template=${template.value}`);
  };
  return html`<${Dialog} title="New graph" onClose=${onClose}>
    <form class="stack" onSubmit=${open}>
      <label class="stack">Name
        <input type="text" required pattern="[A-Za-z0-9][A-Za-z0-9_.\\-]*" maxlength="80" value=${name.value}
          title="Letters, digits, dot, dash and underscore" aria-describedby="name-note"
          onInput=${(event: InputEvent) => (name.value = (event.target as HTMLInputElement).value)} />
      </label>
      <p id="name-note" class=${isTaken ? 'problem' : 'soft'}>${isTaken ? t('There is a graph of this name already.') : t('It becomes the file workspace/graphs/name.json.')}</p>
      <label class="stack">Start from
        <select value=${template.value} onChange=${(event: Event) => (template.value = (event.target as HTMLSelectElement).value)}>
          ${templates.map((each) => html`<option value=${each.template}>${each.title} (${each.template})</option>`)}
        </select>
      </label>
      <footer class="row"><button type="submit" class="primary">Edit it</button></footer>
    </form>
  <//>`;
}
