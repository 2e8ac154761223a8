/** Package managers. Installing runs scripts of packages and contacts registries: a local write with the network. */
import { external, local, type Row, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, literal, toDisplay } from '../shell-state.ts';
import { judgeLoadedCode, judgeProject } from './desk-code.ts';
import { judgePathsInWords } from './paths-in-words.ts';
import { judgeNpx, judgeScripts, judgeStarted } from './runners.ts';

/** Subcommands by what they do; one that is not listed needs an approval. */
type Manager = { looks: string; works: string; fetches: string; sends?: string; config?: string; runs?: string };

const manager = (about: Manager, more: Partial<Row> = {}): Row => ({
  class: 'read',
  operands: 'own',
  ...more,
  judge: (use) => {
    more.judge?.(use);
    judgeManager(use, about);
  },
});

const NPM: Manager = {
  looks: `ls list ll la view info show outdated explain why root prefix bin help search fund doctor ping
      licenses v audit query sbom`,
  works: `test t tst start stop restart run run-script rum pack version init prune dedupe rebuild shrinkwrap
      pkg cache build clean dev lint format check typecheck exec x`,
  fetches: `install i add ci clean-install install-test it uninstall un remove rm update up upgrade import fetch`,
  sends: `publish unpublish login adduser add-user logout token access owner deprecate undeprecate dist-tag
      team org profile hook star unstar dlx create stage diff`,
  config: 'config set c link ln edit set-script explore',
};

export const packages: Table = {
  ...rows('npm pnpm yarn', manager(NPM, { judge: judgeNpm })),
  ...rows('uvx', external('runs code from the network', { net: true })),
  ...rows(
    'pip pip3',
    manager(
      {
        looks: 'list show freeze check help index search inspect debug',
        works: 'uninstall hash',
        fetches: 'install download wheel',
        config: 'config',
        sends: 'cache',
      },
      { judge: judgePip },
    ),
  ),
  virtualenv: local(),
  pipx: manager({ looks: 'list', works: '', fetches: '', sends: 'install run inject upgrade uninstall reinstall' }),
  uv: manager({
    looks: 'tree version help',
    works: 'run venv init lock build export cache python',
    fetches: 'add sync remove',
    sends: 'publish tool self',
    runs: 'pip',
  }),
  ...rows(
    'poetry pipenv pdm hatch rye',
    manager({
      looks: 'show check env version list about search',
      works: 'run build init lock shell new export test fmt verify graph requirements clean',
      fetches: 'install add remove update sync uninstall',
      sends: 'publish self',
      config: 'config',
    }),
  ),
  ...rows(
    'conda mamba micromamba',
    manager({
      looks: 'list info search',
      works: '',
      fetches: '',
      sends: 'install create remove update run env activate',
      config: 'config init',
    }),
  ),
  cargo: manager(
    {
      looks: 'tree metadata search version help locate-project pkgid verify-project',
      works: `build b test t run r check c clippy fmt doc d bench clean new init generate-lockfile fix package
      vendor nextest expand machete llvm-cov miri tarpaulin`,
      fetches: 'add remove rm update fetch',
      sends: 'install uninstall publish login logout yank owner',
    },
    { judge: judgeCargo },
  ),
  go: manager(
    {
      looks: 'list version doc help env',
      works: 'build test run vet fmt clean generate fix tool work telemetry',
      fetches: 'mod get',
      sends: 'install bug',
    },
    { judge: judgeGo },
  ),
  keytool: external('works on keys'),
  ...rows(
    'bundle bundler',
    manager({
      looks: 'list show info outdated check',
      works: '',
      runs: 'exec',
      fetches: 'install update add remove',
      config: 'config',
      sends: 'gem',
    }),
  ),
  gem: manager({
    looks: 'list search query info environment which contents',
    works: 'build unpack',
    fetches: '',
    sends: 'install push yank owner uninstall update signin',
    config: '',
  }),
  composer: manager(
    {
      looks: 'show outdated validate licenses why depends search diagnose',
      works: 'run run-script dump-autoload dumpautoload test',
      fetches: 'install update require remove',
      sends: 'global self-update create-project exec',
      config: 'config',
    },
    {
      judge: (use) =>
        use.args.forEach((arg, at) => {
          const value = /^--working-dir=(.*)$/s.exec(arg.text)?.[1];
          if (value !== undefined) judgeLoadedCode(use, { ...arg, text: value });
          if (/^(?:-d|--working-dir)$/.test(arg.text) && use.args[at + 1])
            judgeLoadedCode(use, use.args[at + 1] as Arg);
        }),
    },
  ),
  dotnet: manager({
    looks: 'list --info --list-sdks --list-runtimes',
    works: 'build test run clean format new sln publish pack msbuild',
    fetches: 'restore add remove',
    sends: 'nuget tool workload',
  }),
};

const VALUED =
  /^(?:--(?:prefix|dir|cwd|cache|workspace|filter|loglevel|manifest-path|project|directory|python)|-[CwF])$/;

function judgeManager(use: Use, { looks, works, fetches, sends = '', config = '', runs = '' }: Manager): void {
  const sub =
    use.args.find(
      ({ text }, at) => !text.startsWith('-') && !/^[/.]/.test(text) && !VALUED.test(use.args[at - 1]?.text ?? ''),
    ) ?? (use.name === 'yarn' ? literal('install') : undefined);
  if (sub === undefined)
    return use.args.every(({ text }) => text.startsWith('-'))
      ? undefined
      : use.raise('external_mutation', `what ${use.name} does is not known`);
  if (sub.open) return use.raise('deny', `what ${use.name} does is not known before it runs`);
  const among = (list: string): boolean => list.split(/\s+/).includes(sub.text);
  const name = `${use.name} ${toDisplay(sub.text)}`;
  if (among(looks)) return;
  judgePathsInWords(use, false);
  if (/^(?:poetry|pipenv|uv|hatch|pdm|rye)$/.test(use.name) && sub.text === 'run') return judgeRun(use, sub);
  if (among(works)) {
    use.raise('write_local', `${name} runs code from the desk`);
    judgeScripts(use);
    return judgeProject(use);
  }
  if (among(fetches)) {
    use.state.tally.net = true;
    use.raise('write_local', `${name} installs on the desk`);
    return judgeProject(use);
  }
  if (among(runs)) return use.runs(use.args.slice(use.args.indexOf(sub) + (sub.text === 'exec' ? 1 : 0)));
  if (sub.text === 'config' && isPlainSetting(use, use.args.slice(use.args.indexOf(sub) + 1))) return;
  if (among(config)) return use.raise('deny', `${name} changes how ${use.name} works`);
  if (use.name === 'yarn' && !among(sends)) {
    judgeScripts(use);
    return use.raise('write_local', `${name} runs code from the desk`);
  }
  use.state.tally.net = true;
  use.raise('external_mutation', among(sends) ? `${name} changes something outside` : `${name} is not known`);
}

/** Judges `run` of a tool that manages an environment for the project. */
function judgeRun(use: Use, sub: Arg): void {
  const rest = use.args.slice(use.args.indexOf(sub) + 1);
  const at = rest.findIndex(
    ({ text }, index) =>
      !text.startsWith('-') &&
      !/^(?:--with|--extra|--group|--python|-p|--env|--package)$/.test(rest[index - 1]?.text ?? ''),
  );
  use.raise('write_local', `${use.name} run runs code from the desk`);
  if (at !== -1) judgeStarted(use, rest.slice(at));
}

/** Whether a subcommand only reads one setting that is no secret. */
function isPlainSetting({ name }: Use, [verb, key, ...more]: readonly Arg[]): boolean {
  return (
    /^(?:npm|pnpm|yarn|pip|pip3|poetry)$/.test(name) &&
    verb?.text === 'get' &&
    key !== undefined &&
    more.length === 0 &&
    /^[a-z][\w.-]*$/.test(key.text) &&
    !/auth|token|passw|key|secret|cert/i.test(key.text)
  );
}

function judgeNpm(use: Use): void {
  use.args.forEach(({ text, open }, at) => {
    const value =
      /^--(?:prefix|dir|cwd|cache|userconfig|globalconfig)=(.*)$/s.exec(text)?.[1] ??
      (/^(?:--(?:prefix|dir|cwd|cache)|-C)$/.test(text) ? use.args[at + 1]?.text : undefined);
    if (value !== undefined) use.writes({ ...literal(value), open });
    if (value !== undefined && use.args.some((each) => /^(?:run|test|t|start|exec|x)$/.test(each.text)))
      judgeLoadedCode(use, { ...literal(value), open });
    if (/^(?:-g|--global|--location=global)$|^global$/.test(text) && (at === 0 || text !== 'global'))
      use.raise('deny', 'a global installation leaves the desk');
    if (
      /^--(?:script-shell|node-options|userconfig|globalconfig|shell|init-module|editor|viewer|git|onload-script|scripts-prepend)/.test(
        text,
      )
    )
      use.raise('deny', `${use.name} ${toDisplay(text)} runs a program`);
    if (
      /^--(?:no-)?ignore-(?:scripts|pnpmfile)(?:=(?!true$)|$)/.test(text) &&
      runsScripts(text, use.args[at + 1]?.text)
    )
      use.raise('external_mutation', 'code of packages would run while they are installed, with the network');
    if (/^--registry=|^--registry$|^--\S*:registry/.test(text))
      use.raise('external_mutation', 'packages would come from another registry');
    if (/^(?:https?|git|git\+\w+|ssh):/.test(text))
      use.raise('external_mutation', 'code would come from a given address');
  });
  const [sub, first] = use.args.filter(({ text }) => !text.startsWith('-'));
  if (sub?.text === 'init' && first !== undefined)
    use.raise('external_mutation', `${use.name} init would fetch ${toDisplay(first.text)} and run it`);
  if (/^(?:exec|x)$/.test(use.args[0]?.text ?? '')) judgeNpx({ ...use, args: use.args.slice(1) });
  if (use.args[0]?.text === 'audit' && use.args.some(({ text }) => text === 'fix'))
    use.raise('write_local', 'it changes the project');
}

/** `--ignore-scripts` and `--ignore-scripts=true` switch scripts off; every other form switches them on. */
const runsScripts = (option: string, next: string | undefined): boolean =>
  option.startsWith('--no-') || option.includes('=') || next === 'false';

function judgePip(use: Use): void {
  use.args.forEach((arg, at) => {
    const { text } = arg;
    const value =
      /^--(?:target|prefix|root|dest|cache-dir|log|report)=(.*)$/s.exec(text)?.[1] ??
      (/^(?:-t|-d|--(?:target|prefix|root|dest|cache-dir|log|report))$/.test(text)
        ? use.args[at + 1]?.text
        : undefined);
    if (value !== undefined) use.writes({ ...arg, text: value });
    if (text === '--user') use.raise('deny', 'pip --user leaves the desk');
    if (
      !/^(?:show|list|freeze)$/.test(use.args[0]?.text ?? '') &&
      /^(?:-i|--index-url|--extra-index-url|-f|--find-links|--trusted-host|--proxy|--break-system-packages)(?:=|$)/.test(
        text,
      )
    )
      use.raise('external_mutation', `pip ${toDisplay(text)} takes packages from another index`);
    if (/^(?:https?:|git\+|hg\+|svn\+|bzr\+)/.test(text))
      use.raise('external_mutation', 'code would come from a given address');
    if (/^--(?:python|config-settings|global-option|build-option)$/.test(text) && use.args[at + 1]?.open)
      use.raise('deny', 'an option of pip is not known before it runs');
  });
}

function judgeCargo(use: Use): void {
  if (use.args.some(({ text }) => /^--config|^-Z/.test(text)))
    use.raise('deny', 'cargo --config can make cargo run a program');
  use.args.forEach((arg, at) => {
    const [, option, inline] = /^(--target-dir|--manifest-path)(?:=(.*))?$/s.exec(arg.text) ?? [];
    const value = inline === undefined ? use.args[at + 1] : { ...arg, text: inline };
    if (option === undefined || value === undefined) return;
    use.writes(value);
    if (option === '--manifest-path') judgeLoadedCode(use, value);
  });
}

function judgeGo(use: Use): void {
  const sub = use.args[0]?.text;
  if (
    use.args.some(({ text }) =>
      /^--?(?:exec|toolexec|vettool|overlay|compiler|gccgoflags|modfile=\/)|-extld/.test(text),
    )
  )
    use.raise('deny', 'an option of go runs a program');
  if (sub === 'env') return use.has('-w', '-u') ? use.raise('deny', 'go env -w changes how go works') : undefined;
  const out = use.args.findIndex(({ text }) => text === '-o');
  if (out !== -1 && use.args[out + 1]) use.writes(use.args[out + 1] as Arg);
  if (sub === 'run') use.operands.slice(1, 2).forEach((file) => judgeLoadedCode(use, file));
  if (sub === 'run' && use.args.some(({ text }) => /@/.test(text)))
    use.raise('external_mutation', 'go run would fetch code and run it');
}
