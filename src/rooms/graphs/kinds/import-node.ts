/** Owns: what a single node of Anton becomes. */
import type { Json } from '../../../core/schema/json.ts';
import type { AntonNode } from './anton-graph.ts';
import { toWantedLists } from './import-lists.ts';
import type { ImportedNode, Importing } from './importing.ts';

/** Bounds that Anton adds where a node has none. */
const DEFAULT_SECONDS = 45;
const DEFAULT_RETRIES = 1;
const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'];

export function importNode(node: AntonNode, importing: Importing): ImportedNode {
  const path = `nodes.${importing.source.nodes.indexOf(node)}`;
  const common = { id: node.node_id, ...titleOf(node), ...contractsOf(node, path, importing) };
  switch (node.type) {
    case 'start':
      return { kind: 'transform', ...common, value: node.input ?? '{{input}}' };
    case 'end':
      return { kind: 'transform', ...common, value: node.input ?? '{{last}}' };
    case 'transform':
      return { kind: 'transform', ...common, value: node.value ?? node.input ?? '{{last}}' };
    case 'tool':
      return { ...common, ...toolFields(node, path, importing), ...boundsOf(node, importing, path) };
    case 'ai_template':
      return {
        kind: 'ai_template',
        ...common,
        ...promptFields(node, path, importing),
        ...boundsOf(node, importing, path),
      };
    case 'read_state':
      checkStateAccess(node, path, importing);
      return { kind: 'read_state', ...common, key: node.key, ...boundsOf(node, importing, path) };
    case 'write_state':
      checkStateAccess(node, path, importing);
      return {
        kind: 'write_state',
        ...common,
        key: node.key,
        value: node.value ?? node.input ?? '{{last}}',
        ...boundsOf(node, importing, path),
      };
    case 'read_prior_runs':
      checkStateAccess(node, path, importing);
      return { kind: 'read_prior_runs', ...common, limit: node.limit ?? 5, ...boundsOf(node, importing, path) };
    case 'condition':
      return { ...common, ...conditionFields(node, path, importing), ...boundsOf(node, importing, path) };
  }
}

/** Whether a node passes on, or works with, the output of the node before it. */
export function usesLast(node: AntonNode): boolean {
  if (node.input !== undefined) return JSON.stringify(node.input).includes('{{last');
  if (node.type === 'tool') return (node.args ?? node.parameters) === undefined;
  if (node.type === 'transform' || node.type === 'write_state') return node.value === undefined;
  return node.type === 'end';
}

function titleOf({ name, description }: AntonNode): { title?: string } {
  const title = name ?? description;
  return title === undefined ? {} : { title };
}

/** Schemas of input and output; `any` is no type of JSON Schema, and means that there is nothing to check. */
function contractsOf(node: AntonNode, path: string, { note }: Importing): Record<string, Json> {
  const input = cleanContract(node.input_schema ?? {});
  const output = cleanContract(node.output_schema ?? {});
  const replaced = node.type === 'tool' && (node.args ?? node.parameters) !== undefined;
  const isChecked = Object.keys(input).length > 0;
  if (isChecked && replaced)
    note(`${path}.input_schema`, 'is left out: it describes the output of the node before, which `args` replaces');
  return {
    ...(isChecked && !replaced && { input_schema: input }),
    ...(Object.keys(output).length > 0 && { output_schema: output }),
  };
}

export function cleanContract(schema: { [key: string]: Json }): { [key: string]: Json } {
  const clean = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(clean);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inside]) =>
        key === 'type' && inside === 'any' ? [] : [[key, clean(inside)]],
      ),
    );
  };
  return clean(schema) as { [key: string]: Json };
}

function boundsOf(node: AntonNode, { source, mode, note }: Importing, path: string): Record<string, Json> {
  const defaults = source.execution_defaults;
  const isBounded = mode !== 'flex';
  const seconds = node.timeout_seconds ?? defaults?.timeout_seconds ?? (isBounded ? DEFAULT_SECONDS : undefined);
  const retries = node.max_retries ?? defaults?.max_retries ?? (isBounded ? DEFAULT_RETRIES : undefined);
  const key = node.idempotency_key ?? (isBounded ? `${source.id}:${node.node_id}` : undefined);
  const hasFallback = node.fallback_output !== undefined;
  if (hasFallback && isBounded)
    note(`${path}.fallback_output`, `is left out: a fallback counts in mode flex, and this graph is ${mode}`);
  return {
    ...(seconds !== undefined && { timeout_seconds: seconds }),
    ...(retries !== undefined && { max_retries: retries }),
    ...(key !== undefined && { idempotency_key: key }),
    ...(hasFallback && !isBounded && { on_error: 'fallback', fallback: node.fallback_output ?? null }),
  };
}

function toolFields(
  node: Extract<AntonNode, { type: 'tool' }>,
  path: string,
  { tools, toolNames, inputOf, note, problem }: Importing,
): { kind: string } & Record<string, Json> {
  const name = node.tool ?? node.tool_name ?? '';
  const known = tools.has(name) ? { tool: name } : toolNames[name];
  if (known === undefined || !tools.has(known.tool))
    problem(
      `${path}.tool`,
      name === ''
        ? 'the node names no tool'
        : `there is no tool "${name}" here; name one for it under graph_import.tools in config.json`,
    );
  const given = node.args ?? node.parameters ?? node.input;
  const renamed = known?.args ?? {};
  const isMap = given !== null && typeof given === 'object' && !Array.isArray(given);
  const input = isMap
    ? Object.fromEntries(Object.entries(given).map(([key, value]) => [renamed[key] ?? key, value]))
    : given;
  const tool = known?.tool ?? name;
  const coerced = toWantedLists(input, inputOf(tool), (field, text) => note(`${path}.args.${field}`, text));
  return { kind: 'tool', tool, ...(coerced !== undefined && { input: coerced }) };
}

function promptFields(
  node: Extract<AntonNode, { type: 'ai_template' }>,
  path: string,
  { problem }: Importing,
): Record<string, Json> {
  const prompt = node.prompt_template ?? node.prompt;
  if (prompt === undefined) problem(`${path}.prompt`, 'the node has no prompt');
  return {
    prompt: [node.system_prompt, prompt].filter(Boolean).join('\n\n'),
    ...(node.output_format !== undefined && { output_format: node.output_format }),
  };
}

function conditionFields(
  node: Extract<AntonNode, { type: 'condition' }>,
  path: string,
  importing: Importing,
): { kind: string } & Record<string, Json> {
  if (node.strategy === 'typed_condition') return typedFields(node, path, importing);
  const options = node.branch_options ?? [];
  const [first = ''] = options;
  const prompt = node.llm_prompt ?? node.prompt;
  if (options.length === 0) importing.problem(`${path}.branch_options`, 'an llm_condition needs branch options');
  if (prompt === undefined && node.decision !== undefined) return decidedFields(node, options, path, importing);
  if (prompt === undefined) importing.problem(`${path}.prompt`, 'an llm_condition needs a prompt');
  if (node.decision !== undefined) importing.note(`${path}.decision`, 'is left out: the model is asked each time');
  return {
    kind: 'llm_condition',
    prompt: prompt ?? '',
    branch_options: options.map((name) => ({ name, meaning: name })),
    ...(importing.mode !== 'strict' && { default: first }),
  };
}

function typedFields(
  { operator = '', left, right }: Extract<AntonNode, { type: 'condition' }>,
  path: string,
  importing: Importing,
): { kind: string } & Record<string, Json> {
  const { problem } = importing;
  if (!OPERATORS.includes(operator)) problem(`${path}.operator`, `"${operator}" is none of ${OPERATORS.join(', ')}`);
  if (left === undefined) problem(`${path}.left`, 'a typed_condition needs it');
  if (right === undefined) problem(`${path}.right`, 'a typed_condition needs it');
  return { kind: 'typed_condition', left: left ?? null, operator, right: statusHere(left, right ?? null, importing) };
}

/** A run that Anton calls succeeded is done here. */
function statusHere(left: Json | undefined, right: Json, { source }: Importing): Json {
  const [, name] = /^\{\{\s*(.+?)\.runs\.\d+\.status\s*\}\}$/.exec(typeof left === 'string' ? left : '') ?? [];
  const isPrior = source.nodes.some(({ node_id, type }) => node_id === name && type === 'read_prior_runs');
  return isPrior && right === 'succeeded' ? 'done' : right;
}

/** A decision that was made before, by another node: the model is not asked, and what is no option means the first. */
function decidedFields(
  node: Extract<AntonNode, { type: 'condition' }>,
  options: readonly string[],
  path: string,
  { mode, note, problem }: Importing,
): { kind: string } & Record<string, Json> {
  if (node.branch_targets !== undefined)
    problem(`${path}.branch_targets`, 'a decision without a prompt can only lead to if_true or if_false here');
  if (mode === 'strict')
    note(`${path}.decision`, 'a decision that is none of the options leads to if_true; Anton fails in mode strict');
  return { kind: 'typed_condition', left: node.decision ?? null, operator: 'in', right: options.slice(1) };
}

/** Whether a condition follows a decision that another node has made. */
export function isDecided(node: Extract<AntonNode, { type: 'condition' }>): boolean {
  return (
    node.strategy === 'llm_condition' && node.decision !== undefined && (node.llm_prompt ?? node.prompt) === undefined
  );
}

function checkStateAccess(node: AntonNode, path: string, { source, problem }: Importing): void {
  if (node.state_access_enabled ?? source.state_access?.default_enabled) return;
  problem(
    path,
    `"${node.node_id}" uses state, and the graph does not allow it: set state_access.default_enabled, or state_access_enabled of the node`,
  );
}
