/** Questions to the context tree. */
import { OkaError } from '../../../core/schema/errors.ts';
import {
  ContextAnswerSchemas,
  InvalidationRequest,
  MapRequest,
  QuestionAnswer,
  QuestionRequest,
} from '../../../core/schema/synthesis.ts';
import { answer, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { parseRequest } from '../../../kit/cli/option-request.ts';
import { requestContext } from '../request-context.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { mapFolder } from '../synthesis/map-folder.ts';
import { readSourceIn } from '../synthesis/read-source.ts';
import { openTreeForReading } from '../context-tree.ts';
import { flag, number, text } from '../../../kit/cli/options.ts';

const workspace = text('NAME', 'Another workspace of config.json.');

const model = text('PROVIDER:MODEL', 'The model to ask (default: as configured).');

export const commands: Commands = {
  'context ask': command({
    summary: 'Answer a question about the workspace from its frames',
    operands: '<question>',
    options: {
      in: text('PATH', 'Only from frames of this folder.'),
      tokens: number('N', 'What frames may cost in the prompt (default 6000).'),
      model,
      workspace,
    },
    example: 'oka context ask "where are invoices parsed?"',
    run: async (call) => {
      await requireHome(call.home);
      const question = call.operands.join(' ').trim();
      if (question === '') throw new OkaError('usage', 'say what you want to know');
      const { in: node, ...rest } = call.options;
      const input = parseRequest(QuestionRequest, { question, node, ...rest });
      const data = QuestionAnswer.parse(await requestContext(call, { tool: 'context.ask', input }));
      return answer(data, data.sources.length === 0 && data.answer === null ? exits.no : exits.ok);
    },
    render: ({ answer: text, sources }, terminal) => {
      if (text === null && sources.length === 0)
        return 'No frame has to do with that. Make frames first: oka context synthesize\n';
      const lines = sources.map(({ path, frame, stale, text: beginning }) => {
        const note = stale === undefined ? '' : ' (stale)';
        const shown = text === null ? `\n  ${terminal.dim(plainText(beginning))}` : '';
        return `${plainText(path === '' ? '.' : path)} ${terminal.dim(frame.slice(0, 12))}${note}${shown}\n`;
      });
      return text === null ? lines.join('') : `${plainText(text)}\n\n${lines.join('')}`;
    },
  }),
  'context map': command({
    summary: 'Show the most used files with their most used names',
    operands: '[path]',
    options: { tokens: number('N', 'How much of it (default 2000 tokens).'), workspace },
    example: 'oka context map desk/app --tokens 1000',
    run: async (call) => {
      await requireHome(call.home);
      const request = parseRequest(MapRequest, { node: call.operands[0], ...call.options });
      const tree = await openTreeForReading(call);
      const readSource = readSourceIn(tree.workspaces, { isExact: false });
      const data = await mapFolder({ tree, readSource }, request);
      return answer(data, data.files.length === 0 ? exits.no : exits.ok);
    },
    render: ({ text, left_out: left, files }) => {
      if (files.length === 0 && left > 0) return 'Not even the most used file fits. Allow more: --tokens 1000\n';
      if (files.length === 0) return 'There is nothing to map here. Scan first if files are new: oka context scan\n';
      return left === 0 ? text : `${text}… and ${left} more files; show more of them with --tokens N.\n`;
    },
  }),
  'context invalidate': command({
    summary: 'Mark frames as stale',
    operands: '<path>',
    options: {
      type: text('TYPE', 'Only of this type.'),
      recursive: flag('Also everything below it.'),
      reason: text('TEXT', 'Why.'),
      workspace,
    },
    example: 'oka context invalidate desk/app/a.ts --reason "it is wrong"',
    run: async (call) => {
      await requireHome(call.home);
      const input = parseRequest(InvalidationRequest, { node: call.operands[0], ...call.options });
      return answer(
        ContextAnswerSchemas.invalidated.parse(await requestContext(call, { tool: 'context.invalidate', input })),
      );
    },
    render: ({ marked }) => {
      if (marked.length === 0) return 'There was nothing to mark.\n';
      const lines = marked.map(({ path, type }) => `stale: ${plainText(path === '' ? '.' : path)} (${type})\n`);
      return `${lines.join('')}Make them again: oka context regenerate --recursive\n`;
    },
  }),
};
