/** A graph as a picture and as text, beside each other: what is changed in one is changed in the other. */
import { useSignal, type Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { get, post } from '../../../../kit/web/browser/api.ts';
import { attempt } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import type { GraphCheckAnswer, GraphSchemaAnswer } from '../graph-answers.ts';
import {
  addNode,
  connect,
  disconnect,
  type Fields,
  graphIn,
  nodesOf,
  removeNode,
  graphText,
  wordIn,
} from './change-graph.ts';
import { type DrawingActs, GraphDrawing } from './graph-drawing.ts';
import { offsetOfPath, outlineJson, placeAt, spotAt } from './json-outline.ts';
import { type Help, helpAt, type JsonSchema, type Suggestion } from './schema-help.ts';
import { kindsIn, newNode, NodePanel } from './node-panel.ts';
import { ProblemList } from './problem-list.ts';

type EditorProps = {
  title: string;
  text: Signal<string>;
  first: GraphCheckAnswer;
  onSave: () => void;
  onRunTo: (node: string) => void;
};

const QUIET_MS = 350;

export function GraphEditor({ title, text, first, onSave, onRunTo }: EditorProps): VNode {
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
    <${PictureSide} title=${title} text=${text} checked=${checked.value} known=${known.value} onRunTo=${onRunTo} onShow=${(path: string) => moveTo(offsetOfPath(outline, path))} />
    <div class="stack">
      <label class="hidden" for="graph-text">The graph as JSON</label>
      <textarea id="graph-text" ref=${area} spellcheck=${false} autocapitalize="off" aria-describedby="field-help" value=${text.value}
        onInput=${(event: InputEvent) => readArea(event, text, cursor)} onSelect=${(event: Event) => readArea(event, text, cursor)}
        onKeyUp=${(event: Event) => readArea(event, text, cursor)} onClick=${(event: Event) => readArea(event, text, cursor)}
        onKeyDown=${(event: KeyboardEvent) => handleKey(event, onSave)}></textarea>
      <${FieldHelp} help=${help} onChoose=${(chosen: Suggestion) => insert(area.current, chosen, placeAt(outline, cursor.value).range)} />
    </div>
  </div>`;
}

type SideProps = Pick<EditorProps, 'title' | 'text' | 'onRunTo'> & {
  checked: GraphCheckAnswer;
  known: GraphSchemaAnswer | null;
  onShow: (path: string) => void;
};

/** The picture, on which steps are added, connected and changed; each change can be undone. */
function PictureSide({ title, text, checked, known, onRunTo, onShow }: SideProps): VNode {
  const chosen = useSignal<string | null>(null);
  const past = useSignal<readonly string[]>([]);
  const future = useSignal<readonly string[]>([]);
  const graph = graphIn(text.value);
  const change = (next: Fields, choose: string | null | undefined = chosen.value): void => {
    const written = graphText(next);
    if (written === text.value) return;
    past.value = [...past.value, text.value];
    future.value = [];
    text.value = written;
    chosen.value = choose;
  };
  const step = (from: Signal<readonly string[]>, to: Signal<readonly string[]>): void => {
    const next = from.value.at(-1);
    if (next === undefined) return;
    from.value = from.value.slice(0, -1);
    to.value = [...to.value, text.value];
    text.value = next;
  };
  const handleUndo = (event: KeyboardEvent): void => {
    const isField = (event.target as HTMLElement).closest('input, textarea, select') !== null;
    if (isField || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    event.preventDefault();
    if (event.shiftKey) step(future, past);
    else step(past, future);
  };
  const ids = graph === null ? [] : nodesOf(graph).map((node) => wordIn(node, 'id'));
  const problemsOf = (id: string): typeof checked.problems =>
    checked.problems.filter(
      ({ path }) => path.startsWith(`nodes.${ids.indexOf(id)}.`) || path === `nodes.${ids.indexOf(id)}`,
    );
  const add = (kind: string): void => {
    const schema = known === null ? undefined : kindsIn(known).get(kind);
    if (graph === null || schema === undefined) return;
    const added = addNode(graph, newNode(kind, schema), chosen.value ?? ids.at(-1) ?? null);
    change(added.graph, added.id);
  };
  const acts: DrawingActs | undefined =
    graph === null
      ? undefined
      : {
          chosen: chosen.value,
          wrong: new Set(ids.filter((id) => problemsOf(id).length > 0)),
          onSelect: (id) => (chosen.value = id),
          onConnect: (from, to) => change(connect(graph, from, to)),
          onRemoveNode: (id) => change(removeNode(graph, id), null),
          onRemoveArrow: ({ from, to }) => change(disconnect(graph, from, to)),
        };
  return html`<div class="stack" onKeyDown=${handleUndo}>
    <div class="row">
      <select aria-label="Add a step" value="" disabled=${graph === null || known === null} onChange=${(
        event: Event,
      ) => {
        add((event.target as HTMLSelectElement).value);
        (event.target as HTMLSelectElement).value = '';
      }}><option value="">Add a step…</option>${known === null ? null : [...kindsIn(known)].map(([kind, schema]) => html`<option key=${kind} value=${kind}>${kind}: ${describeKind(schema)}</option>`)}</select>
      <button type="button" disabled=${past.value.length === 0} onClick=${() => step(past, future)}>Undo</button>
      <button type="button" disabled=${future.value.length === 0} onClick=${() => step(future, past)}>Redo</button>
    </div>
    ${graph === null ? html`<p class="warning">The text is not a graph at the moment. The picture can be changed again once it is.</p>` : null}
    ${checked.drawing === null ? null : html`<${GraphDrawing} drawing=${checked.drawing} title=${title} acts=${acts} />`}
    <p class="soft"><small>Choose a step to change it. Drag from the dot below a step to the one that comes after; choose an arrow to remove it.</small></p>
    <${ProblemList} problems=${checked.problems} onOpen=${onShow} />
    ${
      graph === null || known === null || chosen.value === null
        ? null
        : html`<${NodePanel} key=${chosen.value} graph=${graph} id=${chosen.value} known=${known} problems=${problemsOf(chosen.value)} onChange=${change} onRunTo=${checked.valid ? onRunTo : null} />`
    }
  </div>`;
}

function describeKind({ properties }: JsonSchema): string {
  const { kind } = (properties ?? {}) as { kind?: { description?: string } };
  return kind?.description ?? '';
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
