/** Installing, building and testing. Installing runs the scripts of others and reaches registries: local, with network. */
import { placeOf } from '../paths.ts';
import { external, local, never, read, type Row, rows, type Table, type Use } from '../row.ts';
import { type Arg, HOLE, literal, shown } from '../scene.ts';
import { runsProject } from './local.ts';

/** Subcommands by what they do; what is not named is asked about. */
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

const DEPLOYS =
  /(?:^|[:/_-])(?:deploy|publish|release|push|upload|ship|rollout|promote|prod|production|migrate|seed|send|notify|destroy|teardown|provision|undeploy|sync-remote)(?:$|[:/_-])/i;

export const packages: Table = {
  ...rows('npm pnpm yarn', manager(NPM, { judge: judgeNpm })),
  ...rows('npx pnpx bunx', local('own', { judge: judgeNpx })),
  ...rows('uvx', external('runs code from the network', { net: true })),
  ...rows(
    'pip pip3',
    manager(
      {
        looks: 'list show freeze check help index search inspect debug',
        works: 'uninstall cache hash',
        fetches: 'install download wheel',
        config: 'config',
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
  keytool: external('works on keys'),
  ...rows(
    'bundle bundler',
    manager({
      looks: 'list show info outdated check',
      works: 'exec',
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
  composer: manager({
    looks: 'show outdated validate licenses why depends search diagnose',
    works: 'run run-script dump-autoload dumpautoload test',
    fetches: 'install update require remove',
    sends: 'global self-update create-project',
    config: 'config',
  }),
  dotnet: manager({
    looks: 'list --info --list-sdks --list-runtimes',
    works: 'build test run clean format new sln publish pack msbuild',
    fetches: 'restore add remove',
    sends: 'nuget tool workload',
  }),
  ...rows(
    `apt apt-get aptitude dpkg yum dnf apk pacman zypper snap flatpak brew port rpm nix nix-env guix emerge`,
    read('own', { judge: judgeSystemPackages }),
  ),
  ...rows('apt-cache dpkg-query', read('own')),
  ...rows(
    'nvm fnm volta asdf mise rbenv pyenv rustup sdk corepack',
    read('own', {
      judge: (use) => {
        if (
          !/^(?:list|ls|current|version|versions|which|--version|show|where|list-all|ls-remote|toolchain)$/.test(
            use.args[0]?.text ?? '',
          )
        )
          use.raise('external_mutation', `${use.name} changes which programs this machine has`);
      },
    }),
  ),
  ...rows(
    'docker podman nerdctl docker-compose podman-compose buildah skopeo crictl',
    external('acts through a service that has all rights on this machine', { net: true, judge: judgeDocker }),
  ),
  ...rows('ctr lxc lxd incus runc machinectl systemd-nspawn', never('acts with all rights on this machine')),
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
  if (sub.open) return use.raise('deny', `what ${use.name} does is only known when it runs`);
  const among = (list: string): boolean => list.split(/\s+/).includes(sub.text);
  const name = `${use.name} ${shown(sub.text)}`;
  if (among(looks)) return;
  if (among(works)) {
    use.raise('write_local', `${name} runs code from the desk`);
    scripts(use);
    return runsProject(use);
  }
  if (among(fetches)) {
    use.scene.tally.net = true;
    return use.raise('write_local', `${name} installs on the desk`);
  }
  if (among(runs)) return use.runs(use.args.slice(use.args.indexOf(sub)));
  if (among(config)) return use.raise('deny', `${name} changes how ${use.name} works`);
  if (use.name === 'yarn' && !among(sends)) {
    scripts(use);
    return use.raise('write_local', `${name} runs code from the desk`);
  }
  use.scene.tally.net = true;
  use.raise('external_mutation', among(sends) ? `${name} changes something outside` : `${name} is not known`);
}

/** A script that says that it goes out is asked about. */
function scripts(use: Use): void {
  const named = use.args.filter(({ text }) => !text.startsWith('-')).slice(0, 3);
  if (named.some(({ text }) => DEPLOYS.test(text)))
    use.raise(
      'external_mutation',
      `${use.name} ${named.map(({ text }) => text).join(' ')} says that it changes something outside`,
    );
}

function judgeNpm(use: Use): void {
  use.args.forEach(({ text, open }, at) => {
    const value =
      /^--(?:prefix|dir|cwd|cache|userconfig|globalconfig)=(.*)$/s.exec(text)?.[1] ??
      (/^(?:--(?:prefix|dir|cwd|cache)|-C)$/.test(text) ? use.args[at + 1]?.text : undefined);
    if (value !== undefined) use.writes({ ...literal(value), open });
    if (/^(?:-g|--global|--location=global)$|^global$/.test(text) && (at === 0 || text !== 'global'))
      use.raise('deny', 'a global installation leaves the desk');
    if (
      /^--(?:script-shell|node-options|userconfig|globalconfig|shell|init-module|editor|viewer|git|onload-script|scripts-prepend)/.test(
        text,
      )
    )
      use.raise('deny', `${use.name} ${shown(text)} runs a program`);
    if (/^--registry=|^--registry$|^--\S*:registry/.test(text))
      use.raise('external_mutation', 'packages would come from somewhere else');
    if (/^(?:https?|git|git\+\w+|ssh):/.test(text))
      use.raise('external_mutation', 'code would come from an address of its own');
  });
  if (/^(?:exec|x)$/.test(use.args[0]?.text ?? '')) judgeNpx({ ...use, args: use.args.slice(1) });
  if (use.args[0]?.text === 'audit' && use.args.some(({ text }) => text === 'fix'))
    use.raise('write_local', 'it changes the project');
}

const KNOWN_TOOLS =
  /^(?:tsc|tsx|eslint|prettier|biome|oxlint|vitest|jest|mocha|ava|tap|c8|nyc|playwright|cypress|webpack|vite|rollup|esbuild|tsup|swc|rimraf|mkdirp|cross-env|concurrently|npm-run-all|run-s|run-p|stylelint|markdownlint(?:-cli2?)?|typedoc|prisma|drizzle-kit|knex|sequelize|tailwindcss|postcss|sass|next|nuxt|astro|ng|nx|turbo|lerna|husky|lint-staged|ts-node|nodemon|depcheck|knip|madge|npm-check-updates|ncu|json-server|svgo|serve-index|size-limit|cspell|commitlint|semantic-release-dry|node-gyp|babel|karma|jasmine|standard|xo|mermaid|mmdc|jscodeshift|tsd|attw|publint)(?:@[\w.^~-]+)?$/;

function judgeNpx(use: Use): void {
  const at = use.args.findIndex(({ text }) => !text.startsWith('-'));
  const tool = use.args[at];
  if (use.args.some(({ text }) => /^(?:-c|--call)/.test(text))) return use.raise('deny', 'npx -c runs a text');
  if (tool === undefined) return;
  if (tool.open) return use.raise('deny', 'which program runs is only known when it runs');
  if (!KNOWN_TOOLS.test(tool.text))
    return use.raise('external_mutation', `${use.name} would fetch ${shown(tool.text)} and run it`);
  scripts(use);
  judgeTool(use);
}

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
      /^(?:-i|--index-url|--extra-index-url|-f|--find-links|--trusted-host|--proxy|--break-system-packages)(?:=|$)/.test(
        text,
      )
    )
      use.raise('external_mutation', `pip ${shown(text)} takes packages from somewhere else`);
    if (/^(?:https?:|git\+|hg\+|svn\+|bzr\+)/.test(text))
      use.raise('external_mutation', 'code would come from an address of its own');
    if (/^--(?:python|config-settings|global-option|build-option)$/.test(text) && use.args[at + 1]?.open)
      use.raise('deny', 'an option of pip is only known when it runs');
  });
}

function judgeCargo(use: Use): void {
  if (use.args.some(({ text }) => /^--config|^-Z/.test(text)))
    use.raise('deny', 'cargo --config can make cargo run a program');
  const at = use.args.findIndex(({ text }) => text === '--target-dir' || text === '--manifest-path');
  if (at !== -1 && use.args[at + 1]) use.writes(use.args[at + 1] as Arg);
}

function judgeGo(use: Use): void {
  const sub = use.args[0]?.text;
  if (use.args.some(({ text }) => /^--?(?:exec|toolexec|vettool|ldflags=.*-extld|modfile=\/)/.test(text)))
    use.raise('deny', 'an option of go runs a program');
  if (sub === 'env') return use.has('-w', '-u') ? use.raise('deny', 'go env -w changes how go works') : undefined;
  const out = use.args.findIndex(({ text }) => text === '-o');
  if (out !== -1 && use.args[out + 1]) use.writes(use.args[out + 1] as Arg);
  if (sub === 'run' && use.args.some(({ text }) => /@/.test(text)))
    use.raise('external_mutation', 'go run would fetch code and run it');
}

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

function judgeTool(use: Use): void {
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

function judgeSystemPackages(use: Use): void {
  const looks =
    /^(?:list|search|show|info|policy|depends|rdepends|-l|-L|-s|-S[si]+|-Q\w*|-q\w*|--list|--status|--search|--listfiles|which|query|deps|leaves|outdated|config|--prefix|home|desc)$/;
  if (!use.args.some(({ text }) => looks.test(text)))
    use.raise('deny', `${use.name} changes the programs of this machine`);
}

function judgeDocker(use: Use): void {
  if (
    use.args.some(
      ({ text }, at) =>
        /^--(?:privileged|pid=host|net(?:work)?=host|ipc=host|cap-add|security-opt|device|userns=host)|docker\.sock/.test(
          text,
        ) ||
        ((/^(?:-v|--volume)$/.test(use.args[at - 1]?.text ?? '') || /^(?:-v|--volume=|--mount)/.test(text)) &&
          /(?:^|[=,])(?:source=|src=)?[/~]/.test(text.replace(/^-v|^--volume=/, '')) &&
          !text.includes(use.scene.where.desk)),
    )
  )
    use.raise('deny', `${use.name} would give a container this machine`);
}
