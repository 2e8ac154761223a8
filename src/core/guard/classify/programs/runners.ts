/** Runners of a project, such as npx: they are judged by what they start. */
import { checkVariable } from '../risky-variables.ts';
import { local, type Row, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, literal, toDisplay } from '../shell-state.ts';
import { DEPLOYS, judgeTool, MODES } from './builds.ts';
import { judgeRunFile } from './desk-code.ts';

const runner = (judge: (use: Use, command: readonly Arg[]) => void): Row =>
  local('own', { judge: (use) => judge(use, commandIn(use.args)) });

export const runners: Table = {
  ...rows('npx pnpx bunx', local('own', { judge: judgeNpx })),
  ...rows('valgrind nyc c8 xvfb-run ccache sccache', runner(judgeStarted)),
  ...rows('cross-env cross-env-shell dotenv', runner(withVariables)),
  ...rows('concurrently', local('own', { judge: ({ operands, script }) => operands.forEach(script) })),
  ...rows(
    'nodemon',
    local('own', { takes: 'xew', rules: { '-x': judgeScript, '--exec': judgeScript }, judge: judgeTool }),
  ),
  ...rows(
    'rimraf del-cli',
    runner((use, files) => use.runs([literal('rm'), literal('-rf'), ...files])),
  ),
  ...rows(
    'mkdirp make-dir',
    runner((use, files) => use.runs([literal('mkdir'), literal('-p'), ...files])),
  ),
};

/** The words after the options. */
function commandIn(args: readonly Arg[]): readonly Arg[] {
  const at = args.findIndex(({ text }) => !text.startsWith('-'));
  return at === -1 ? [] : args.slice(at);
}

/** Judges the program that a runner starts: by its row if it has one, else as a script of the project. */
export function judgeStarted(use: Use, command: readonly Arg[]): void {
  const [first] = command;
  if (first === undefined) return judgeTool(use);
  if (first.open) return use.raise('deny', 'it is not known beforehand which program runs');
  if (/^https?:/.test(first.text)) return use.raise('deny', `${use.name} would run code from the network`);
  if (use.knows(first.text) || first.text.startsWith('/')) return use.runs(command);
  if (/[/.]/.test(first.text)) judgeRunFile({ ...use, args: command.slice(1) }, 'other', first);
  judgeScripts(use);
  judgeTool(use);
}

function withVariables(use: Use, command: readonly Arg[]): void {
  const at = command.findIndex(({ text }) => !/^\w+=/.test(text));
  for (const arg of at === -1 ? command : command.slice(0, at)) {
    const equals = arg.text.indexOf('=');
    checkVariable(use.state, arg.text.slice(0, equals), { ...arg, text: arg.text.slice(equals + 1) });
  }
  if (at !== -1) judgeStarted(use, command.slice(at));
}

function judgeScript(text: Arg | null, use: Use): void {
  if (text) use.script(text);
}

/** A script whose name suggests changes outside needs an approval. */
export function judgeScripts(use: Use): void {
  const named = use.args
    .filter(({ text }, at) => !text.startsWith('-') && !MODES.test(use.args[at - 1]?.text ?? ''))
    .slice(0, 3);
  if (named.some(({ text }) => DEPLOYS.test(text)))
    use.raise(
      'external_mutation',
      `${use.name} ${named.map(({ text }) => text).join(' ')} sounds like it changes something outside`,
    );
}

const KNOWN_TOOLS =
  /^(?:tsc|tsx|eslint|prettier|biome|oxlint|vitest|jest|mocha|ava|tap|c8|nyc|playwright|cypress|webpack|vite|rollup|esbuild|tsup|swc|rimraf|mkdirp|cross-env|concurrently|npm-run-all|run-s|run-p|stylelint|markdownlint(?:-cli2?)?|typedoc|prisma|drizzle-kit|knex|sequelize|tailwindcss|postcss|sass|next|nuxt|astro|ng|nx|turbo|lerna|lint-staged|ts-node|nodemon|depcheck|knip|madge|npm-check-updates|ncu|svgo|size-limit|cspell|commitlint|semantic-release-dry|node-gyp|babel|karma|jasmine|standard|xo|mermaid|mmdc|jscodeshift|tsd|attw|publint)(?:@[\w.^~-]+)?$/;

export function judgeNpx(use: Use): void {
  const [tool, ...rest] = commandIn(use.args);
  const own = use.args.slice(0, tool === undefined ? use.args.length : use.args.indexOf(tool));
  if (own.some(({ text }) => /^(?:-c|--call)/.test(text))) return use.raise('deny', 'npx -c runs a text');
  if (tool === undefined) return;
  if (tool.open) return use.raise('deny', 'it is not known beforehand which program runs');
  if (tool.text === 'husky') return use.raise('deny', 'husky installs git hooks');
  if (!KNOWN_TOOLS.test(tool.text))
    return use.raise('external_mutation', `${use.name} would fetch ${toDisplay(tool.text)} and run it`);
  judgeScripts(use);
  const name = tool.text.replace(/(?<=.)@.*/, '');
  if (use.knows(name)) use.runs([literal(name), ...rest]);
  else judgeTool(use);
}
