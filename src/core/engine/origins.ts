/** Where the values came from that say what a call acts on. What a tool gave is never trusted to say that. */
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { jsonField } from '../schema/json-field.ts';
import { storedPictures } from '../schema/picture.ts';
import type { Author, Origin } from '../schema/tool.ts';
import { nodeNamed, nodeStateOf, type NodeState, type RunState } from './run-state.ts';
import { templateNames } from './template.ts';

/** Shorter words are in every text. */
const SHORTEST_WORD = 4;

/** What a person wrote and filled with the words of a tool is no longer what the person wrote. */
export function authorOf(run: RunState, config: Node | undefined): Author {
  if (config === undefined || config.kind === 'agent' || run.plan.graph.author === 'model') return 'model';
  if (nodeStateOf(run, config.id)?.handled?.isChanged === true) return 'model';
  return config.input !== undefined && templateNames(config.input).every((name) => isGiven(run, name))
    ? 'operator'
    : 'model';
}

/** Whether a word of a template stands for what a person started the run with, and not for what a tool gave. */
function isGiven(run: RunState, name: string): boolean {
  return (name === 'input' && run.isInputGiven) || (name === 'date' && nodeNamed(run, name) === undefined);
}

export function originsOf(
  run: RunState,
  name: string,
  input: Json,
  targets: readonly string[],
): Readonly<Record<string, Origin>> {
  const index = nodeNamed(run, name) ?? -1;
  const [config, node] = [run.configs[index], run.nodes[index]];
  if (config === undefined || node === undefined) return {};
  const isChanged = node.handled?.isChanged === true; // by a model that has read an error, whose words are a tool's
  const origin = (field: string): Origin =>
    isChanged
      ? 'tool'
      : config.kind === 'agent'
        ? originOfWords(jsonText(jsonField(input, field)), run, node)
        : originOfTemplate(config.input === undefined ? '{{last}}' : jsonField(config.input, field), run);
  return Object.fromEntries(
    targets.filter((field) => jsonField(input, field) !== null).map((field) => [field, origin(field)]),
  );
}

/** For what the author of the graph wrote himself: nothing in it came from elsewhere. */
export function originsByAuthor(
  run: RunState,
  input: Json,
  targets: readonly string[],
): Readonly<Record<string, Origin>> {
  const given = targets.filter((field) => jsonField(input, field) !== null);
  return Object.fromEntries(given.map((field) => [field, run.plan.graph.author]));
}

function originOfTemplate(template: Json, run: RunState): Origin {
  const names = templateNames(template);
  if (names.some((name) => !isGiven(run, name))) return 'tool';
  return names.length > 0 ? 'task' : run.plan.graph.author;
}

/**
 * The words that a model did not find in its task but in what tools gave came from there. What a picture says is not
 * known here, so after one every word that is not in the task counts as read from it.
 */
function originOfWords(text: string, run: RunState, { agent }: NodeState): Origin {
  const isOwn = run.plan.graph.author === 'operator' && run.isInputGiven;
  const described = isOwn ? `${run.title} ${jsonText(run.input)}` : run.title;
  const seen = jsonText((agent?.evidence ?? []).map(({ output, error }) => [output, error]));
  const words = text.split(/[\s"'`;|&<>()=,]+/).filter((word) => word.length >= SHORTEST_WORD);
  const hasPicture = (agent?.evidence ?? []).some(
    ({ decision, output }) => decision.kind === 'CallTool' && storedPictures(decision.tool, output).length > 0,
  );
  if (words.some((word) => !described.includes(word) && (hasPicture || seen.includes(word)))) return 'tool';
  return words.length > 0 && words.every((word) => described.includes(word)) ? 'task' : 'model';
}

function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
