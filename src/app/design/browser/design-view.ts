/** Tokens and components in all of their states, with the code that the pages use. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Differences } from '../../../kit/web/browser/components/differences.ts';
import { Empty } from '../../../kit/web/browser/components/empty.ts';
import { FilePreview } from '../../../kit/web/browser/components/file-preview.ts';
import { JsonTree } from '../../../kit/web/browser/components/json-tree.ts';
import { Markdown } from '../../../kit/web/browser/components/markdown.ts';
import { askConfirmation } from '../../../kit/web/browser/components/modal.ts';
import { notice } from '../../../kit/web/browser/components/notices.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { Status } from '../../../kit/web/browser/components/status-mark.ts';
import { Tabs } from '../../../kit/web/browser/components/tabs.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { DayChart } from '../../../rooms/figures/page/browser/day-chart.ts';
import { GraphDrawing } from '../../../rooms/graphs/graph-page/browser/graph-drawing.ts';
import type { Drawing as GraphDrawn } from '../../../kit/web/drawn-graph.ts';

const COLOURS =
  'paper surface raised ink soft line edge accent accent-soft good good-soft warn warn-soft bad bad-soft'.split(' ');
const SPACES = ['s1', 's2', 's3', 's4', 's5', 's6'];
const STATES = ['running', 'waiting', 'blocked', 'paused', 'done', 'failed', 'cancelled', 'skipped'];
const DIFF = {
  before: { text: 'a\nb\n', bytes: 4, is_shortened: false },
  after: { text: 'a\nc\n', bytes: 4, is_shortened: false },
  hunks: [{ old_start: 1, new_start: 1, lines: [' month,total', '-2026-10,812', '+2026-10,840'] }],
};
const PAGE =
  'A **sentence** with `code`, a [link](https://example.org/), and a list:\n\n- one\n- two\n\n| month | total |\n|---|--:|\n| 2026-10 | 812.40 |\n\n> What somebody said.\n';

export default function DesignView(): VNode {
  return html`<h1>Design</h1>
    <p class="soft">Every part that pages are made of, in light and dark. Pages use these and add no colours or sizes of their own.</p>
    <div class="design-sides">${['light', 'dark'].map((scheme) => html`<${Side} key=${scheme} scheme=${scheme} />`)}</div><${Once} />`;
}

/** A custom property cannot be written into the page: its rules allow no styles in attributes. */
function Shown({ token, class: look, children }: { token: string; class: string; children?: string }): VNode {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => place.current?.style.setProperty('--shown', `var(--${token})`), [token]);
  return html`<span ref=${place} class=${look}>${children}</span>`;
}

function Side({ scheme }: { scheme: string }): VNode {
  const part = (title: string, ...content: (VNode | VNode[])[]): VNode =>
    html`<section aria-label=${`${title}, ${scheme}`}><h2>${title}</h2><div class="stack">${content}</div></section>`;
  return html`<div class=${`design-side ${scheme}`}>
    ${part('Colour', html`<div class="row">${COLOURS.map((token) => html`<${Shown} token=${token} class="swatch">${token}<//>`)}</div>`)}
    ${part('Type and space', html`<div><p class="design-huge"><strong>Huge: a title</strong></p><h2>Large: a section</h2><p>Base: a sentence that somebody reads.</p><p><small>Small: what is known about it.</small></p><p><code>Mono: oka status</code></p></div>`, html`<div class="row">${SPACES.map((token) => html`<${Shown} token=${token} class="space-bar" />`)}</div>`)}
    ${part('Buttons', html`<div class="row"><button type="button" class="primary">Do it</button><button type="button">Run to here…</button><button type="button" class="quiet">Show more</button><button type="button" class="danger">Cancel the run</button></div>`, html`<div class="row"><button type="button" class="primary" disabled>Do it</button><button type="button" disabled>Undo</button></div>`)}
    ${part('Fields', html`<label class="field">In a sentence<input type="text" placeholder="such as: invoices go to Carla" /></label>`, html`<label class="field">Status<select><option>any status</option></select></label>`, html`<label><input type="checkbox" checked /> It counts for every task</label>`, html`<label class="field">A note<textarea rows="2"></textarea></label>`)}
    ${part('Status', html`<div class="row">${STATES.map((status) => html`<${Status} key=${status} status=${status} />`)}</div>`, html`<div class="row"><span class="tag">today: 3 done</span><span class="tag warn">not running</span></div>`, html`<progress class="steps-done" value="2" max="5" aria-label=${`Steps done, ${scheme}`}></progress>`)}
    ${part('Cards and rows', html`<article class="card attention"><h3>Publish the notes</h3><p>It wants to run a command that may change something outside this computer.</p><div class="row"><button type="button" class="primary">Review and approve…</button><button type="button">Deny…</button></div></article>`, html`<article class="card"><h3>Totals by month</h3><p class="row soft"><${Status} status="done" /> took 188 ms</p></article>`)}
    ${part('Messages', html`<${Problem} error=${{ code: 'refused', message: 'The file could not be read: permission denied.', fix: 'Give oka the right to read it.' }} />`, html`<div class="warning"><p>No language model is set up.</p></div>`, html`<${Empty} title="No results yet."><p>They appear here.</p><//>`)}
    ${part('Text, code and tables', html`<${Markdown} text=${PAGE} />`, html`<pre>git push origin main</pre>`, html`<${JsonTree} value=${{ rows: [1, 2], done: true }} />`)}
    ${part('Differences', html`<${Differences} diff=${DIFF} />`)}
    ${part('A file', html`<${FilePreview} file=${{ path: 'photo.raw', bytes: 4, href: '', shown: 'none' }} version=${null} />`)}
    ${part('What opens over the page', html`<div class="row"><button type="button" onClick=${() => void askConfirmation({ title: 'Cancel this run?', content: html`<p>What it has changed so far stays.</p>`, yes: 'Cancel the run', isDangerous: true })}>Dialog…</button><button type="button" onClick=${() => notice('Saved.')}>Message</button><button type="button" onClick=${() => dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))}>Search…</button></div>`)}
  </div>`;
}

/** What has names of its own on a page is there once, in the light of this browser. */
function Once(): VNode {
  const chosen = useSignal<'chart' | 'graph'>('chart');
  const tabs = [
    { id: 'chart', title: 'A chart' },
    { id: 'graph', title: 'A graph' },
  ] as const;
  return html`<section class="card"><h2>Tabs, a chart and a graph</h2>
    <${Tabs} label="Parts" tabs=${tabs} chosen=${chosen.value} onChoose=${(id: 'chart' | 'graph') => (chosen.value = id)}>
      ${
        chosen.value === 'chart'
          ? html`<${DayChart} label="Tasks done" days=${DAYS} series=${[{ name: 'done', values: [2, 5, 3, 8, 6, 9] }]} format=${(value: number | null) => String(value ?? '')} onDay=${() => undefined} />`
          : html`<${GraphDrawing} title="Two steps" drawing=${DRAWING} />`
      }
    <//>
  </section>`;
}

const DAYS = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06'];
const BOX = { x: 10, width: 120, height: 42, about: ['shell'], shape: 'step', times: 1 } as const;
const DRAWING = {
  width: 140,
  height: 130,
  nodes: [
    { ...BOX, id: 'fetch', title: ['fetch'], about: ['http.get'], y: 10, status: 'done' },
    { ...BOX, id: 'store', title: ['store'], about: ['shell'], y: 80, status: 'running' },
  ],
  edges: [{ from: 'fetch', to: 'store', path: 'M70 52L70 80', back: false, label: null }],
} satisfies GraphDrawn;
