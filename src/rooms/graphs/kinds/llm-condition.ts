/**
 * The node kind `llm_condition`: a model chooses one of the branches. With `default` the node always has a branch: that
 * one where the model cannot be asked or does not choose, and then its output says so (`by: "default"`).
 */
import { z } from 'zod';
import { BranchOption } from '../../../core/schema/model-node.ts';
import type { KindNode, KindProblem, NodeKind } from '../../../core/schema/node-kind.ts';
import { modelInput, promptFields, promptParts } from './prompt-fields.ts';

export const llmCondition: NodeKind = {
  kind: 'llm_condition',
  about: 'Lets a model choose one of several branches; its output is {branch, reason}.',
  fields: {
    ...promptFields,
    branch_options: z
      .array(BranchOption)
      .min(1)
      .max(50)
      .refine((options) => new Set(options.map(({ name }) => name)).size === options.length, 'names must differ')
      .describe('The branches, and what each means.'),
    default: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'The branch to follow when the model cannot be asked or answers twice what is none of the branches; it need not be one of branch_options.',
      ),
  },
  lower: (node, _graph, place) => {
    const { id, branch_options: options = [], default: usual } = node;
    const input = {
      prompt: promptParts(node, place),
      options,
      ...(usual === undefined ? {} : { default: usual }),
      ...modelInput(node),
    };
    return [{ kind: 'tool', id, tool: 'model.choose', input, ...fallbackOf(node) }];
  },
  branches: branchesOf,
  problems: (node, { mode, followed }) => {
    const unfollowed = branchesOf(node).filter((name) => followed !== null && !followed.has(name));
    const found: KindProblem[] = [];
    if (mode === 'bounded' && node['default'] === undefined)
      found.push({
        field: 'default',
        rule: 'mode',
        problem: 'mode bounded needs a default',
        fix: 'Name the branch to follow when the model cannot be asked, or answers nonsense.',
      });
    if (mode === 'strict' && optionsOf(node).length < 2)
      found.push({
        field: 'branch_options',
        rule: 'mode',
        problem: 'mode strict needs at least two branch options',
        fix: 'Add another branch, or use an edge without a condition.',
      });
    if (mode === 'strict' && unfollowed.length > 0)
      found.push({
        field: 'branch_options',
        rule: 'mode',
        problem: `mode strict needs an edge for each branch; none follows ${unfollowed.map((name) => JSON.stringify(name)).join(', ')}`,
        fix: 'Add an edge with "option", or name the node in "branches".',
      });
    return found;
  },
};

const optionsOf = (node: KindNode): BranchOption[] => (node['branch_options'] ?? []) as BranchOption[];

/** The options, and the default if it is none of them. */
function branchesOf(node: KindNode): string[] {
  const usual = node['default'];
  return [...new Set([...optionsOf(node).map(({ name }) => name), ...(typeof usual === 'string' ? [usual] : [])])];
}

/** For every other reason than the model's answer for which the call may fail, such as a time limit or a budget. */
function fallbackOf({ default: usual }: KindNode): object {
  if (usual === undefined) return {};
  const reason = 'the model could not be asked; the error is in the record of this step';
  return { on_error: 'fallback', fallback: { branch: usual, reason, by: 'default' } };
}
