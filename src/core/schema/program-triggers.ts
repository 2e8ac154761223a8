/**
 * The one list of files that make other programs run: programs that a person uses on the desk read them unasked, such as
 * git its hooks, a shell its start file, an editor its tasks, an assistant its instructions. Whoever writes one decides
 * what runs outside the sandbox.
 *
 * The classes of commands, the file tools, task folders, undo and RESULT.md all use it.
 */

type Trigger = { shape: RegExp; why: string };

const TRIGGERS: readonly Trigger[] = [
  {
    shape:
      /\/\.git\/(?:.*\/)?hooks(?:\/|$)|\/\.(?:husky|githooks|lefthook)(?:\/|$)|\/\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$/i,
    why: 'git runs it as a hook',
  },
  {
    shape: /\/\.git(?:\/|$)|\/\.(?:gitconfig|gitmodules|gitattributes)$/i,
    why: 'git takes commands to run from there',
  },
  // A folder with HEAD, objects and refs is a repository of its own, whose config git obeys.
  { shape: /\/HEAD$/, why: 'git takes a folder that contains it for a repository, and commands to run from it' },
  { shape: /\/\.hg(?:\/|$)|\/\.(?:hgrc|jj)(?:\/|$)/i, why: 'the version control takes commands to run from there' },
  {
    shape: /\/\.(?:vscode|idea|zed|fleet|devcontainer|helix)(?:\/|$)|\/\.devcontainer\.json$|\.code-workspace$/i,
    why: 'the editor runs what is set there when the folder is opened',
  },
  {
    shape:
      /\/\.(?:vimrc|gvimrc|exrc|nvimrc|nvim\.lua|lvimrc|emacs|nanorc|kakrc|dir-locals\.el)$|\/\.(?:emacs\.d|vim)(?:\/|$)/i,
    why: 'the editor runs it at its start',
  },
  {
    shape:
      /\/\.(?:cursor|claude|codex|gemini|windsurf|continue|kiro|opencode|amazonq|roo|trae|junie)(?:\/|$)|\/opencode\.jsonc?$|\/\.(?:cursorrules|windsurfrules|clinerules|aider[^/]*|mcp\.json|roomodes|goosehints)$|\/(?:CLAUDE|AGENTS?|GEMINI|CODEX|COPILOT|SOUL|SKILL)(?:\.local)?\.md$|\/\.github\/copilot-instructions\.md$/i,
    why: 'other assistants take their instructions from it',
  },
  {
    shape: /\/\.(?:envrc|direnvrc|autoenv|mise\.toml)$|\/mise(?:\.local)?\.toml$/i,
    why: 'it runs when a shell enters the folder',
  },
  {
    shape:
      /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|inputrc|login|cshrc|tcshrc|xinitrc|xprofile|xsession)$|\/\.oh-my-zsh(?:\/|$)|\/\.config\/(?:fish|nushell|elvish)(?:\/|$)/i,
    why: 'a shell or session runs it at its start',
  },
  {
    shape:
      /\/\.(?:npmrc|yarnrc(?:\.yml)?|pnpmrc|pnpmfile\.cjs|gemrc|pip\/pip\.conf|pre-commit-config\.yaml)$|\/\.cargo\/config(?:\.toml)?(?:\/|$)|\/\.yarn\/(?:plugins|releases)(?:\/|$)/i,
    why: 'a package manager or build tool runs what is set there',
  },
  {
    shape:
      /\/\.?latexmkrc$|\/\.(?:tmux\.conf|screenrc|curlrc|wgetrc|netrc|pythonrc|pdbrc|gdbinit|lldbinit|lesskey|mailrc|irbrc|Rprofile|ocamlinit|ghci|sqliterc|psqlrc)$|\/(?:sitecustomize|usercustomize)\.py$|\.pth$/i,
    why: 'the program of that name obeys it at its start',
  },
  {
    shape:
      /\/(?:crontab|cron\.d|cron\.(?:daily|hourly|weekly|monthly)|systemd|autostart|LaunchAgents|LaunchDaemons|init\.d|profile\.d|ld\.so\.preload|udev)(?:\/|$)|\.desktop$|\/autorun\.inf$/i,
    why: 'the system runs it by itself',
  },
];

/** Every trigger has one of these; most paths have none, and are not compared with the list. */
const MAY_BE_TRIGGER =
  /\/\.|HEAD$|\.(?:md|py|pth|toml|desktop|inf|code-workspace)$|opencode|lefthook|latexmkrc$|crontab|cron\.|systemd|autostart|Launch|init\.d|profile\.d|ld\.so|udev/i;

/** Why a path, below the desk or absolute, makes another program run; null for an ordinary file. */
export function programTrigger(path: string): string | null {
  const full = `/${path.replace(/^\/+/, '')}`.replace(/\/+$/, '');
  if (!MAY_BE_TRIGGER.test(full)) return null;
  return TRIGGERS.find(({ shape }) => shape.test(full))?.why ?? null;
}

/** What git itself writes with every commit, and what it only shows as an example. */
const GIT_DATA =
  /\/\.git\/(?:(?:objects|refs|logs|rebase-merge|rebase-apply)(?:\/|$)|(?:index|HEAD|[A-Z_]+_HEAD|COMMIT_EDITMSG|[A-Z_]+_MSG|packed-refs|description|shallow)$|info\/(?:exclude|refs)$|hooks\/[^/]+\.sample$|(?:hooks|info)$)|\/\.git$/;

/** Paths that a command has left which make other programs run, each with the reason; data of git is not among them. */
export function triggersAmong(paths: readonly string[]): { path: string; why: string }[] {
  return paths.flatMap((path) => {
    const why = GIT_DATA.test(`/${path}`) ? null : programTrigger(path);
    return why === null ? [] : [{ path, why }];
  });
}

/** Hidden names that everyday projects have and from which programs only take data, folders that programs fill, and git's own. */
const HARMLESS_HIDDEN = new Set(
  `.git .gitmodules .gitignore .gitkeep .keep .mailmap .gitmessage .git-blame-ignore-revs .github .gitlab .circleci .gitlab-ci.yml .travis.yml
  .changeset .editorconfig .dockerignore .npmignore .eslintignore .prettierignore .stylelintignore .okaignore .ignore .rgignore
  .vercelignore .gcloudignore .helmignore .nojekyll .well-known .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml
  .prettierrc.toml .eslintrc .eslintrc.json .eslintrc.yml .stylelintrc .stylelintrc.json .browserslistrc .babelrc
  .babelrc.json .swcrc .jshintrc .markdownlint.json .markdownlint.yaml .markdownlint.yml .yamllint .yamllint.yml .flake8
  .isort.cfg .clang-format .scalafmt.conf .rustfmt.toml .golangci.yml .hadolint.yaml .codespellrc .nvmrc .node-version
  .python-version .ruby-version .java-version .go-version .tool-versions .terraform.lock.hcl .env.example .env.sample
  .env.template .env.dist .cache .npm .local .config .cargo .rustup .m2 .gradle .ivy2 .sbt .dotnet .nuget .java .pub-cache
  .dart_tool .pnpm-store .yarn .bun .deno .venv .tox .nox .eggs .pytest_cache .mypy_cache .ruff_cache .hypothesis
  .ipynb_checkpoints .ipython .jupyter .matplotlib .coverage .nyc_output .next .nuxt .output .astro .svelte-kit .parcel-cache
  .turbo .angular .docusaurus .vitepress .vuepress .storybook .sass-cache .jekyll-cache .jekyll-metadata .bundle .build
  .stack-work .mix .hex .cabal .opam .julia .Rhistory .RData .Rbuildignore .Rproj.user .fontconfig .fonts .thumbnails
  .directory .DS_Store .localized .bash_history .python_history .node_repl_history .psql_history .sqlite_history .lesshst
  .viminfo .wget-hsts .rnd .buildinfo .vite .stfolder .stignore .nomedia .tmp .temp .zig-cache .terminfo`
    .trim()
    .split(/\s+/),
);
/** Names that programs make up for a while: copies, locks, downloads in progress. */
const PASSING =
  /^\.(?:_.*|~lock\..*#|.*\.sw[a-p]|.*\.(?:tmp|temp|part|lock|bak|log|stamp)|nfs[\da-f]+|fuse_hidden.*)$/i;

/** The part of a path up to a hidden name of which it is not known which program obeys it; null if there is none. */
export function unknownHidden(path: string): string | null {
  const parts = path.replace(/^\/+/, '').split('/');
  const first = parts.findIndex((name) => name.startsWith('.') && name !== '.' && name !== '..');
  const name = parts[first];
  if (name === undefined || HARMLESS_HIDDEN.has(name) || PASSING.test(name)) return null;
  return parts.slice(0, first + 1).join('/');
}

const SETTINGS = /^[\w-]{2,}rc$|\.config\.[cm]?[jt]sx?$/i;
const KNOWN_SETTINGS =
  /^(?:vite|vitest|jest|webpack|rollup|rolldown|esbuild|tsup|tsdown|next|nuxt|astro|svelte|vue|babel|postcss|tailwind|eslint|prettier|stylelint|commitlint|playwright|cypress|karma|metro|app|drizzle|knip|docusaurus|eleventy|uno|rspack|rsbuild|typedoc|svgo|site|graphql|mdx)\.config\.[cm]?[jt]sx?$/i;

/** Whether a file at the top of a project has the name of settings, and it is not known which program obeys them. */
export const isUnknownSettings = (name: string): boolean => SETTINGS.test(name) && !KNOWN_SETTINGS.test(name);
