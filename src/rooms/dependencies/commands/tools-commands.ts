/** Installed tools. */
import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { dependencies, type Installed, installedCommands } from '../../../kit/requests/dependency-state.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { bytes, count, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { renderToolAnswer, requestTools, type ToolAnswer, toolAnswerJson } from '../request-tools.ts';
import { pruneTools } from '../prune-tools.ts';
import { join } from 'node:path';
import { auditTools } from '../install/audit-tools.ts';
import { toolFindings } from '../tool-findings.ts';
import { renderFindings } from '../../../kit/cli/findings-text.ts';
import { flag, parsedText } from '../../../kit/cli/options.ts';
import { parseAge } from '../../../kit/cli/option-values.ts';

type ListedTool = { id: string } & Installed;

type Options = { unused: { text: string; ms: number } | undefined };

type AuditData = { audited: Awaited<ReturnType<typeof auditTools>> };

export const commands: Commands = {
  'tools list': command({
    summary: 'List the tools that were installed: why, for which run, last used, size',
    example: 'oka tools list',
    run: async ({ home }) => {
      const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
      return answer({ tools: Object.entries(state.installed).map(([id, tool]) => ({ id, ...tool })) });
    },
    render: ({ tools }, terminal) => {
      if (tools.length === 0) return 'No tools are installed yet. They are installed when a task needs them.\n';
      return tools.map((tool) => renderTool(tool, terminal)).join('');
    },
  }),
  'tools remove': command({
    summary: 'Remove a tool, or all that were not used for a while',
    operands: '[tool…]',
    options: { unused: parsedText('TIME', 'Those not used for this long, such as 30d.', parseAge) },
    example: 'oka tools remove --unused 30d',
    run: async (call: Call<Options, ToolAnswer>): Promise<Answer<ToolAnswer>> => {
      const { home, operands } = call;
      const { unused } = call.options;
      if (unused === undefined) {
        if (operands.length === 0) throw new OkaError('usage', 'say which tool, or --unused 30d');
        const removals = operands.map((what) => ({ kind: 'remove', what }) as const);
        return requestTools(call, removals);
      }
      const before = Date.now() - unused.ms;
      const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
      const idle = Object.entries(state.installed).filter(([, { used, at }]) => Date.parse(used ?? at) < before);
      if (idle.length === 0)
        return answer({ kind: 'nothing', field: 'removed', text: `Every tool was used within ${unused.text}.` });
      const reason = `not used for ${unused.text}`;
      const removals = idle.map(([what]) => ({ kind: 'remove', what, reason }) as const);
      return requestTools(call, removals);
    },
    render: renderToolAnswer,
    jsonLines: toolAnswerJson,
  }),
  'tools update': command({
    summary: 'Update tools to the newest release that the policy allows',
    operands: '[tool…]',
    example: 'oka tools update prettier',
    run: async (call) => {
      const { home, operands } = call;
      const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
      const all = Object.entries(state.installed);
      const unknown = operands.find((name) => !all.some(([id, tool]) => id === name || tool.name === name));
      if (unknown !== undefined)
        throw new OkaError('usage', `"${unknown}" is not installed`, { fix: 'List what is: oka tools list' });
      const wanted = all.filter(
        ([id, { name, by }]) =>
          by !== 'binary' && (operands.length === 0 || operands.includes(id) || operands.includes(name)),
      );
      if (wanted.length === 0)
        return answer({ kind: 'nothing', field: 'updated', text: 'There is nothing to update.' });
      const installs = wanted.map(([, tool]) => ({ kind: 'install', what: newestOf(tool) }) as const);
      return requestTools(call, installs);
    },
    render: renderToolAnswer,
    jsonLines: toolAnswerJson,
  }),
  'tools prune': command({
    summary: 'Remove versions of tools that are no longer in use',
    options: { 'dry-run': flag('Only say what would be removed.') },
    example: 'oka tools prune --dry-run',
    run: async ({ home, options }) => {
      const pruned = await pruneTools(home, { dryRun: options.dryRun });
      return answer({ ...pruned, dry_run: options.dryRun }, pruned.kind === 'pruned' ? exits.ok : exits.no);
    },
    render: (data, { dim }) => {
      if (data.kind === 'busy') return 'A tool is being installed right now. Try again when that is done.\n';
      if (data.kind === 'unsure') return 'The ledger cannot be read to its end; nothing was touched. See: oka verify\n';
      if (data.gone.length === 0) return 'Nothing can be removed.\n';
      const lines = data.gone.map(
        ({ path, bytes: size, since }) =>
          `${plainText(path)}  ${dim(`${bytes(size)}, unused since ${since.slice(0, 10)}`)}\n`,
      );
      const what = `${count(data.gone.length, 'old version')}, ${bytes(data.bytes)}`;
      return `${lines.join('')}${what} ${data.dry_run ? 'would be removed' : 'removed'}\n`;
    },
  }),
  'tools audit': command({
    summary: 'Compare every tool with its hash in the lock; exit 1 if one has changed',
    example: 'oka tools audit',
    run: async ({ home }) => {
      const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
      const audited = await auditTools(join(home.oka, 'tools'), state.installed);
      return answer({ audited }, audited.every(isUnchanged) ? exits.ok : exits.no);
    },
    render: ({ audited }, { bold, green, red }) => {
      const changed = audited.filter((tool) => !isUnchanged(tool));
      const lines = changed.map(
        ({ name, state, found }) => `${red(state)}  ${bold(plainText(name))}  ${plainText(found)}\n`,
      );
      const summary = changed.length === 0 ? green('as installed') : `${changed.length} not as installed`;
      return `${lines.join('')}${summary}: ${count(audited.length - changed.length, 'tool')} unchanged\n`;
    },
  }),
  'tools doctor': command({
    summary: 'Check what installing needs: npm, Python, the sandbox, the tools themselves',
    example: 'oka tools doctor',
    run: async ({ home }) => {
      const findings = await toolFindings(home);
      return answer({ findings }, findings.some(({ state }) => state === 'bad') ? exits.no : exits.ok);
    },
    render: ({ findings }, terminal) => renderFindings(findings, terminal),
  }),
};

function renderTool(tool: ListedTool, terminal: Terminal): string {
  const { bold, dim } = terminal;
  const { id, version, bytes: size, at, used, why, for_run, from } = tool;
  const lines = [
    `${bold(id)} ${version}  ${dim(`${bytes(size)}, from ${plainText(from)}`)}`,
    indentWrapped(`commands   ${installedCommands(tool).join(', ')}`, '  ', terminal),
    `  installed  ${at.slice(0, 10)}${for_run === null ? '' : ` for ${for_run}`}`,
    `  last used  ${used === null ? dim('not yet') : used.slice(0, 10)}`,
    indentWrapped(`why        ${why}`, '  ', terminal),
  ];
  return `${lines.join('\n')}\n`;
}

/** The newest release that the policy allows: it refuses those that are too young. */
function newestOf({ by, name, version }: Installed): string {
  return by === 'node' ? `node:${name}@latest` : `python:${name}>=${version}`;
}

const isUnchanged = ({ state }: AuditData['audited'][number]): boolean => state === 'same';
