/** Building, testing and checking a project: its code runs, in the jail. */
import { placeOf } from '../paths.ts';
import { local, rows, type Table, type Use } from '../row.ts';
import { type Arg, HOLE, shown } from '../scene.ts';
import { runsProject } from './local.ts';

/** Names of targets and scripts that say that they go out. */
export const DEPLOYS =
  /(?:^|[:/_-])(?:deploy|publish|release|push|upload|ship|rollout|promote|prod|production|migrate|seed|send|notify|destroy|teardown|provision|undeploy|sync-remote)(?:$|[:/_-])/i;

export const builds: Table = {
  ...rows(
    `mvn mvnw gradle gradlew sbt ant bazel buck ninja meson cmake ctest scons rake just task invoke tox nox doit
    nx turbo lerna rush gulp grunt vite webpack rollup esbuild parcel swc tsup tsc vue-tsc svelte-check next
    nuxt astro remix ng react-scripts storybook`,
    local('own', { net: false, judge: judgeBuild }),
  ),
  ...rows('make gmake', local('own', { judge: judgeMake })),
  ...rows(
    `pytest py.test unittest nose2 coverage mypy pyright ruff black isort flake8 pylint bandit autopep8 yapf
    pyflakes vulture radon pre-commit sphinx-build mkdocs jupyter nbconvert papermill streamlit behave locust
    jest vitest mocha ava tap jasmine karma cypress playwright eslint prettier biome oxlint stylelint standard
    xo tslint markdownlint markdownlint-cli2 htmlhint dprint knip depcheck madge typedoc jsdoc c8 nyc rspec
    rubocop minitest phpunit phpstan psalm phpcs phpcbf pest clang-format clang-tidy cppcheck valgrind gofmt
    goimports golangci-lint staticcheck rustfmt shellcheck shfmt hadolint yamllint jsonlint actionlint ktlint
    checkstyle spotbugs swiftlint swiftformat dartfmt stylua luacheck black-nb nbstripout sqlfluff djlint vale
    proselint codespell typos cspell alex textlint hyperfine tokei cloc scc loc ctags cscope`,
    local('own', { judge: judgeTool }),
  ),
  ...rows(
    `gcc g++ cc c++ clang clang++ tcc rustc javac kotlinc ghc ocamlc ocamlopt nvcc ld as ar-gcc gfortran swiftc
    valac mcs csc gdc dmd protoc flex bison yacc lex swig cython`,
    local('own', { judge: judgeCompiler }),
  ),
  java: local('own', { judge: judgeJava }),
  jar: local('own', { judge: runsProject }),
};

function judgeBuild(use: Use): void {
  for (const { text } of use.args)
    if (
      /^(?:deploy|publish|release|upload|site-deploy|bootRun-prod|uploadArchives|publishToMavenCentral|docker:push)/.test(
        text,
      ) ||
      (DEPLOYS.test(text) && !/[=/.]/.test(text))
    )
      use.raise('external_mutation', `${use.name} ${shown(text)} says that it changes something outside`);
  if (use.args.some(({ text }) => /^(?:--init-script|-I$|-P$)/.test(text)) && use.name.startsWith('gradle'))
    use.raise('deny', 'gradle would load a script from elsewhere');
  if (use.name === 'cmake') cmake(use);
  if (use.args.some(({ text }) => text === 'install') && /^(?:cmake|ninja|meson|just|rake)$/.test(use.name))
    use.raise('external_mutation', 'installing leaves the desk');
  outside(use);
  runsProject(use);
}

function cmake(use: Use): void {
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
  const { args, raise, scene } = use;
  args.forEach((arg, at) => {
    if (/^(?:SHELL|MAKE|MAKEFLAGS|\.SHELLFLAGS)[:+?]?=|^--eval|^-E/.test(arg.text))
      raise('deny', 'make would run something else than the project says');
    if (/^\w+=.*\$\(shell|^\w+=.*`/.test(arg.text)) raise('deny', 'make would run a command in a value');
    if (/^(?:-C|-f|--directory|--file|--makefile|-I)$/.test(arg.text) && args[at + 1]) use.writes(args[at + 1] as Arg);
    if (/^--(?:directory|file|makefile)=/.test(arg.text)) use.writes({ ...arg, text: arg.text.replace(/^[^=]*=/, '') });
    if (/^-[Cf]./.test(arg.text)) use.writes({ ...arg, text: arg.text.slice(2) });
    if (arg.open && arg.text.startsWith(HOLE)) raise('external_mutation', 'what make makes is only known when it runs');
    if ((DEPLOYS.test(arg.text) || arg.text === 'install' || arg.text === 'uninstall') && !arg.text.includes('='))
      raise('external_mutation', `make ${shown(arg.text)} says that it leaves the desk`);
  });
  if (
    use.stdin.from !== 'nothing' &&
    args.some(
      ({ text }, at) => text === '-f-' || (text === '-f' && /^(?:-|\/dev\/stdin)$/.test(args[at + 1]?.text ?? '')),
    )
  )
    raise('deny', 'make would run what flows in');
  if (placeOf(scene, '.') === 'system' || placeOf(scene, '.') === 'outside')
    raise('external_mutation', 'make would run outside the desk');
  runsProject(use);
}

export function judgeTool(use: Use): void {
  outside(use);
  runsProject(use);
  if (use.name === 'jupyter' && /^(?:notebook|lab|server)$/.test(use.args[0]?.text ?? ''))
    use.raise('external_mutation', 'it opens this machine to others');
  if (use.name === 'pre-commit' && use.args[0]?.text === 'install') use.raise('deny', 'it installs a git hook');
  if (use.name === 'hyperfine') for (const arg of use.operands) use.script(arg);
  if (
    use.args.some(({ text }) =>
      /^--?(?:db-attach|gen-suppressions-cmd|launch-browser-cmd|exec|plugin-path)$/.test(text),
    )
  )
    use.raise('deny', 'an option runs a program');
}

/** Words that are paths must not lead out of the desk. */
function outside(use: Use): void {
  for (const arg of use.args) {
    const text = arg.text.replace(/^--?[\w-]+=/, '');
    if (/^(?:\/|~|\.\.\/)/.test(text) && ['home', 'outside', 'device', 'system'].includes(placeOf(use.scene, text)))
      use.raise('external_mutation', `${use.name} would work on ${shown(text)}, which is outside the desk`);
  }
}

function judgeCompiler(use: Use): void {
  use.args.forEach((arg, at) => {
    if (
      /^(?:-wrapper|-fplugin|-B|-specs|--specs|-fuse-ld=\/|-Xlinker|-load|--plugin|-Clinker|-processor)/.test(
        arg.text,
      ) ||
      arg.text.startsWith('linker=')
    )
      use.raise('deny', `${use.name} ${shown(arg.text)} runs or loads something else`);
    if (arg.text === '-o' && use.args[at + 1]) use.writes(use.args[at + 1] as Arg);
    else if (/^-o./.test(arg.text)) use.writes({ ...arg, text: arg.text.slice(2) });
    else if (/^[/~]|^\.\.\//.test(arg.text) && use.args[at - 1]?.text !== '-o') use.reads(arg);
  });
}

function judgeJava(use: Use): void {
  if (
    use.args.some(({ text }) =>
      /^-(?:javaagent|agentlib|agentpath|XX:OnError|XX:OnOutOfMemoryError|XX:Flags)/.test(text),
    )
  )
    use.raise('deny', 'an option of java runs or loads something else');
  outside(use);
  runsProject(use);
}
