/** Owns: judging assignments to variables that make programs load or run something. */
import { placeOf } from './paths.ts';
import { type Arg, HOLE, raise, type ShellState, toDisplay } from './shell-state.ts';

const LOADS =
  /^(?:PATH|\w*(?:PAGER|EDITOR|ASKPASS|BROWSER|HISTFILE|_HISTORY)|ZDOTDIR|HGRCPATH|SVN_SSH|FZF_DEFAULT_\w+|LD_.*|DYLD_.*|BASH_ENV|BASH_FUNC.*|BASH_XTRACEFD|BASH_CMDS|BASH_ALIASES|ENV|SHELLOPTS|BASHOPTS|SHELL|CDPATH|FPATH|PROMPT_COMMAND|PS[0-4]|PROMPT|EXECIGNORE|BASH_LOADABLES_PATH|HOME|XDG_.*|HISTFILE|INPUTRC|PYTHON(?:STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS|EXECUTABLE|USERBASE)|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|GEM_.*|BUNDLE_.*|LUA_.*|TCLLIBPATH|PHP.*|PHPRC|R_PROFILE.*|EDITOR|VISUAL|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|LESSKEY.*|LESS|GREP_OPTIONS|TAR_OPTIONS|ZIPOPT|UNZIP|RIPGREP_CONFIG_PATH|RSYNC_RSH|RSYNC_CONNECT_PROG|CVS_RSH|SSH_ASKPASS.*|SUDO_.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|MAVEN_OPTS|GRADLE_OPTS|MAKEFLAGS|MFLAGS|MAKEFILES|GNUMAKEFLAGS|RUSTC.*|CARGO_.*|RUSTFLAGS|CGO_.*|CCACHE_.*|DISTCC_.*|CMAKE_(?:TOOLCHAIN_FILE|\w+_(?:COMPILER|LAUNCHER|LINKER))|ANT_(?:OPTS|ARGS)|SBT_OPTS|M2_HOME|MAVEN_ARGS|JULIA_(?:LOAD|DEPOT)_PATH|ERL_\w*FLAGS|ERL_LIBS|ELIXIR_ERL_OPTIONS|GUILE_\w*PATH|PYTEST_(?:ADDOPTS|PLUGINS)|TS_NODE_\w+|GTK_(?:MODULES|PATH)|QT_\w*PLUGIN\w*|GNUPGHOME|PGPASSFILE|PGSERVICEFILE|PSQLRC|TF_CLI_\w+|ANSIBLE_\w+|CONDARC|NODE_EXTRA_CA_CERTS|UV_(?!NO_|LINK_MODE)\w+|POETRY_(?!VIRTUALENVS_|NO_)\w+|GOFLAGS|GOROOT|GOBIN|npm_config_.*|NPM_CONFIG_.*|YARN_.*|PIP_.*|TERMINFO.*|LOCPATH|NLSPATH|GCONV_PATH|GETCONF_DIR|HOSTALIASES|RES_OPTIONS|LIBRARY_PATH|OPENSSL_.*|SSL_CERT_.*|CURL_HOME|CURL_CA_BUNDLE|WGETRC|VIMINIT|EXINIT|VIMRUNTIME|NVIM_.*|EMACSLOADPATH|TMUX.*|DOCKER_.*|KUBECONFIG|KUBE_.*|GLIBC_TUNABLES|MALLOC_.*|OKA_.*|GCC_EXEC_PREFIX|COMPILER_PATH|AWKPATH|AWKLIBPATH|GDBINIT|PAGER|GIT_.*|NODE_OPTIONS|NODE_REPL_.*|ELECTRON_RUN_AS_NODE|DENO_.*|MAILCHECK|TMOUT|SSH_AUTH_SOCK|DBUS_.*|MANPATH|MANOPT)$/;

/** Values that are known to be harmless. */
const HARMLESS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/PAGER$/, /^(?:cat|less|more|)$/],
  [/^RUSTFLAGS$/, /^(?:\s*-(?:D ?warnings|C ?target-cpu=native|C ?opt-level=\d|A ?\w+))*\s*$/],
  [/^CGO_ENABLED$|^CCACHE_DISABLE$/, /^\d$/],
  [/^PYTEST_ADDOPTS$/, /^(?:\s*-[qvxs]+|\s*--(?:color|tb)=\w+)*\s*$/],
  [/^GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT)$/, /^\d$|^no$/],
  [/^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/, /^/],
  [/^(?:GIT_)?EDITOR$|^GIT_SEQUENCE_EDITOR$/, /^(?:true|:|cat)$/],
  [
    /^NODE_OPTIONS$/,
    /^(?:\s*--(?:max-old-space-size=\d+|no-warnings|experimental-vm-modules|trace-warnings|enable-source-maps|no-deprecation|trace-deprecation|unhandled-rejections=\w+))*\s*$/,
  ],
  [/^PYTHONWARNINGS$/, /^[a-z,:]*$/],
  [/^GOFLAGS$/, /^(?:\s*-(?:mod=\w+|v|race|count=\d+|buildvcs=\w+))*\s*$/],
  [/^CARGO_(?:TERM_COLOR|INCREMENTAL|NET_OFFLINE|TARGET_DIR|BUILD_JOBS|PROFILE_\w+)$/, /^[\w./-]*$/],
  [
    /^PIP_(?:DISABLE_PIP_VERSION_CHECK|NO_CACHE_DIR|NO_INPUT|QUIET)$|^(?:npm_config_|NPM_CONFIG_)(?:yes|loglevel|progress|audit|fund|color)$/i,
    /^\w*$/,
  ],
  [/^MAKEFLAGS$/, /^-?j ?\d*$/],
  [/^RUSTC_BACKTRACE$|^YARN_ENABLE_(?!SCRIPTS)\w+$|^DENO_NO_\w+$|^MALLOC_ARENA_MAX$/, /^\w*$/],
  [/^JAVA_OPTS$|^(?:MAVEN|GRADLE)_OPTS$/, /^(?:\s*-Xm[sx]\d+[mgk])*\s*$/],
  [/^LESS$/, /^-?[A-Za-z]*$/],
];

const SEARCHED = /^(?:PYTHONPATH|NODE_PATH|CLASSPATH|GOPATH|GOCACHE|GOMODCACHE|TMPDIR|TMP|TEMP|VIRTUAL_ENV)$/;
const FLAGS = /^(?:C|CXX|CPP|LD|F|OBJC)FLAGS$|^LIBS$/;
/** Flags that make a compiler run or load something else. */
const LOADING_FLAGS = /-fplugin|-B\s*[/~]|-wrapper|-specs|-fuse-ld=\/|linker=|-load\b|`|\$\(/;
const SOURCES = /^(?:GOPROXY|GONOSUMDB|GONOSUMCHECK|GOINSECURE|GOSUMDB)$/;
const COMPILERS = /^(?:CC|CXX|LD|AR|CPP|FC|LINKER)$/;
const PROXIES = /^(?:https?|ftp|all|no)_proxy$/i;

/** Judges setting a variable, for the line itself or for one program. */
export function checkVariable(state: ShellState, name: string, value: Arg): void {
  if (HARMLESS.some(([names, values]) => names.test(name) && values.test(value.text) && !value.open)) return;
  if (LOADS.test(name)) return raise(state, 'deny', `setting ${name} changes which code runs`);
  if (name === 'IFS') return checkSeparator(state, value);
  if (SEARCHED.test(name)) return checkSearchPath(state, name, value);
  if (COMPILERS.test(name) && !/^(?:ccache )?[\w+-]*(?:cc|\+\+|clang|ld|ar|cpp|lld)[-\w.]*$/.test(value.text))
    return raise(state, 'deny', `setting ${name} changes which code runs`);
  if (FLAGS.test(name) && LOADING_FLAGS.test(value.text))
    return raise(state, 'deny', `setting ${name} changes which code runs`);
  if (SOURCES.test(name) && !/^(?:off|direct|https:\/\/proxy\.golang\.org(?:,direct)?)$/.test(value.text))
    return raise(state, 'external_mutation', `setting ${name} loads code from elsewhere`);
  if (PROXIES.test(name)) return raise(state, 'external_mutation', `setting ${name} sends traffic elsewhere`);
  checkFolder(state, name, value);
  if (/^(?:AWS|AZURE|GOOGLE|GCP|VAULT)_/.test(name))
    raise(state, 'external_mutation', `setting ${name} acts with somebody's account`);
}

const FOLDERS = /(?:PATH|HOME|HOOKS?|RC|PLUGINS?|MODULES?|INIT|PROFILE\w*|GEMFILE|LIBS?)$/;

/** Many programs have a variable that names the folder of their code or configuration. */
function checkFolder(state: ShellState, name: string, { text }: Arg): void {
  if (!FOLDERS.test(name) || !/^[/~]|^\.\.\//.test(text)) return;
  if (['scratch', 'home', 'outside', 'device', 'workspace'].includes(placeOf(state, text)))
    raise(state, 'external_mutation', `${name} may make a program load code from ${toDisplay(text)}`);
}

function checkSeparator(state: ShellState, value: Arg): void {
  if (value.open || /[A-Za-z0-9/]/.test(value.text)) raise(state, 'deny', 'setting IFS changes how the line is read');
}

function checkSearchPath(state: ShellState, name: string, value: Arg): void {
  for (const text of value.text.split(':')) {
    const place = placeOf(state, text === '' ? HOLE : text);
    if (!['desk', 'desk root', 'scratch', 'tools', 'unknown'].includes(place))
      raise(state, 'deny', `setting ${name} changes which code runs`);
    if (place === 'scratch' && name.endsWith('PATH'))
      raise(state, 'external_mutation', `setting ${name} runs code from scratch that was never reviewed`);
  }
}
