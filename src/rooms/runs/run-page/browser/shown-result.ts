/** The answer or deliverable of a run, rendered by what it is. All of it is untrusted. */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOfDrawing } from '../../../../kit/web/browser/components/drawing-address.ts';
import { FilePreview, MOST_BYTES } from '../../../../kit/web/browser/components/file-preview.ts';
import { formatBytes } from '../../../../kit/web/browser/components/format-figures.ts';
import { JsonTree } from '../../../../kit/web/browser/components/json-tree.ts';
import { Markdown, type PictureOf } from '../../../../kit/web/browser/components/markdown.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { addressWithTicket } from '../../../../kit/web/browser/session-key.ts';
import type { RunAnswer } from '../run-answer.ts';
import { onlyNews } from './only-news.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type Deliverable = RunAnswer['deliverables'][number];

/** A page shows its pictures itself, so it is opened alone; so is the first file on a phone. */
const mostOpen = ([first]: readonly Deliverable[]): number =>
  first?.shown === 'markdown' || matchMedia('(max-width: 40rem)').matches ? 1 : 3;

export function ShownResult({ data }: { data: RunAnswer }): VNode | null {
  const { answer, output, deliverables, task, ended } = data;
  const files = deliverables.filter(({ path }) => path.startsWith('files/'));
  const others = deliverables.filter((each) => !files.includes(each));
  const page = answer === null && files.length === 0 ? others.find(({ path }) => path === 'RESULT.md') : undefined;
  const rest = others.filter((each) => each !== page);
  const pictureOf = (path: string): Promise<string> | null => {
    const file = files.find((each) => each.path === `files/${path.replace(/^\.\//, '')}`);
    if (file?.shown === 'image') return Promise.resolve(addressWithTicket(`/${file.href}`));
    return file?.path.endsWith('.svg') === true ? addressOfDrawing(file.href) : null;
  };
  return html`<section id="result" class="card result" aria-label="Result"><${Folded}>
    ${page === undefined && html`<${Verdict} data=${data} />`}
    ${answer !== null && html`<${Markdown} text=${answer} pictureOf=${pictureOf} />`}
    ${output !== null && output !== undefined && html`<${JsonTree} value=${output} />`}
    ${files.map((file, index) => html`<${Deliverable} key=${file.path} file=${file} isOpen=${index < mostOpen(files)} version=${ended} pictureOf=${pictureOf} />`)}
    ${page !== undefined && html`<${FilePreview} file=${page} version=${ended} adapt=${onlyNews} />`}
    ${answer === null && output == null && deliverables.length === 0 && html`<p class="soft">${ended === null ? t('There is no result yet.') : t('It left no result.')}</p>`}
    <//>
    ${rest.length > 0 && html`<details class="no-print"><summary>Other files of the result (${rest.length})</summary>${rest.map((file) => html`<${Deliverable} key=${file.path} file=${file} isOpen=${false} version=${ended} />`)}</details>`}
    ${task !== null && html`<details><summary>The task</summary><${Markdown} text=${task} /></details>`}
  </section>`;
}

/** What became of it, in a sentence. */
function Verdict({ data: { verdict, criteria } }: { data: RunAnswer }): VNode | null {
  const met = criteria.filter(({ holds }) => holds).length;
  const many = criteria.length;
  if (many === 0 || (verdict !== 'done' && verdict !== 'failed')) return null;
  if (verdict === 'done')
    return html`<p class="verdict">${many === 1 ? t('Done: what was asked for is there.') : t('Done: {} of {} things that were asked for are there.', met, many)}</p>`;
  return html`<p class="verdict">${met === 1 ? t('Not done: only 1 of {} things that were asked for is there.', many) : t('Not done: only {} of {} things that were asked for are there.', met, many)}</p>`;
}

/** The beginning of something long, so that what stands below it is within reach. */
function Folded({ children }: { children: ComponentChildren }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const shown = box.current;
    if (shown === null || isOpen) return undefined;
    const watch = new ResizeObserver(() => setLong(shown.scrollHeight > shown.clientHeight + 8));
    for (const each of [shown, ...shown.children]) watch.observe(each);
    return () => watch.disconnect();
  }, [isOpen]);
  return html`<div ref=${box} class=${isOpen ? '' : isLong ? 'folded long' : 'folded'}><div>${children}</div></div>
    ${isLong && html`<button type="button" class="quiet no-print" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${isOpen ? t('Show less') : t('Show all of it')}</button>`}`;
}

type Shown = { file: Deliverable; version: string | null; pictureOf?: PictureOf; isOpen: boolean };

function Deliverable({ file, isOpen: isFirst, version, pictureOf }: Shown): VNode {
  const [isOpen, setOpen] = useState(isFirst && file.shown !== 'none' && file.bytes <= MOST_BYTES * 16);
  return html`<div class="file">
    <details open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary><code>${file.path.replace(/^files\//, '')}</code> <span class="soft number">${formatBytes(file.bytes)}</span></summary>
      ${isOpen && html`<${FilePreview} file=${file} version=${version} pictureOf=${pictureOf} />`}
    </details>
    <a class="no-print" href=${addressWithTicket(`/${file.href}?download`)} download>${file.shown === 'page' ? t('Download the original') : t('Download')}</a>
  </div>`;
}
