/** One graph: shown, edited and run. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { get, submit } from '../../../../kit/web/browser/api.ts';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Key } from '../../../../kit/web/browser/keys.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import { addressOf, start } from '../../../../kit/web/browser/start.ts';
import type { GraphAnswer, GraphVersionAnswer } from '../graph-answers.ts';
import { GraphDrawing } from './graph-drawing.ts';
import { GraphEditor } from './graph-editor.ts';
import { RunList, ScheduleList, StateList, VersionList } from './graph-lists.ts';
import { ProblemList } from './problem-list.ts';
import { RunGraphDialog } from './run-graph-dialog.ts';
import { t } from '../../../../kit/web/browser/words.ts';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';

const ABOUT_GRAPH = /^(graph\.saved|state\.written|run\.(started|ended)|schedule\.changed|slot\.came)$/;

export const isChangedBy = ({ type }: LedgerEvent, { run }: Readonly<Record<string, string>>): boolean =>
  ABOUT_GRAPH.test(type) || (run !== undefined && /^(node|call)\./.test(type));

const click = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.click();
export const keys: readonly Key[] = [
  { key: 'e', does: t('Edit the graph'), run: click('#edit-graph') },
  { key: 'r', does: t('Run the graph'), run: click('#run-graph') },
];

export default function GraphView({ data, params }: ViewProps<GraphAnswer>): VNode {
  const isNew = data.source !== 'file';
  const text = useSignal(data.text);
  const base = useSignal(data.sha256);
  const isEditing = useSignal(isNew);
  const isRunning = useSignal(false);
  const until = useSignal<string | null>(null);
  const edit = (written: string): void => {
    text.value = written;
    base.value = data.sha256;
    isEditing.value = true;
  };
  const save = (): Promise<void> => saveGraph(data, text.value, base.value, () => (isEditing.value = false));
  const canChange = start.rights === 'all';
  return html`
    <header class="row apart">
      <div>
        <h1>${data.title ?? data.graph}</h1>
        <p class="soft">${data.graph}, ${countOf(data.nodes, 'step')}${data.mode === null ? '' : t(', mode {}', data.mode)} · <code>${data.file}</code></p>
      </div>
      <div class="row no-print">
        ${
          isEditing.value
            ? html`<button type="button" class="primary" onClick=${save}>Save</button>
              ${isNew ? null : html`<button type="button" onClick=${() => (isEditing.value = false)}>Cancel</button>`}`
            : canChange
              ? html`<button id="run-graph" type="button" class="primary" disabled=${!data.valid} onClick=${() => (isRunning.value = true)}>Run…</button>
                <button id="edit-graph" type="button" onClick=${() => edit(data.text)}>Edit</button>`
              : null
        }
      </div>
    </header>
    ${describeSource(data)}
    ${isEditing.value && base.value !== data.sha256 ? html`<div class="warning" role="alert">The file was changed by somebody else meanwhile. Saving is refused; copy your text, cancel, and edit the file as it is now.</div>` : null}
    ${
      isEditing.value
        ? html`<${GraphEditor} title=${data.graph} text=${text} first=${data} onSave=${save} onRunTo=${(node: string) => (until.value = node)} />`
        : html`<${Shown} data=${data} run=${params['run']} />`
    }
    <div class="columns graph-lists">
      <${RunList} graph=${data.graph} runs=${data.runs} shown=${data.run} />
      <${ScheduleList} schedules=${data.schedules} />
      <${StateList} values=${data.state} onRemove=${canChange ? (key: string) => void removeState(data.graph, key) : null} />
      <${VersionList} versions=${data.versions} onEdit=${canChange ? (version: string) => void attempt(async () => edit(await textOfVersion(data.graph, version))) : null} />
    </div>
    ${isRunning.value ? html`<${RunGraphDialog} graph=${data.graph} inputs=${data.inputs} onClose=${() => (isRunning.value = false)} />` : null}
    ${until.value === null ? null : html`<${RunGraphDialog} graph=${data.graph} inputs=${data.inputs} written=${{ text: text.value, until: until.value }} onClose=${() => (until.value = null)} />`}
  `;
}

function Shown({ data, run }: { data: GraphAnswer; run: string | undefined }): VNode {
  return html`<section class="stack" aria-label="Picture and check">
    <${ProblemList} problems=${data.problems} />
    ${run === undefined ? null : html`<p>How <a href=${addressOf(`/runs/${run}`)}>${run}</a> went. <a href=${addressOf(`/graphs/${data.graph}`)}>Show the graph alone</a></p>`}
    ${
      data.drawing === null
        ? html`<p class="soft">${data.nodes > 0 ? t('It has too many steps for a picture.') : t('There is nothing to draw yet.')}</p>`
        : html`<${GraphDrawing} drawing=${data.drawing} title=${data.title ?? data.graph} />`
    }
  </section>`;
}

function describeSource({ source }: GraphAnswer): VNode | null {
  if (source === 'file') return null;
  const text =
    source === 'template'
      ? t('This graph is not saved yet.')
      : t('This graph was deleted. This is its last version; saving it restores it.');
  return html`<p class="warning">${text}</p>`;
}

const textOfVersion = async (graph: string, version: string): Promise<string> =>
  (await get<GraphVersionAnswer>('graph-version', { graph, version })).text;

async function saveGraph(
  { graph, source }: GraphAnswer,
  text: string,
  replaces: string | null,
  onSaved: () => void,
): Promise<void> {
  await attempt(async () => {
    const { done } = await submit({ kind: 'write_graph', graph, text, replaces });
    if (done === undefined) return notice(t('No worker has saved it yet; it is saved once one runs. Start it: oka up'));
    notice(t('Saved.'));
    onSaved();
    if (source !== 'file') navigate(`/graphs/${graph}`, { replace: true });
  });
}

async function removeState(namespace: string, key: string): Promise<void> {
  const content = html`<p>The next run of ${namespace} finds nothing under <code>${key}</code>.</p>`;
  if (!(await askConfirmation({ title: t('Forget {}?', key), content, yes: t('Forget it'), isDangerous: true })))
    return;
  await attempt(() => submit({ kind: 'state', namespace, key }), t('{} is forgotten.', key));
}
