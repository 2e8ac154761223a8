/** A file, shown by what it is: a picture, a page, a table, text. All of it is untrusted. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { addressWithTicket, askServer, hasTicket } from '../session-key.ts';
import type { Shape } from '../../how-shown.ts';
import { addressOfDrawing } from './drawing-address.ts';
import { JsonTree } from './json-tree.ts';
import { Markdown, type PictureOf } from './markdown.ts';
import { parseTable } from './parse-table.ts';
import { t } from '../words.ts';

type PreviewedFile = { path: string; bytes: number; href: string; shown: Shape };

type Shown = {
  file: PreviewedFile;
  /** Another value reads the file again. */
  version: string | null;
  /** What becomes of a text before it is shown as markdown. */
  adapt?: (text: string) => string;
  pictureOf?: PictureOf;
};

/** Larger texts are not read. */
export const MOST_BYTES = 512 * 1024;

export function FilePreview({ file, ...shown }: Shown): VNode | false {
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
function Drawing({ file, otherwise }: { file: PreviewedFile; otherwise: VNode }): VNode | null {
  const [address, setAddress] = useState<string | null>('');
  useEffect(() => void addressOfDrawing(file.href).then(setAddress, () => setAddress(null)), [file.href, file.bytes]);
  if (address === null) return otherwise;
  return address === ''
    ? null
    : html`<img class="deliverable" src=${address} alt=${file.path} onError=${() => setAddress(null)} />`;
}

function TextContent({ file, version, adapt = (given) => given, pictureOf }: Shown): VNode {
  const [text, setText] = useState<string | null>(null);
  const isLarge = file.bytes > MOST_BYTES;
  useEffect(() => {
    if (isLarge) return;
    const read = async (): Promise<string> => {
      const answer = await askServer(`/${file.href}`);
      return answer.ok ? answer.text() : t('It cannot be read.');
    };
    read().then(setText, () => setText(t('It cannot be read.')));
  }, [file.href, file.bytes, version]);
  if (isLarge) return html`<p class="soft">It is too large to show; download it.</p>`;
  if (text === null) return html`<p class="soft">Reading …</p>`;
  if (file.shown === 'markdown') return html`<${Markdown} text=${adapt(text)} pictureOf=${pictureOf} />`;
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
