/** Running a graph: its input as a form made from its schema, or as JSON. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { submit } from '../../../../kit/web/browser/api.ts';
import { Dialog } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { navigate } from '../../../../kit/web/browser/router.ts';
import type { Json } from '../../../../core/schema/json.ts';
import { initialValue } from './schema-fields.ts';
import { FieldsOrJson, JsonField } from './schema-form.ts';
import type { JsonSchema } from './schema-help.ts';
import { t } from '../../../../kit/web/browser/words.ts';

export function RunGraphDialog({
  graph,
  inputs,
  written,
  onClose,
}: {
  graph: string;
  inputs: Json;
  /** A graph that is being written, and the step up to which it is run. */
  written?: { text: string; until: string };
  onClose: () => void;
}): VNode {
  const schema = (inputs ?? {}) as JsonSchema;
  const value = useSignal<Json | undefined>(initialValue(schema) ?? {});
  const isBusy = useSignal(false);
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    await attempt(() => start(graph, value.value ?? {}, written ?? {}));
    isBusy.value = false;
  };
  const change = (next: Json | undefined): void => void (value.value = next);
  const props = { schema, value: value.value, label: t('Input'), isRequired: true, onChange: change };
  return html`<${Dialog} title=${written === undefined ? t('Run {}', graph) : t('Run {} up to {}', graph, written.until)} onClose=${onClose}>
    <form class="stack schema-form" onSubmit=${run}>
      <${schema['type'] === 'object' ? FieldsOrJson : JsonField} ...${props} />
      <footer class="row"><button type="submit" class="primary" disabled=${isBusy.value}>Run</button></footer>
    </form>
  <//>`;
}

async function start(graph: string, input: Json, written: { text?: string; until?: string }): Promise<void> {
  const id = `${graph.slice(0, 40)}-${Date.now().toString(36)}`;
  const { worker } = await submit({ kind: 'run_graph', id, graph, input, ...written });
  if (worker) navigate(`/runs/${id}`);
  else notice(t('No worker is running; the graph runs once one does. Start it: oka up'));
}
