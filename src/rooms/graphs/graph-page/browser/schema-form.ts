/** A form made from a JSON Schema: a field for each value, lists and objects inside each other. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { html } from '../../../../kit/web/browser/html.ts';
import type { Json } from '../../../../core/schema/json.ts';
import { fieldFor, initialValue } from './schema-fields.ts';
import type { JsonSchema } from './schema-help.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type FormProps = {
  schema: JsonSchema;
  value: Json | undefined;
  label: string;
  isRequired?: boolean;
  /** Undefined when the value is left out. */
  onChange: (value: Json | undefined) => void;
};

export function SchemaForm(props: FormProps): VNode {
  const field = isReference(props.value) ? REFERENCE : fieldFor(props.schema);
  switch (field.kind) {
    case 'object':
      return html`<${ObjectFields} ...${props} properties=${field.properties} />`;
    case 'list':
      return html`<${ListField} ...${props} items=${field.items} />`;
    case 'json':
      return html`<${JsonField} ...${props} />`;
    case 'boolean':
      return html`<label><input type="checkbox" checked=${props.value === true} onChange=${(event: Event) => props.onChange((event.target as HTMLInputElement).checked)} /> ${props.label}<${About} schema=${props.schema} /></label>`;
    case 'choice':
      return html`<label class="field">${props.label}<select value=${JSON.stringify(props.value ?? null)} onChange=${(event: Event) => props.onChange(parseOr((event.target as HTMLSelectElement).value) ?? undefined)}>
        ${props.isRequired === true ? null : html`<option value="null">(left out)</option>`}
        ${field.options.map((each) => html`<option value=${JSON.stringify(each)}>${typeof each === 'string' ? each : JSON.stringify(each)}</option>`)}
      </select><${About} schema=${props.schema} /></label>`;
    case 'number':
      return html`<label class="field">${props.label}<input type="number" step=${field.isWhole ? '1' : 'any'} required=${props.isRequired === true} value=${typeof props.value === 'number' ? props.value : ''}
        onInput=${(event: InputEvent) => props.onChange(numberIn((event.target as HTMLInputElement).value))} /><${About} schema=${props.schema} /></label>`;
    case 'text':
      return html`<label class="field">${props.label}${textInput(props, field.isLong)}<${About} schema=${props.schema} /></label>`;
  }
}

/** Any value of a graph may be taken from another step: `{{fetch.body}}`. */
const isReference = (value: Json | undefined): boolean => typeof value === 'string' && value.startsWith('{{');
const REFERENCE = { kind: 'text', isLong: false } as const;

/** An object as fields, or as JSON, which says everything. It begins as JSON where its fields would not show all of it. */
export function FieldsOrJson(props: FormProps): VNode {
  const isJson = useSignal(!isShownWhole(props.schema, props.value));
  return html`<${isJson.value ? JsonField : SchemaForm} ...${props} />
    <label><input type="checkbox" checked=${isJson.value} onChange=${() => (isJson.value = !isJson.value)} /> Write it as JSON</label>`;
}

function isShownWhole(schema: JsonSchema, value: Json | undefined): boolean {
  const field = fieldFor(schema);
  if (field.kind !== 'object' || !isRecord(value ?? {})) return false;
  return Object.keys(value ?? {}).every((name) => field.properties.some((each) => each.name === name));
}

function textInput({ value, isRequired, onChange }: FormProps, isLong: boolean): VNode {
  const change = (event: InputEvent): void => {
    const text = (event.target as HTMLInputElement).value;
    onChange(text === '' && isRequired !== true ? undefined : text);
  };
  const shown = typeof value === 'string' ? value : '';
  return isLong
    ? html`<textarea rows="4" value=${shown} onInput=${change}></textarea>`
    : html`<input type="text" value=${shown} onInput=${change} />`;
}

function About({ schema }: { schema: JsonSchema }): VNode | null {
  const text = schema['description'];
  return typeof text === 'string' && text !== '' ? html`<small>${text}</small>` : null;
}

type Properties = Extract<ReturnType<typeof fieldFor>, { kind: 'object' }>['properties'];

function ObjectFields({ value, label, properties, onChange }: FormProps & { properties: Properties }): VNode {
  const now = isRecord(value) ? value : {};
  const set = (name: string, next: Json | undefined): void => {
    const { [name]: _before, ...rest } = now;
    onChange(next === undefined ? rest : { ...rest, [name]: next });
  };
  return html`<fieldset class="stack"><legend>${label}</legend>
    ${properties.map(
      ({ name, schema, isRequired }) =>
        html`<${SchemaForm} key=${name} schema=${schema} value=${now[name]} label=${isRequired ? name : `${name} (optional)`} isRequired=${isRequired} onChange=${(next: Json | undefined) => set(name, next)} />`,
    )}
  </fieldset>`;
}

function ListField({ value, label, items, onChange }: FormProps & { items: JsonSchema }): VNode {
  const now = Array.isArray(value) ? value : [];
  const name = label.replace(' (optional)', '');
  const replace = (at: number, next: Json | undefined): void =>
    onChange(now.map((each, index) => (index === at ? (next ?? null) : each)));
  return html`<fieldset class="stack"><legend>${label}</legend>
    ${now.map(
      (each, at) => html`<div class="row">
        <${SchemaForm} schema=${items} value=${each} label=${`${name} ${at + 1}`} isRequired=${true} onChange=${(next: Json | undefined) => replace(at, next)} />
        <button type="button" class="quiet" aria-label=${t('Remove {} {}', name, at + 1)} onClick=${() => onChange(now.filter((_, index) => index !== at))}>×</button>
      </div>`,
    )}
    <div><button type="button" onClick=${() => onChange([...now, initialValue(items) ?? null])}>Add</button></div>
  </fieldset>`;
}

/** Any JSON; what is not JSON yet is not passed on. */
export function JsonField({ value, label, schema, onChange }: FormProps): VNode {
  const text = useSignal(value === undefined ? '' : JSON.stringify(value, null, 2));
  const isWrong = text.value.trim() !== '' && parseOr(text.value) === undefined;
  const change = (event: InputEvent): void => {
    text.value = (event.target as HTMLTextAreaElement).value;
    const next = parseOr(text.value);
    if (next !== undefined || text.value.trim() === '') onChange(next);
  };
  return html`<label class="field">${label}<textarea rows="6" spellcheck=${false} aria-invalid=${isWrong ? 'true' : 'false'} value=${text.value} onInput=${change}></textarea>
    ${isWrong ? html`<small class="status failed">This is not JSON yet.</small>` : html`<${About} schema=${schema} />`}</label>`;
}

function parseOr(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const numberIn = (text: string): number | undefined =>
  text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);

const isRecord = (value: Json | undefined): value is { [key: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
