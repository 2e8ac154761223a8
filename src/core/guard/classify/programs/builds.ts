/** Building, testing and checking a project, which runs the project's code in the sandbox. */
import { scanCode } from '../scan-code.ts';
import { fullPath, placeOf } from '../paths.ts';
import { local, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, HOLE, literal, toDisplay } from '../shell-state.ts';
import { checkVariable } from '../risky-variables.ts';
import { judgeLoadedCode, judgeProject } from './desk-code.ts';
import { loadedBy, judgePathsInWords } from './paths-in-words.ts';

/** Names of targets and scripts that suggest changes outside, such as deploy. */
export const DEPLOYS =
  /(?:^|[:/_-])(?:deploy|publish|release|push|upload|ship|rollout|promote|prod|production|migrate|seed|send|notify|destroy|teardown|provision|undeploy|sync-remote)(?:$|[:/_-])/i;

/** Options whose value is a build mode, not a target. */
export const MODES =
  /^(?:--mode|--env|--configuration|--config|-c|--profile|-P|--target|--release|--stage|--node-env)$/;

export const builds: Table = {
  ...rows(
    `mvn mvnw gradle gradlew sbt ant bazel buck ninja meson cmake ctest scons rake just task invoke tox nox doit
    nx turbo lerna rush gulp grunt vite webpack rollup esbuild parcel swc tsup tsc vue-tsc svelte-check next
    nuxt astro remix ng react-scripts storybook hugo jekyll eleventy gatsby stack cabal mix lein rails flutter
    snakemake dvc`,
    local('own', { net: false, judge: judgeBuild }),
  ),
  ...rows('make gmake', local('own', { takes: 'j', judge: judgeMake })),
  ...rows(
    `pytest py.test unittest nose2 coverage mypy pyright ruff black isort flake8 pylint bandit autopep8 yapf
    pyflakes vulture radon pre-commit sphinx-build mkdocs jupyter nbconvert papermill streamlit behave locust
    jest vitest mocha ava tap jasmine karma cypress playwright eslint prettier biome oxlint stylelint standard
    xo tslint markdownlint markdownlint-cli2 htmlhint dprint knip depcheck madge typedoc jsdoc rspec
    rubocop minitest phpunit phpstan psalm phpcs phpcbf pest flask clang-format clang-tidy cppcheck gofmt
    goimports golangci-lint staticcheck rustfmt shellcheck shfmt hadolint yamllint jsonlint actionlint ktlint
    checkstyle spotbugs doxygen sass postcss lessc autoreconf autoconf automake aclocal libtoolize strip
    nasm yasm bats busted phan swiftlint swiftformat dartfmt stylua luacheck black-nb nbstripout sqlfluff djlint vale
    proselint codespell typos cspell alex textlint hyperfine tokei cloc scc loc ctags cscope`,
    local('own', { judge: judgeTool }),
  ),
  ...rows(
    `gcc g++ cc c++ clang clang++ tcc rustc javac kotlinc ghc ocamlc ocamlopt nvcc ld as ar-gcc gfortran swiftc
    valac mcs csc gdc dmd protoc flex bison yacc lex swig cython`,
    local('own', { judge: judgeCompiler }),
  ),
  java: local('own', { judge: judgeJava }),
  jar: local('own', {
    judge: (use) => {
      judgePathsInWords(use, false);
      judgeProject(use);
    },
  }),
};

function judgeBuild(use: Use): void {
  for (const [at, { text }] of use.args.entries())
    if (
      /^(?:deploy|publish|release|upload|site-deploy|bootRun-prod|uploadArchives|publishToMavenCentral|docker:push|\w+\.(?:publish|install)$)/.test(
        text,
      ) ||
      (DEPLOYS.test(text) && !/[=/.]/.test(text) && !MODES.test(use.args[at - 1]?.text ?? ''))
    )
      use.raise('external_mutation', `${use.name} ${toDisplay(text)} sounds like it changes something outside`);
  if (use.args.some(({ text }) => /^(?:--init-script|-I$|-P$)/.test(text)) && use.name.startsWith('gradle'))
    use.raise('deny', 'gradle would load a script from elsewhere');
  if (use.name === 'cmake') judgeCmake(use);
  loadedBy(use, /^(?:-f|-P|-C|-I|--file|--build-file|--toolchain|--init-script|--settings-file)$/);
  if (use.name === 'ninja' && use.args.some(({ text }, at) => text === 'browse' && use.args[at - 1]?.text === '-t'))
    use.raise('external_mutation', 'ninja would open a port on this machine');
  if (use.args.some(({ text }) => /^-D?exec\.(?:executable|args)|^exec:/.test(text)))
    use.raise('deny', `${use.name} would run another program`);
  if (use.name === 'rake') judgeRake(use);
  judgeWordsOfBuild(use);
  if (use.name === 'sbt' && use.args.some(({ text }) => /\.!|sys\.process|\bset\b/.test(text)))
    use.raise('external_mutation', 'sbt is given code');
  if (
    use.args.some(({ text }) => text === 'install') &&
    /^(?:cmake|ninja|meson|just|rake|stack|cabal|lein)$/.test(use.name)
  )
    use.raise('external_mutation', 'installing leaves the desk');
  judgePathsInWords(use, true);
  judgeProject(use);
}

/** Judges code and commands among the arguments of a build tool. */
function judgeWordsOfBuild(use: Use): void {
  const { args, raise, name } = use;
  const exec = args[0]?.text === 'exec' && /^(?:cabal|stack)$/.test(name);
  if (exec) use.runs(args.slice(args[1]?.text === '--' ? 2 : 1));
  if (args.some(({ text }) => /^--run_under(?:=|$)/.test(text))) raise('deny', `${name} --run_under runs a program`);
  if (/^(?:mix|rails|lein|sbt)$/.test(name))
    for (const { text } of args) if (/[(;"'`]/.test(text)) scanCode(use.state, raise, text, 'ruby');
  if (name === 'rails' && args.some(({ text }) => /^db:(?:drop|reset|purge)/.test(text)))
    raise('external_mutation', 'rails would empty a database');
}

function judgeRake(use: Use): void {
  const at = use.args.findIndex(({ text }) => /^-[peE]$|^--execute/.test(text));
  if (at !== -1)
    scanCode(
      use.state,
      use.raise,
      use.args
        .slice(at + 1)
        .map(({ text }) => text)
        .join('\n'),
      'ruby',
    );
}

function judgeCmake(use: Use): void {
  if (use.args.some(({ text }) => text === '--install')) use.raise('external_mutation', 'installing leaves the desk');
  const at = use.args.findIndex(({ text }) => text === '-E');
  const command = use.args.slice(at + 1);
  if (
    at !== -1 &&
    /^(?:rm|remove|copy|rename|remove_directory|copy_directory|touch|env|time|chdir|make_directory)/.test(
      command[0]?.text ?? '',
    )
  ) {
    if (/^(?:env|time|chdir)$/.test(command[0]?.text ?? '')) use.raise('deny', 'cmake -E would run another program');
    command
      .slice(1)
      .filter(({ text }) => !text.startsWith('-'))
      .forEach(use.writes);
  }
}

function judgeMake(use: Use): void {
  const { args, raise, state } = use;
  const staged = args.some(
    ({ text }) => /^(?:DESTDIR|PREFIX|prefix)=/.test(text) && isOnDesk(use, text.replace(/^\w+=/, '')),
  );
  loadedBy(use, /^(?:-f|-I|--file|--makefile|--include-dir)$/);
  args.forEach((arg, at) => {
    if (/^(?:SHELL|MAKE|MAKEFLAGS|\.SHELLFLAGS)[:+?]?=|^--eval|^-E/.test(arg.text))
      raise('deny', 'make would run something other than the project defines');
    const [, variable, value] = /^(\w+)[:+?]?=(.*)$/s.exec(arg.text) ?? [];
    if (
      variable !== undefined &&
      /^(?:CC|CXX|LD|AR|CPP|FC|LINKER|\w*FLAGS|MAKEFILES|PATH|LD_\w+|BASH_ENV|PYTHONPATH|NODE_OPTIONS)$/.test(variable)
    )
      checkVariable(state, variable, { ...arg, text: value ?? '' });
    if (/^\w+=.*\$\(shell|^\w+=.*`/.test(arg.text)) raise('deny', 'make would run a command in a value');
    if (/^(?:-C|-f|--directory|--file|--makefile|-I)$/.test(arg.text) && args[at + 1]) use.writes(args[at + 1] as Arg);
    if (/^--(?:directory|file|makefile)=/.test(arg.text)) use.writes({ ...arg, text: arg.text.replace(/^[^=]*=/, '') });
    const inside = /^-C(.+)$/s.exec(arg.text)?.[1] ?? (args[at - 1]?.text === '-C' ? arg.text : undefined);
    if (inside !== undefined) judgeLoadedCode(use, { ...arg, text: inside });
    if (/^-[Cf]./.test(arg.text)) use.writes({ ...arg, text: arg.text.slice(2) });
    if (arg.open && arg.text.startsWith(HOLE))
      raise('external_mutation', 'what make builds is not known before it runs');
    if (DEPLOYS.test(arg.text) || (/^(?:un)?install$/.test(arg.text) && !staged))
      raise('external_mutation', `make ${toDisplay(arg.text)} sounds like it changes something outside the desk`);
  });
  if (
    use.stdin.from !== 'nothing' &&
    args.some(
      ({ text }, at) => text === '-f-' || (text === '-f' && /^(?:-|\/dev\/stdin)$/.test(args[at + 1]?.text ?? '')),
    )
  )
    raise('deny', 'make would run its standard input');
  if (placeOf(state, '.') === 'system' || placeOf(state, '.') === 'outside')
    raise('external_mutation', 'make would run outside the desk');
  judgeProject(use);
}

const isOnDesk = ({ state }: Use, text: string): boolean =>
  ['desk', 'desk root', 'scratch'].includes(placeOf(state, text));

export function judgeTool(use: Use): void {
  judgePathsInWords(use, true);
  loadedBy(
    use,
    /^(?:-c|-r|-p|--config|--rcfile|--require|--import|--loader|--plugin|--rulesdir|--reporter|--formatter|--setup-?[fF]iles?|--global-?[sS]etup)$/,
  );
  if (
    use.args.some(({ text }) => /^--(?:python-executable|pythonpath|interpreter|node-arg|exec-path)(?:=|$)/.test(text))
  )
    use.raise('deny', 'an option runs a program');
  judgeProject(use);
  if (use.name === 'jupyter' && /^(?:notebook|lab|server)$/.test(use.args[0]?.text ?? ''))
    use.raise('external_mutation', 'it opens a port on this machine');
  if (use.name === 'pre-commit' && use.args[0]?.text === 'install') use.raise('deny', 'it installs a git hook');
  if (use.name === 'hyperfine') for (const arg of use.operands) use.script(arg);
  if (use.args.some(({ text }) => /^--(?:init-hook|load-plugins|addon|load)\b|^-load$/.test(text)))
    use.raise('deny', 'an option loads or runs code');
  if (use.name === 'streamlit' || use.name === 'locust')
    use.raise('external_mutation', `${use.name} opens a port on this machine or loads other code`);
  if (use.args.some(({ text }) => /^https?:/.test(text)) && use.args.some(({ text }) => /^(?:run|exec)$/.test(text)))
    use.raise('deny', `${use.name} would run code from the network`);
  if (
    use.args.some(({ text }) =>
      /^--?(?:db-attach|gen-suppressions-cmd|launch-browser-cmd|exec|plugin-path)$/.test(text),
    )
  )
    use.raise('deny', 'an option runs a program');
}

function judgeCompiler(use: Use): void {
  judgePathsInWords(use, false);
  if (use.name === 'ghc')
    use.args.forEach(({ text }, at) => use.args[at - 1]?.text === '-e' && scanCode(use.state, use.raise, text, 'ghc'));
  use.args.forEach((arg, at) => {
    if (
      /^(?:-wrapper|-fplugin|-B|-specs|--specs|-fuse-ld=\/|-Xlinker|-load|--plugin|-Clinker|-processor)/.test(
        arg.text,
      ) ||
      /\blinker=/.test(arg.text)
    )
      use.raise('deny', `${use.name} ${toDisplay(arg.text)} runs or loads something else`);
    if (arg.text === '-o' && use.args[at + 1]) markCompiled(use, use.args[at + 1] as Arg);
    else if (/^-o./.test(arg.text)) use.writes({ ...arg, text: arg.text.slice(2) });
    else if (/^[/~]|^\.\.\//.test(arg.text) && use.args[at - 1]?.text !== '-o') use.reads(arg);
  });
}

/** Remembers what the line compiled: it may run, even from scratch. */
function markCompiled({ state, writes }: Use, out: Arg): void {
  writes(out);
  const full = fullPath(state, out.text);
  if (full !== null && !state.written.has(full)) state.written.set(full, '');
}

function judgeJava(use: Use): void {
  if (
    use.args.some(({ text }) =>
      /^-(?:javaagent|agentlib|agentpath|XX:OnError|XX:OnOutOfMemoryError|XX:Flags)/.test(text),
    )
  )
    use.raise('deny', 'an option of java runs or loads something else');
  use.args.forEach(({ text }, at) => {
    if (!/^(?:-jar|-cp|-classpath|--class-path|-p|--module-path)$/.test(use.args[at - 1]?.text ?? '')) return;
    for (const path of text.split(':')) judgeLoadedCode(use, literal(path));
  });
  judgePathsInWords(use, true);
  judgeProject(use);
}
