/** What is done by habit. */
import type { KnownProcedure } from '../../../kit/learning/known-procedures.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';
import {
  colourStatus,
  findProcedure,
  listProcedures,
  renderStatusRequest,
  requestStatus,
} from '../procedure-access.ts';
import { renderProcedurePage } from '../procedure-page.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder, writeNewFile } from '../../../core/ledger/disk.ts';
import { procedureAsSkill } from '../export-skill.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { flag, text } from '../../../kit/cli/options.ts';

type ListData = { procedures: KnownProcedure[] };

export const commands: Commands = {
  'procedures list': command({
    summary: 'List the procedures that were learned, and their status',
    options: { all: flag('Also those that were retired.') },
    example: 'oka procedures list',
    run: proceduresList,
    render: ({ procedures }, terminal) => {
      if (procedures.length === 0)
        return 'No procedures yet. They are learned from tasks that are alike and go well.\n';
      return procedures.map((each) => renderProcedure(each, terminal)).join('');
    },
    jsonLines: ({ procedures }) => [
      {
        procedures: procedures.map(
          ({ procedure: { id, version, title, evidence, from = null }, status, forced, moves }) => {
            const numbers = moves.at(-1)?.numbers ?? null;
            return { id, version, title, status, forced, from, runs: evidence.length, numbers };
          },
        ),
      },
    ],
  }),
  'procedures show': command({
    summary: 'Show a procedure: when it applies, its steps and its checks',
    operands: '<procedure>',
    example: 'oka procedures show sort-the-rows-of',
    run: async (call) => answer(await findProcedure(call)),
    render: (known) =>
      renderProcedurePage(known, [])
        .lines.map(({ text }) => `${plainText(text)}\n`)
        .join(''),
    jsonLines: ({ procedure, status, forced, moves }) => [{ status, forced, procedure, last: moves.at(-1) ?? null }],
  }),
  'procedures export': command({
    summary: 'Write a promoted procedure as a skill, so that others can use it',
    operands: '<procedure>',
    options: { to: text('FOLDER', 'The folder that gets it (default: workspace/skills).') },
    example: 'oka procedures export sort-the-rows-of',
    run: async (call) => {
      const { procedure, status } = await findProcedure(call);
      if (status !== 'promoted')
        throw new OkaError('refused', `${procedure.id} is ${status}; only a promoted procedure is exported`, {
          fix: `See what is missing: oka procedures why ${procedure.id}`,
        });
      const { name, text } = procedureAsSkill(procedure);
      const folder = join(
        call.options.to === undefined ? join(call.home.workspace, 'skills') : resolve(call.options.to),
        name,
      );
      if (existsSync(folder))
        throw new OkaError('usage', `${folder} is there already`, { fix: 'Remove it, or choose another folder: --to' });
      makeFolder(folder);
      writeNewFile(join(folder, 'SKILL.md'), text);
      return answer({ procedure: procedure.id, skill: name, folder });
    },
    render: ({ skill, folder }) => `Wrote the skill ${skill} (${folder}). Read it: oka skills show ${skill}\n`,
  }),
  'procedures promote': command({
    summary: 'Use a procedure whatever the numbers say; needs --force, and is marked so',
    operands: '<procedure>',
    options: {
      force: flag('Yes, above the numbers.'),
      reason: text('TEXT', 'Why.'),
    },
    example: 'oka procedures promote sort-the-rows-of --force',
    run: async (call) => {
      if (call.options.force) return requestStatus(call, 'promoted');
      const { procedure } = await findProcedure(call);
      throw new OkaError('usage', 'procedures are promoted by their numbers; a person can only put one above them', {
        fix: `If you mean it: oka procedures promote ${procedure.id} --force`,
      });
    },
    render: renderStatusRequest,
  }),
  'procedures demote': command({
    summary: 'No longer use a procedure',
    operands: '<procedure>',
    options: { reason: text('TEXT', 'Why.') },
    example: 'oka procedures demote sort-the-rows-of --reason "other columns now"',
    run: async (call) => requestStatus(call, 'demoted'),
    render: renderStatusRequest,
  }),
};

function renderProcedure({ procedure, status, forced, moves }: KnownProcedure, terminal: Terminal): string {
  const { bold, dim, width } = terminal;
  const last = moves.at(-1);
  const numbers = last === undefined ? 'not judged yet' : `evidence ${Math.round(last.numbers.e_value * 100) / 100}`;
  const lines = [
    `${bold(procedure.id)}  ${colourStatus(status, terminal)}${forced ? ', forced' : ''}`,
    `  ${fitText(plainText(procedure.title), width - 2)}`,
    `  ${dim(`version ${procedure.version}, ${originOf(procedure)}, ${numbers}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}

const originOf = ({ from, evidence }: KnownProcedure['procedure']): string =>
  `${from === undefined ? '' : `shared by ${from}, `}from ${count(evidence.length, 'run')}`;

async function proceduresList(call: Call<{ all: boolean }>): Promise<Answer<ListData>> {
  const all = await listProcedures(call);
  return answer({ procedures: all.filter(({ status }) => status !== 'retired' || call.options.all) });
}
