/** Owns: what is wrong with one node of a graph, whatever is around it in the graph. */
import type { Node } from '../schema/graph.ts';
import { conditionProblems, type TypeLookup } from './condition-problems.ts';
import type { Place, Report } from './graph-problem.ts';
import { inputPath, type OutputSchemas } from './data-contract.ts';

export type Surroundings = {
  /** Names of the tools there are; undefined = not known here, so not checked. */
  tools?: ReadonlySet<string>;
  graphs?: ReadonlySet<string>;
  /** What tools give; undefined = not known here, so comparisons are tried on literal values only. */
  outputs?: OutputSchemas;
  /** What is known of the types of values, which follows from `outputs`. */
  types?: TypeLookup;
  /** Why a text cannot be the acceptance of a node, or null; undefined = not known here, so not checked. */
  acceptance?: (text: string) => string | null;
};

export function nodeProblems(node: Node, at: Place, around: Surroundings, report: Report): void {
  const { tools, graphs, acceptance } = around;
  const known = (name: string): void => {
    if (tools !== undefined && !tools.has(name)) report(at(), `there is no tool "${name}"`);
  };
  if (node.kind === 'tool' && node.tools !== undefined && !node.tools.includes(node.tool))
    report(`${at()}.tool`, `"${node.tool}" is not among the tools this node may call`);
  if (node.kind === 'tool') known(node.tool);
  node.tools?.forEach(known);
  if (node.kind === 'graph' && graphs !== undefined && !graphs.has(node.graph))
    report(`${at()}.graph`, `there is no graph "${node.graph}"`);
  node.acceptance.forEach((text, index) => {
    const problem = acceptance?.(text) ?? null;
    if (problem !== null) report(`${at()}.acceptance.${index}`, problem);
  });
  checkFailure(node, at, report);
  if (node.output_schema !== undefined && (node.kind === 'agent' || node.kind === 'graph' || node.kind === 'wait'))
    report(
      `${at()}.output_schema`,
      `the output of ${node.kind === 'agent' ? 'an' : 'a'} ${node.kind} node is not checked; put it on a transform behind it`,
    );
  if (node.input_schema !== undefined && (node.kind === 'map' || node.kind === 'wait'))
    report(`${at()}.input_schema`, `the input of a ${node.kind} node is not checked; put it on a transform before it`);
  if (node.kind === 'transform' && node.acceptance.length > 0)
    report(`${at()}.acceptance`, 'a transform makes nothing that could be checked');
  if (node.kind === 'typed_condition') checkCondition(node, at(), around.types, report);
  if (node.on_error === 'handle' && node.kind !== 'tool')
    report(`${at()}.on_error`, 'handle is for a node that calls a tool', {
      rule: 'on_error',
      fix: 'Use fallback or fail here.',
    });
  if (node.kind === 'map') nodeProblems(node.each, () => `${at()}.each`, around, report);
}

function checkFailure(node: Node, at: Place, report: Report): void {
  if (node.on_error === 'fallback' && node.fallback === undefined)
    report(`${at()}.fallback`, 'on_error is fallback, but there is no fallback', {
      rule: 'on_error',
      fix: 'Add "fallback" with the output to continue with.',
    });
  if (node.retry !== undefined && node.max_retries !== undefined)
    report(`${at()}.retry`, 'both retry and max_retries say how often it is tried again', {
      rule: 'retry',
      fix: 'Leave max_retries out; retry.times says the same.',
    });
}

function checkCondition(
  node: Extract<Node, { kind: 'typed_condition' }>,
  at: string,
  types: TypeLookup | undefined,
  report: Report,
): void {
  for (const { path, problem, ...about } of conditionProblems(node, at, types, inputPath(node)))
    report(path, problem, about);
  if (node.acceptance.length > 0)
    report(`${at}.acceptance`, 'a condition makes nothing that could be checked', { rule: 'condition' });
}
