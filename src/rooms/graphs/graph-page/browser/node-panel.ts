/** The step that was chosen on the picture: its name, its fields as a form, what it comes behind, and what can be done with it. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Json } from '../../../../core/schema/json.ts';
import type { GraphSchemaAnswer, Problem } from '../graph-answers.ts';
import {
  connect,
  disconnect,
  type Fields,
  nodeOf,
  nodesOf,
  pinOf,
  removeNode,
  renameNode,
  setField,
  setPin,
  wordIn,
} from './change-graph.ts';
import { initialValue } from './schema-fields.ts';
import { FieldsOrJson, JsonField, SchemaForm } from './schema-form.ts';
import type { JsonSchema } from './schema-help.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type PanelProps = {
  graph: Fields;
  id: string;
  known: GraphSchemaAnswer;
  problems: readonly Problem[];
  onChange: (graph: Fields, chosen?: string | null) => void;
  onRunTo: ((id: string) => void) | null;
};

/** What is asked first, of any kind of step; the rest is folded. */
const RARE = new Set(
  'acceptance timeout_seconds max_retries idempotency_key retry on_error fallback tools input_schema output_schema branches'.split(
    ' ',
  ),
);
const BY_PICTURE = new Set(['kind', 'id', 'needs']);

const isRecord = (value: Json | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The schemas of the kinds of steps, by the name of the kind. */
export function kindsIn({ schema }: GraphSchemaAnswer): Map<string, JsonSchema> {
  const read = (value: Json | undefined, ...path: string[]): Json | undefined =>
    path.reduce<Json | undefined>((found, key) => (isRecord(found) ? found[key] : undefined), value);
  const all = read(schema, 'properties', 'nodes', 'items', 'oneOf');
  return new Map(
    (Array.isArray(all) ? all : []).flatMap((each) => {
      const kind = read(each, 'properties', 'kind', 'const');
      return typeof kind === 'string' && isRecord(each) ? [[kind, each] as const] : [];
    }),
  );
}

/** What a new step of a kind begins with. */
export function newNode(kind: string, schema: JsonSchema): Fields {
  const value = initialValue({ ...schema, properties: propertiesIn(schema, BY_PICTURE) });
  const { kind: _kind, id: _id, ...fields } = isRecord(value) ? value : {};
  return {
    kind,
    ...fields,
    ...(UNBOUNDED.has(kind) ? {} : { timeout_seconds: 60, max_retries: 0 }),
    ...BEGINNINGS[kind],
  };
}

/** Kinds that neither call anything nor can fail. */
const UNBOUNDED = new Set(['wait', 'ask', 'typed_condition', 'transform']);

/** What the schema cannot know: something that already does something. */
const BEGINNINGS: Readonly<Record<string, Fields>> = {
  tool: { tool: 'shell', input: { line: 'echo hello' } },
  wait: { for: { kind: 'question', text: 'Shall it go on?', options: ['yes', 'no'] } },
};

/** What a step gives to another tool: what that takes, with what was written already. */
function inputFor(schema: JsonSchema, before: Json | undefined): Json {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const written = isRecord(before) ? before : {};
  return Object.fromEntries(
    Object.entries(propertiesIn(schema, new Set())).flatMap(([name, each]) => {
      const value = written[name] ?? (required.includes(name) && isRecord(each) ? initialValue(each) : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function propertiesIn({ properties }: JsonSchema, without: ReadonlySet<string>): Fields {
  return Object.fromEntries(
    Object.entries(isRecord(properties) ? properties : {}).filter(([name]) => !without.has(name)),
  );
}

export function NodePanel({ graph, id, known, problems, onChange, onRunTo }: PanelProps): VNode | null {
  const node = nodeOf(graph, id);
  const name = useSignal(id);
  if (node === undefined) return null;
  const schema = kindsIn(known).get(wordIn(node, 'kind'));
  const fields = Object.entries(propertiesIn(schema ?? {}, BY_PICTURE));
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  const others = nodesOf(graph).flatMap((each) =>
    typeof each['id'] === 'string' && each['id'] !== id ? each['id'] : [],
  );
  const needs = Array.isArray(node['needs']) ? node['needs'].filter((each) => typeof each === 'string') : [];
  const rename = (event: Event): void => {
    event.preventDefault();
    if (/^[A-Za-z_][\w-]{0,79}$/.test(name.value)) onChange(renameNode(graph, id, name.value), name.value);
  };
  const inputOf = (tool: Json | undefined): JsonSchema | null => {
    const found = wordIn(node, 'kind') === 'tool' && typeof tool === 'string' ? known.inputs[tool] : undefined;
    return isRecord(found) ? found : null;
  };
  const change = (key: string, value: Json | undefined): void => {
    const changed = setField(graph, id, key, value);
    const input = key === 'tool' ? inputOf(value) : null;
    onChange(input === null ? changed : setField(changed, id, 'input', inputFor(input, node['input'])));
  };
  const field = ([key, each]: [string, Json]): VNode => {
    const input = key === 'input' ? inputOf(node['tool']) : null;
    return html`<${input === null ? SchemaForm : FieldsOrJson} key=${input === null ? key : `${key} of ${wordIn(node, 'tool')}`} label=${key}
      schema=${input ?? (key === 'title' ? { ...(each as Fields), maxLength: 100 } : key === 'tool' ? { ...(each as Fields), enum: [...new Set([...known.tools, wordIn(node, 'tool')])] } : each)}
      value=${node[key]} isRequired=${required.includes(key)} onChange=${(value: Json | undefined) => change(key, value)} />`;
  };
  return html`<section class="card stack schema-form node-panel" aria-label=${t('The step {}', id)}>
    <header class="row apart"><h3>${id}</h3><span class="soft">${wordIn(node, 'kind')}</span></header>
    ${problems.map(({ problem, fix }) => html`<p class="problem">${problem}${fix === null ? null : html` <span class="fix">${fix}</span>`}</p>`)}
    <form class="row" onSubmit=${rename}><label class="field">Name<input type="text" value=${name.value} pattern="[A-Za-z_][A-Za-z0-9_\\-]*" onInput=${(event: InputEvent) => (name.value = (event.target as HTMLInputElement).value)} /></label>
      <button type="submit" disabled=${name.value === id}>Rename</button></form>
    ${fields.filter(([key]) => !RARE.has(key)).map(field)}
    <div class="row"><span class="soft">Comes after</span>
      ${needs.map((each) => html`<button key=${each} type="button" aria-label=${t('No longer after {}', each)} onClick=${() => onChange(disconnect(graph, each, id))}>${each} ×</button>`)}
      <select aria-label="Comes after" value="" onChange=${(event: Event) => onChange(connect(graph, (event.target as HTMLSelectElement).value, id))}>
        <option value="">add…</option>${others.filter((each) => !needs.includes(each)).map((each) => html`<option value=${each}>${each}</option>`)}
      </select></div>
    <details><summary>More</summary><div class="stack">
      ${fields.filter(([key]) => RARE.has(key)).map(field)}
      <${JsonField} label="Fixed output" schema=${{ description: t('While you write the graph: this is taken as its output, and it is not run.') }} value=${pinOf(graph, id)} onChange=${(value: Json | undefined) => onChange(setPin(graph, id, value))} />
    </div></details>
    <div class="row">
      ${onRunTo === null ? null : html`<button type="button" onClick=${() => onRunTo(id)}>Run to here…</button>`}
      <button type="button" class="danger" onClick=${() => onChange(removeNode(graph, id), null)}>Remove</button>
    </div>
  </section>`;
}
