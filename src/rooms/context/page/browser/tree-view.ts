/** The page of the context tree. Frames are material: they are shown as text, with their authors. */
import type { VNode } from 'preact';
import type { z } from 'zod';
import { submit } from '../../../../kit/web/browser/api.ts';
import { Empty } from '../../../../kit/web/browser/components/empty.ts';
import { countOf, formatBytes, formatCount } from '../../../../kit/web/browser/components/format-figures.ts';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { attempt } from '../../../../kit/web/browser/components/notices.ts';
import { Time } from '../../../../kit/web/browser/components/time.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { LedgerEvent } from '../../../../kit/web/browser/live-events.ts';
import type { ViewProps } from '../../../../kit/web/browser/page-data.ts';
import { addressOf } from '../../../../kit/web/browser/start.ts';
import type { TreeAnswer } from '../tree-answers.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Answer = z.infer<typeof TreeAnswer>;
type Child = Answer['children'][number];
type ShownFrame = Answer['history'][number];

export const isChangedBy = ({ type }: LedgerEvent): boolean => type.startsWith('tree.') || type.startsWith('frame.');

export default function TreeView({ data }: ViewProps<Answer>): VNode {
  if (data.root === null)
    return html`<h1>What is known of the files</h1>
      <${Empty} title="Nothing has been scanned yet.">
        <p>Here oka keeps notes about files and folders, so that a task need not read all of them: <code>oka context scan</code>, then <code>oka context synthesize</code>. To look at the files themselves, open <a href=${addressOf('/desk')}>Files</a>.</p>
      <//>`;
  return html`<h1>What is known of the files</h1>
    <${Summary} data=${data} />
    <${Path} data=${data} />
    <div class="columns">
      <${Entries} data=${data} />
      <${History} data=${data} />
    </div>`;
}

function Summary({ data }: { data: Answer }): VNode {
  const { workspace, workspaces, files, folders, frames, stale, scanned_at } = data;
  const others = workspaces.filter((name) => name !== workspace);
  return html`<p class="tree-summary number">
    ${countOf(files, 'file')} in ${countOf(folders, 'folder')}, ${countOf(frames, 'frame')}${' '}
    ${stale === 0 ? html`<span class="tag">all current</span>` : html`<span class="tag warn">${formatCount(stale)} stale</span>`}${' '}
    <small>scanned ${scanned_at === null ? t('never') : html`<${Time} at=${scanned_at} />`}</small>
    ${others.map((name) => html` <a href=${linkTo(name, '')}>${name}</a>`)}
  </p>`;
}

const linkTo = (workspace: string, path: string): string =>
  `/tree?${new URLSearchParams({ workspace, path }).toString()}`;

/** The folders above, each a link. */
function Path({ data: { workspace, path, plan, node } }: { data: Answer }): VNode {
  const names = path === '' ? [] : path.split('/');
  return html`<nav class="tree-path" aria-label="Folder">
    <a href=${linkTo(workspace, '')}>${workspace}</a>
    ${names.map((name, at) => html` / <a href=${linkTo(workspace, names.slice(0, at + 1).join('/'))}>${name}</a>`)}
    ${node === null ? null : html`<${Renewal} workspace=${workspace} path=${path} plan=${plan} />`}
  </nav>`;
}

/** What a regeneration would cost stands on the page, before it is started. */
function Renewal({ workspace, path, plan }: { workspace: string; path: string; plan: Answer['plan'] }): VNode {
  if (plan.frames === 0) return html`<span class="tree-plan soft">nothing to renew here</span>`;
  const what = countOf(plan.frames, 'frame');
  const cost =
    plan.model_calls === 0
      ? t('by rules, without a model')
      : t('with {} model calls, about {} tokens', formatCount(plan.model_calls), formatCount(plan.tokens));
  const start = async (): Promise<void> => {
    const question = t('Renew {} of {}? It is done {}.', what, path === '' ? workspace : path, cost);
    if (!(await askConfirmation({ title: t('Renew frames'), content: question, yes: t('Renew') }))) return;
    const id = `context-regenerate-${Date.now().toString(36)}`;
    const input = { workspace, node: path, recursive: true };
    await attempt(
      () => submit({ kind: 'run_context', id, tool: 'context.regenerate', input }),
      t('Renewing {}.', what),
    );
  };
  return html`<span class="tree-plan">
    <button type="button" onClick=${start}>Renew ${what}</button> <small>${cost}</small>
  </span>`;
}

function Entries({ data: { workspace, node, children, more } }: { data: Answer }): VNode {
  if (node === null)
    return html`<section class="card"><p>This path has left the tree. Its frames are still here.</p></section>`;
  if (node.kind !== 'folder')
    return html`<section class="card"><p>${t(node.kind)}, ${formatBytes(node.size)}${node.reason === undefined ? '' : `: ${node.reason}`}</p></section>`;
  return html`<section class="card" aria-labelledby="entries">
    <h2 id="entries">In this folder</h2>
    ${children.length === 0 ? html`<p class="soft">It is empty.</p>` : null}
    <ul class="tree-entries">
      ${children.map((child) => html`<${Entry} workspace=${workspace} child=${child} key=${child.path} />`)}
    </ul>
    ${more === 0 ? null : html`<p class="soft">and ${formatCount(more)} more</p>`}
  </section>`;
}

function Entry({ workspace, child }: { workspace: string; child: Child }): VNode {
  const name = child.path.slice(child.path.lastIndexOf('/') + 1);
  const stale = child.heads.filter((head) => head.stale !== undefined).length + child.stale_below;
  return html`<li>
    <a href=${linkTo(workspace, child.path)}>${name}${child.kind === 'folder' ? '/' : ''}</a>
    ${child.heads.map(({ type, stale: why }) => html` <span class=${why === undefined ? 'tag' : 'tag warn'} title=${why ?? t('current')}>${type}</span>`)}
    ${stale === 0 ? null : html` <small class="tree-stale">${formatCount(stale)} stale</small>`}
    ${child.reason === undefined ? null : html` <small class="soft">${child.reason}</small>`}
  </li>`;
}

function History({ data: { history } }: { data: Answer }): VNode {
  return html`<section class="card" aria-labelledby="history">
    <h2 id="history">Frames</h2>
    ${history.length === 0 ? html`<p class="soft">Nothing is known about it yet.</p>` : null}
    ${history.map((frame) => html`<${FrameBox} frame=${frame} key=${frame.seq} />`)}
  </section>`;
}

/** The latest of each type is open; older ones are opened by hand. */
function FrameBox({ frame }: { frame: ShownFrame }): VNode {
  const { type, agent, model, at, is_head, stale, content } = frame;
  const mark = stale !== undefined ? t('stale: {}', stale) : is_head ? t('current') : t('replaced');
  return html`<details class="tree-frame" open=${is_head}>
    <summary><span>${type} by ${agent}${model === undefined ? '' : t(' with {}', model)}, <${Time} at=${at} /></span>${' '}
      <span class=${stale === undefined ? 'tag' : 'tag warn'}>${mark}</span></summary>
    <pre>${content ?? t('Its text is lost.')}</pre>
  </details>`;
}
