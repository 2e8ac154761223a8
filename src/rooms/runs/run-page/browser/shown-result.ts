/** The answer or deliverable of a run, rendered by what it is. All of it is untrusted. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatBytes } from '../../../../kit/web/browser/components/format-figures.ts';
import { Markdown, type PictureOf } from '../../../../kit/web/browser/components/markdown.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { askServer, hasTicket, addressWithTicket } from '../../../../kit/web/browser/session-key.ts';
import type { RunAnswer } from '../run-answer.ts';
import { addressOfDrawing } from './drawing-address.ts';
import { JsonTree } from './json-tree.ts';
import { onlyNews } from './only-news.ts';
import { parseTable } from './parse-table.ts';

type Deliverable = RunAnswer['deliverables'][number];

const MOST_BYTES = 512 * 1024;
const MOST_OPEN = 3;

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
  return html`<section id="result" class="card result" aria-label="Result">
    ${answer !== null && html`<${Markdown} text=${answer} pictureOf=${pictureOf} />`}
    ${output !== null && output !== undefined && html`<${JsonTree} value=${output} />`}
    ${files.map((file, index) => html`<${Deliverable} key=${file.path} file=${file} isOpen=${index < MOST_OPEN} version=${ended} pictureOf=${pictureOf} />`)}
    ${page !== undefined && html`<${Content} file=${page} version=${ended} isPageOfRun />`}
    ${answer === null && output == null && deliverables.length === 0 && html`<p class="soft">${ended === null ? 'There is no result yet.' : 'It left no result.'}</p>`}
    ${rest.length > 0 && html`<details class="no-print"><summary>Other files of the result (${rest.length})</summary>${rest.map((file) => html`<${Deliverable} key=${file.path} file=${file} isOpen=${false} version=${ended} />`)}</details>`}
    ${task !== null && html`<details><summary>The task</summary><${Markdown} text=${task} /></details>`}
  </section>`;
}

type Shown = { file: Deliverable; version: string | null; isPageOfRun?: boolean; pictureOf?: PictureOf };

function Deliverable({ file, isOpen: isFirst, version, pictureOf }: Shown & { isOpen: boolean }): VNode {
  const [isOpen, setOpen] = useState(isFirst && file.shown !== 'none' && file.bytes <= MOST_BYTES * 16);
  return html`<div class="file">
    <details open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary><code>${file.path.replace(/^files\//, '')}</code> <span class="soft number">${formatBytes(file.bytes)}</span></summary>
      ${isOpen && html`<${Content} file=${file} version=${version} pictureOf=${pictureOf} />`}
    </details>
    <a class="no-print" href=${addressWithTicket(`/${file.href}?download`)} download>${file.shown === 'page' ? 'Download the original' : 'Download'}</a>
  </div>`;
}

function Content({ file, ...shown }: Shown): VNode | false {
  const isReady = hasTicket.value;
  const address = useMemo(() => addressWithTicket(`/${file.href}`), [isReady, file.href]); // a frame with another one would load again
  switch (file.shown) {
    case 'image':
      return isReady && html`<img class="deliverable" src=${address} alt=${file.path} />`;
    case 'page': {
      const frame = html`<iframe class="deliverable" sandbox="" referrerpolicy="no-referrer" src=${address} title=${file.path} loading="lazy"></iframe>`;
      return isReady && (file.path.endsWith('.svg') ? html`<${Drawing} file=${file} otherwise=${frame} />` : frame);
    }
    case 'markdown':
    case 'table':
    case 'json':
    case 'text':
      return html`<${TextContent} file=${file} ...${shown} />`;
    case 'pdf':
    case 'none':
      return html`<p class="soft">It can be downloaded, not shown.</p>`;
  }
}

/** A drawing as a picture, in which nothing runs and nothing is fetched; one that is not well-formed is shown as a page. */
function Drawing({ file, otherwise }: { file: Deliverable; otherwise: VNode }): VNode | null {
  const [address, setAddress] = useState<string | null>('');
  useEffect(() => void addressOfDrawing(file.href).then(setAddress, () => setAddress(null)), [file.href, file.bytes]);
  if (address === null) return otherwise;
  return address === ''
    ? null
    : html`<img class="deliverable" src=${address} alt=${file.path} onError=${() => setAddress(null)} />`;
}

function TextContent({ file, version, isPageOfRun = false, pictureOf }: Shown): VNode {
  const [text, setText] = useState<string | null>(null);
  const isLarge = file.bytes > MOST_BYTES;
  useEffect(() => {
    if (isLarge) return;
    const read = async (): Promise<string> => {
      const answer = await askServer(`/${file.href}`);
      return answer.ok ? answer.text() : 'It cannot be read.';
    };
    read().then(setText, () => setText('It cannot be read.'));
  }, [file.href, file.bytes, version]);
  if (isLarge) return html`<p class="soft">It is too large to show; download it.</p>`;
  if (text === null) return html`<p class="soft">Reading …</p>`;
  if (file.shown === 'markdown')
    return html`<${Markdown} text=${isPageOfRun ? onlyNews(text) : text} pictureOf=${pictureOf} />`;
  if (file.shown === 'table')
    return html`<${Table} rows=${parseTable(text, file.path.endsWith('.tsv') ? '\t' : null)} />`;
  if (file.shown === 'json') return html`<${JsonTree} value=${parsedOrText(text)} />`;
  return html`<pre>${text}</pre>`;
}

function Table({ rows }: { rows: readonly (readonly string[])[] }): VNode {
  const [most, setMost] = useState(200);
  const [head = [], ...body] = rows;
  return html`<div class="scroll" tabindex="0"><table>
    <thead><tr>${head.map((cell, index) => html`<th key=${index}>${cell}</th>`)}</tr></thead>
    <tbody>${body.slice(0, most).map((row, at) => html`<tr key=${at}>${row.map((cell, index) => html`<td key=${index}>${cell}</td>`)}</tr>`)}</tbody>
  </table>${body.length > most && html`<button type="button" onClick=${() => setMost(most * 5)}>Show more of ${body.length} rows</button>`}</div>`;
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
