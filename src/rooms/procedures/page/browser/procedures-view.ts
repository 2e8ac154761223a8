/** What is done without planning, or may be one day: each with its status, why, and how its last uses went. */
import type { VNode } from 'preact';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { setParams } from '../../../../kit/web/browser/router.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import { MemoryTabs } from '../../../../kit/web/browser/components/memory-tabs.ts';
import type { ProcedureRow, ProceduresAnswer } from '../procedure-answers.ts';
import { Trend } from './procedure-trend.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export const isChangedBy = ({ type }: LedgerEvent): boolean =>
  /^(procedure\.|change\.|run\.(ended|corrected|undone))/.test(type);

export default function ProceduresView({ data, params }: ViewProps<ProceduresAnswer>): VNode {
  const { procedures, retired } = data;
  return html`<${MemoryTabs} current="procedures" />
    ${retired === 0 ? null : html`<label class="no-print"><input type="checkbox" checked=${params['all'] === '1'} onChange=${(event: Event) => setParams({ all: (event.target as HTMLInputElement).checked ? '1' : null })} /> also ${retired} retired</label>`}
    ${
      procedures.length === 0
        ? html`<${Empty} title="No procedures yet"><p>They are learned from tasks that are alike and go well. A task that one fits needs no planning by a model.</p><//>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label="Procedures"><table>
          <thead><tr><th scope="col">Procedure</th><th scope="col">Status</th><th scope="col">Last uses</th><th scope="col" class="number">Used</th><th scope="col">Why</th></tr></thead>
          <tbody>${procedures.map((row) => html`<${ProcedureLine} key=${row.procedure} row=${row} />`)}</tbody>
        </table></div>`
    }`;
}

function ProcedureLine({ row }: { row: ProcedureRow }): VNode {
  const { procedure, title, version, status, forced, probation, trend, used, reason } = row;
  const note = forced ? t('set by you') : probation ? t('on probation') : '';
  return html`<tr>
    <td><a href=${addressOf(`/memory/procedures/${procedure}`)}>${title}</a><br /><small>${procedure}, version ${version}</small></td>
    <td>${t(status)}${note === '' ? null : html`<br /><small>${note}</small>`}</td>
    <td><${Trend} trend=${trend} /></td>
    <td class="number">${used}</td>
    <td><small>${reason}</small></td>
  </tr>`;
}
