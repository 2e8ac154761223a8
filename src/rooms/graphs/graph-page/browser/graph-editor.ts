/** A graph as text, with what the schema says about the place of the cursor, its problems and its picture beside. */
import { useSignal, type Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { get, post } from '../../../../kit/web/browser/api.ts';
import { attempt } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { GraphCheckAnswer, GraphSchemaAnswer } from '../graph-answers.ts';
import { GraphDrawing } from './graph-drawing.ts';
import { offsetOfPath, outlineJson, placeAt, spotAt } from './json-outline.ts';
import { type Help, helpAt, type JsonSchema, type Suggestion } from './schema-help.ts';
import { ProblemList } from './problem-list.ts';

type EditorProps = {
  title: string;
  text: Signal<string>;
  first: GraphCheckAnswer;
  onSave: () => void;
};

const QUIET_MS = 350;

export function GraphEditor({ title, text, first, onSave }: EditorProps): VNode {
  const area = useRef<HTMLTextAreaElement>(null);
  const checked = useSignal(first);
  const known = useSignal<GraphSchemaAnswer | null>(null);
  const cursor = useSignal(0);
  useEffect(() => void attempt(async () => (known.value = await get<GraphSchemaAnswer>('graph-schema'))), []);
  useEffect(() => {
    const timer = setTimeout(() => void check(text.value, checked), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text.value]);
  const outline = outlineJson(text.value);
  const help = known.value === null ? null : helpFor(known.value, text.value, cursor.value);
  const moveTo = (offset: number): void => {
    area.current?.focus();
    area.current?.setSelectionRange(offset, offset);
    scrollToOffset(area.current, offset);
    cursor.value = offset;
  };
  return html`<div class="editor">
    <div class="stack">
      <label class="hidden" for="graph-text">The graph as JSON</label>
      <textarea id="graph-text" ref=${area} spellcheck=${false} autocapitalize="off" aria-describedby="field-help" value=${text.value}
        onInput=${(event: InputEvent) => readArea(event, text, cursor)} onSelect=${(event: Event) => readArea(event, text, cursor)}
        onKeyUp=${(event: Event) => readArea(event, text, cursor)} onClick=${(event: Event) => readArea(event, text, cursor)}
        onKeyDown=${(event: KeyboardEvent) => handleKey(event, onSave)}></textarea>
      <${FieldHelp} help=${help} onChoose=${(chosen: Suggestion) => insert(area.current, chosen, placeAt(outline, cursor.value).range)} />
    </div>
    <div class="stack">
      <${ProblemList} problems=${checked.value.problems} onOpen=${(path: string) => moveTo(offsetOfPath(outline, path))} />
      ${checked.value.drawing === null ? null : html`<${GraphDrawing} drawing=${checked.value.drawing} title=${title} onSelect=${(node: string) => moveTo(offsetOfNode(text.value, node))} />`}
    </div>
  </div>`;
}

async function check(text: string, checked: Signal<GraphCheckAnswer>): Promise<void> {
  await attempt(async () => {
    const answer = await post<GraphCheckAnswer>('graph-check', { text });
    // The last picture stays while the text is not JSON for a moment.
    checked.value = answer.drawing === null ? { ...answer, drawing: checked.value.drawing } : answer;
  });
}

function readArea(event: Event, text: Signal<string>, cursor: Signal<number>): void {
  const { value, selectionStart } = event.target as HTMLTextAreaElement;
  text.value = value;
  cursor.value = selectionStart;
}

/** Ctrl+Space goes to the suggestions, Ctrl+S saves. */
function handleKey(event: KeyboardEvent, onSave: () => void): void {
  if (!event.ctrlKey && !event.metaKey) return;
  if (event.key === ' ') document.querySelector<HTMLElement>('.suggestions button')?.focus();
  else if (event.key === 's') onSave();
  else return;
  event.preventDefault();
}

function helpFor({ schema, tools }: GraphSchemaAnswer, text: string, cursor: number): Help {
  const outline = outlineJson(text);
  const nodes = (spotAt(outline, ['nodes'])?.entries ?? []).flatMap(({ value }) => {
    const id = value?.entries.find(({ key }) => key === 'id')?.value;
    return id == null ? [] : [text.slice(id.from + 1, id.to - 1)];
  });
  return helpAt(schema as JsonSchema, text, outline, placeAt(outline, cursor), { tools, nodes });
}

function offsetOfNode(text: string, node: string): number {
  const outline = outlineJson(text);
  const nodes = spotAt(outline, ['nodes'])?.entries ?? [];
  const found = nodes.find(({ value }) => {
    const id = value?.entries.find(({ key }) => key === 'id')?.value;
    return id != null && text.slice(id.from, id.to) === JSON.stringify(node);
  });
  return found?.keyFrom ?? 0;
}

function FieldHelp({ help, onChoose }: { help: Help | null; onChoose: (chosen: Suggestion) => void }): VNode {
  return html`<section id="field-help" aria-label="Help for the field">
    <p class="soft"><code>${help?.field ?? ''}</code> ${help?.about ?? ''}</p>
    ${
      help === null || help.suggestions.length === 0
        ? null
        : html`<div class="suggestions" role="group" aria-label="What can be written here (Ctrl+Space)" onKeyDown=${leaveWithEscape}>
          ${help.suggestions.map((each) => html`<button type="button" title=${each.about} onClick=${() => onChoose(each)}>${each.label}</button>`)}
        </div>`
    }
    <p><small><kbd>Ctrl</kbd> <kbd>Space</kbd> suggestions, <kbd>Ctrl</kbd> <kbd>S</kbd> save</small></p>
  </section>`;
}

function leaveWithEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') document.querySelector<HTMLElement>('#graph-text')?.focus();
}

/** Types the suggestion, so that the browser's own undo takes it back. */
function insert(
  area: HTMLTextAreaElement | null,
  { insert: typed }: Suggestion,
  [from, to]: readonly [number, number],
): void {
  if (area === null) return;
  area.focus();
  area.setSelectionRange(from, to);
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else keeps the undo of a text field
  if (!document.execCommand('insertText', false, typed)) area.setRangeText(typed, from, to, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

function scrollToOffset(area: HTMLTextAreaElement | null, offset: number): void {
  if (area === null) return;
  const lines = area.value.split('\n').length;
  const line = area.value.slice(0, offset).split('\n').length;
  area.scrollTop = Math.max(0, (area.scrollHeight / lines) * (line - 5));
}
