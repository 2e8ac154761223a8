/**
 * Owns: a conservative scan of code in other languages. Code runs in the sandbox; the scan stops what is obviously
 * dangerous from running without an approval. It recognises words, it does not understand code.
 */
import type { SideEffectClass } from '../../schema/effect.ts';
import { sensitivityOf, placeOf } from './paths.ts';
import { literal, type ShellState, toDisplay } from './shell-state.ts';

type Raise = (to: SideEffectClass, why: string) => void;

const SHAPES: readonly (readonly [shape: RegExp, to: SideEffectClass, why: string])[] = [
  [/\bos\.fork|\bfork\s*\(\)|cluster\.fork|\bfork\s+while|\bfork\s*;?\s*\}/, 'deny', 'multiplies itself'],
  [
    /\bctypes\b|\bptrace\b|\bset(?:e?uid|e?gid|groups)\b|\bchroot\b|\bunshare\b|\bmlockall\b|process\.binding|\bDL::|Fiddle|\bffi\b/,
    'deny',
    'calls native code or the memory of the process',
  ],
  [/\bos\.kill(?:pg)?\b|process\.kill\b|\bkill\s*\(?\s*['"]?(?:KILL|TERM|9|-9|SIG)/, 'deny', 'ends other processes'],
  [/\bpty\.spawn|os\.dup2|dup2\s*\(|\/dev\/tcp/, 'deny', 'opens a shell to another machine'],
  [
    /(?<![.\w])(?:exec|eval|execfile)\s*\(|(?<![.\w])(?:exec|eval)\s+["'$@<]|(?<![.\w])eval\s+(?:pack|join|decode|reverse|unpack)\b|\bnew\s+Function\b|\bvm\.run|\bmarshal\.loads|\bpickle\.loads?|\b__import__\s*\(|\bimportlib\b|\bglobals\(\)\s*\[|\b__builtins__|instance_eval|class_eval|globalThis\[|\[['"]constructor['"]\]|\bReflect\.|__subclasses__|getattr\s*\(\s*(?:os|subprocess|__)/,
    'deny',
    'runs text as code',
  ],
  [
    /\[\s*['"]\w*['"]\s*\+\s*['"]\w*['"]|\b(?:system|exec|qx)\s+[$@]|\b(?:system|exec)\s*\(\s*[$@]/,
    'deny',
    'assembles the code that it runs',
  ],
  [
    /\b(?:require|process\.mainModule\.require|import)\s*\(\s*[^'"`\s)]/,
    'deny',
    'loads code by a name that is not literal',
  ],
  [
    /\bos\.environ\b(?!\s*(?:\.(?:get|setdefault)\s*\(|\[)\s*['"](?!\w*(?:SECRET|TOKEN|PASS|KEY|CRED))\w+['"])|process\.env\b(?!\.(?!\w*(?:SECRET|TOKEN|PASS|KEY|CRED))\w+|\[['"](?!\w*(?:SECRET|TOKEN|PASS|KEY|CRED))\w+['"]\])|%ENV\b|\bENV\.(?:to_|each|inspect|map)|\bputs\s+ENV\b|\bgetenv\(\s*\)|\$_(?:ENV|SERVER)\b|phpinfo|\bos\.getenv\(\s*['"]\w*(?:SECRET|TOKEN|PASS|KEY|CRED)/,
    'external_mutation',
    'reads the environment',
  ],
  [
    /\burllib(?!\.parse)|\bimport\b(?:[^\n;]|\\\n)*\brequests\b|\bimport\s*\([^)]*\brequests\b|\bfrom\s+requests\b|\brequests\s*\.\s*(?:get|post|put|patch|delete|head|options|request|session\w*|api|adapters)\b|\brequire\s*\(\s*['"]requests|\bhttpx\b|\baiohttp\b|\bhttp\.client|\bhttp\.server|\bsocket\b|\bsmtplib|\bftplib|\bparamiko|\btelnetlib|\bxmlrpc|\bfetch\s*\(|\bhttps?\.(?:request|get|createServer)|require\(['"](?:node:)?(?:http|https|net|dgram|tls|dns|http2)['"]|from\s+['"](?:node:)?(?:http|https|net|dgram|tls|dns)['"]|\baxios\b|XMLHttpRequest|WebSocket|\bLWP\b|IO::Socket|\bNet::|TCPSocket|open-uri|fsockopen|curl_(?:init|exec)|file_get_contents\s*\(\s*['"]http|\bgot\s*\(|undici|\bdns\.|getaddrinfo|gethostby|socketserver|asyncio\.open_connection|\bwebbrowser\b|net\/http|HTTP::|download\.file|install\.packages|\bPkg\.|\bimport\s*\(\s*['"](?:node:)?(?:http|https|net|dgram|tls|dns|http2)['"]|(?<!\b(?:print|log|puts|replace|includes|startsWith|startswith|endswith|match|split|urlparse|URL|echo|test|write|join|append|format))\s*\(\s*['"]https?:\/\/|\b(?:include|require|source|load)(?:_once)?\s*\(?\s*['"]https?:/i,
    'external_mutation',
    'uses the network',
  ],
  [
    /\*\s*\(?\s*10\s*\*\*\s*(?:9|[1-9]\d)|\biter\(\s*int\b|\b(?:1|9)[0_]{10,}\b|\*\s*1e(?:9|[1-9]\d)|\.repeat\s*\(\s*(?:1e(?:8|9|[1-9]\d)|\d{9,})|itertools\.(?:count|cycle|repeat)\(\s*\)/,
    'deny',
    'never ends or fills the memory',
  ],
];

const SPAWNS =
  /\bos\.(?:execute|system|popen|exec[lv]p?e?|spawn\w*|posix_spawn)|\bsubprocess\b|\bcommands\.getoutput|child_process|\b(?:exec|spawn|execFile|fork)(?:Sync)?\s*\(|\bsystem\b|\bopen\s*\(?[^;)]{0,80}["']\s*\||\|\s*["']\s*[,)]|\bpopen\b|\bqx\b|%x[{([]|`[^`]{1,500}`|\bIO\.popen|\bshell_exec|\bpassthru|\bproc_open|\bio\.popen|open3|Deno\.(?:run|Command)|Bun\.spawn|\bexecve?\b|\$\(|sh\.|pexpect/;
/** Code that certainly starts a program, in one of many languages. */
const STARTS =
  /\bos\.(?:execute|system|popen|exec[lv]\w*|spawn\w*|posix_spawn)\s*\(|\bfrom\s+(?:os|subprocess|pty|commands)\s+import\b|\bsubprocess\.\w+\s*\(|\bcommands\.getoutput|\bgetoutput\s*\(|\bchild_process\b|\bsystem\s*\(?\s*['"]|(?<![.\w])exec\s*\(?\s*['"]|\bKernel\.\w+|\bpopen\s*\(|\bqx\s*[{([/]|%x[{([]|\bshell_exec\b|\bpassthru\b|\bproc_open\b|\bopen3\b|Deno\.(?:run|Command)|Bun\.spawn|callCommand|readProcess|Sys\.command|System\.cmd|\bos:cmd\b|["']\.execute\s*\(|sys\.process|run-program|shell\/sh\b|^\s*:!|\bProcess\.(?:run|start)\b|Runtime\.getRuntime|\brun\s*\(\s*`|pexpect|\bpipe\s*\(\s*["']|\bopen\s*\(?\s*['"]\s*\||['"]<\s*\w/;
/** Languages in which a text in backquotes is a command. */
const QUOTES_RUN = /^(?:perl|ruby|php|julia|rake|raku)/;
/** Programs that the code of a project may start without an approval. */
const TOOLS =
  /^(?:git|pytest|python\d?|node|npm|npx|pnpm|yarn|make|cmake|cargo|go|tsc|eslint|ls|cat|wc|sort|grep|rg|jq|echo|date|head|tail|diff|find|ffmpeg|ffprobe|pandoc|convert|magick|pdftotext|tar|zip|unzip|gcc|clang|rustc|java|javac|ruff|black|mypy|jest|vitest|docutils|dot|sqlite3|true|sleep|mkdir|cp)$/;
const DANGEROUS =
  /\b(?:rm|sudo|su|doas|curl|wget|nc|ncat|netcat|socat|ssh|scp|rsync|sftp|telnet|dd|mkfs|chmod|chown|mount|umount|kill|pkill|killall|shutdown|reboot|halt|docker|podman|kubectl|crontab|systemctl|service|at|mail|sendmail|nohup|bash|sh|zsh|dash|eval|base64|nslookup|dig|host|ping|aws|gcloud|gh|gpg|passwd|useradd|iptables|insmod|git\s+(?:push|clone|pull|fetch|config)|npm\s+publish|env|printenv|tee|ln|unlink|shred|truncate|sys\.argv|argv|input\(|stdin|ARGV)\b/;
const CHANGES =
  /rmtree|\bremove\b|unlink|rmdir|\brm(?:Sync)?\s*\(|write|['"](?:w|a|wb|ab|r\+|w\+|x)b?['"]|rename|chmod|chown|copy|move|truncate|symlink|mkdir|\bopen\s*\([^)]{0,80}>|File\.delete|FileUtils|touch|\bshutil\b|append|utime|file_put|set\s+o(?:ut|utput)?\s/;

/** Two things that are harmless alone. They are searched for separately, because one pattern for both can take minutes. */
const TOGETHER: readonly (readonly [one: RegExp, other: RegExp, why: string])[] = [
  [/\bwhile\b/, /\bfork\b/, 'multiplies itself'],
  [/\bsocket/i, /subprocess|\/bin\/(?:ba)?sh|\bexec/, 'opens a shell to another machine'],
  [
    /b64decode|base64|atob|fromhex|unhexlify|fromCharCode|codecs\.decode|\bchr\s*\(|unpack\s*\(|\\x[0-9a-f]{2}\\x|zlib\.decompress|\brot13\b|decode64/i,
    /\bsystem\b|subprocess|popen|(?<![.\w])exec|execSync|spawn|(?<![.\w])eval\b|\bFunction\b/i,
    'runs text that it decodes',
  ],
];
const LOOPS = /while\s*\(?\s*(?:True|1|true|:)\s*\)?\s*[:{;]|for\s*\(\s*;\s*;\s*\)/;
const ENDS = /\b(?:break|sleep|return|exit|readline|input|raise|last|setTimeout|yield)\b/;

export function scanCode(state: ShellState, raise: Raise, code: string, language = ''): void {
  for (const [shape, to, why] of SHAPES) if (shape.test(code)) raise(to, `the code ${why}`);
  for (const [one, other, why] of TOGETHER) if (one.test(code) && other.test(code)) raise('deny', `the code ${why}`);
  if (LOOPS.test(code) && !ENDS.test(code)) raise('deny', 'the code never ends');
  scanSpawns(raise, code, /^(?:node|nodejs|bun|deno|tsx|ts-node)/.test(language));
  scanStarts(raise, code, language);
  scanPaths(state, raise, code);
}

function scanSpawns(raise: Raise, text: string, templates: boolean): void {
  const code = templates ? text.replaceAll('`', '"') : text;
  const [spawn] = SPAWNS.exec(code) ?? [];
  if (spawn === undefined) return;
  const found = DANGEROUS.exec(code);
  if (found !== null) raise('deny', `the code starts other programs and names ${toDisplay(found[0])}`);
  else if (/(?:system|popen|exec\w*|spawn\w*|run|call|check_output|check_call)\s*\(\s*(?!['"[{(rf])/.test(code))
    raise('deny', 'the code starts a program whose name is not literal');
  else if (/(?:['"]\s*\+|\bjoin\s*\(|\.format\s*\(|f['"])/.test(code))
    raise('external_mutation', 'the code assembles a command');
}

/** Code may start a program only by a literal name that projects need; anything else needs an approval. */
function scanStarts(raise: Raise, code: string, language: string): void {
  const quoted = QUOTES_RUN.test(language)
    ? [...code.matchAll(/`\s*([^`\s]*)[^`]*`/g)].map(([, name = '']) => name)
    : [];
  if (/^(?:tclsh|wish|expect)/.test(language) && /(?:^|[\s[;])exec\s|\bopen\s+["{]?\|/m.test(code))
    return raise('external_mutation', 'the code starts another program');
  if (!STARTS.test(code) && quoted.length === 0) return;
  const named = [
    ...code.matchAll(
      /(?:system|popen|Popen|run|call|check_output|check_call|getoutput|exec\w*|spawn\w*|execFile\w*|qx|%x|passthru)\s*[({[\s]*[rbf]?["'`]\s*([\w./-]+)/g,
    ),
  ].map(([, name = '']) => name);
  const found = [...named, ...quoted];
  const odd = found.find((name) => !TOOLS.test(name));
  if (odd !== undefined || found.length === 0)
    raise('external_mutation', `the code starts ${odd === undefined ? 'another program' : toDisplay(odd)}`);
}

/** Judges every quoted text that looks like a path, and every mention of a home folder. */
function scanPaths(state: ShellState, raise: Raise, code: string): void {
  const changes = CHANGES.test(code);
  for (const [text] of code.matchAll(/(?<![\w:/])(?:~|\/|\.{1,2}\/|\.(?=[a-z]))[\w.~/@*-]*/g)) {
    if (text.length < 2 || /^\/[*/]|^\/\w?\/?$/.test(text)) continue;
    const arg = literal(text);
    const sensitivity = sensitivityOf(state, arg);
    if (sensitivity === 'secret' || sensitivity === 'guard')
      return raise('deny', `the code names ${toDisplay(text)}, which is secret`);
    if (sensitivity === 'private' || sensitivity === 'accounts')
      raise('external_mutation', `the code names ${toDisplay(text)}, which may contain secrets`);
    if (sensitivity === 'config' && changes)
      return raise('deny', `the code changes ${toDisplay(text)}, which is configuration`);
    if (!changes || !/^[~/]|^\.\.\//.test(text)) continue;
    if (['system', 'home', 'device', 'outside'].includes(placeOf(state, text)) && isRealPath(text))
      raise('deny', `the code may change ${toDisplay(text)}, which is outside the desk`);
  }
  if (
    /expanduser|homedir\s*\(|Path\.home|Dir\.home|\bHOME\b|userInfo/.test(code) &&
    (changes || /open|read|listdir|glob|walk|scandir|iterdir|cat\b/i.test(code))
  )
    raise(changes ? 'deny' : 'external_mutation', 'the code uses the home folder');
  if (
    /\bid_(?:rsa|ed25519|ecdsa)\b|credentials\.age|run_ledger|\.oka\b(?!\/tools)|\bCLAUDE\.md|AGENTS\.md|\.bashrc|\.ssh\b|\.aws\b/.test(
      code,
    )
  )
    raise('deny', 'the code names a secret or configuration');
  for (const [, from] of code.matchAll(
    /\b(?:dofile|loadfile|require|source|import|load|do|include|runpy\.run_path)\s*\(?\s*['"](\/[^'"]+)/g,
  ))
    if (['scratch', 'home', 'outside', 'device'].includes(placeOf(state, from ?? '')))
      raise('external_mutation', `the code loads ${toDisplay(from ?? '')}, which is outside the desk`);
  if (/\bCPAN\b/.test(code)) raise('external_mutation', 'the code installs packages');
  if (changes && /['"]\/['"]/.test(code)) raise('deny', 'the code may change everything');
  if (
    /environ\s*\[\s*['"](?:PATH|LD_\w+)['"]\s*\]\s*=[^=]|\$?ENV\s*[{[]\s*['"]?(?:PATH|LD_\w+)['"]?\s*[}\]]\s*=[^=]|process\.env\.(?:PATH|LD_\w+)\s*=[^=]|putenv/.test(
      code,
    )
  )
    raise('deny', 'the code changes which programs run');
  if (/\bchdir\s*\(\s*['"](?:\/|~|\.\.)/.test(code)) raise('external_mutation', 'the code leaves the desk');
  if (/rmtree\s*\(\s*['"](?:\.{1,2}|\/)['"]|rm(?:Sync)?\s*\(\s*['"](?:\.{1,2}|\/)['"]/.test(code))
    raise('deny', 'the code deletes everything');
}

/** A slash in code is more often a division or a regular expression than a path. */
const isRealPath = (text: string): boolean =>
  /^~|^\.\.\/|^\/(?:etc|usr|bin|sbin|lib|var|root|home|boot|dev|opt|proc|sys|srv|mnt|media|run|Users)(?:\/|$)/.test(
    text,
  );
