/**
 * Owns: which settings in a configuration of git make git run something. Pure.
 *
 * One that leads an existing repository elsewhere is never harmless (ledElsewhere).
 * A setting is harmless only if it is on the list; what cannot be read counts as one that is not.
 */

/** Settings, without the name of the remote, branch or submodule, that only say how git shows or stores things. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|abbrev|compression|sharedrepository|sparsecheckout(?:cone)?|splitindex|untrackedcache|protectntfs|protecthfs|longpaths|whitespace|worktree|trustctime|checkstat|commitgraph|multipackindex)|extensions\.(?:objectformat|worktreeconfig|partialclone|refstorage|preciousobjects|compatobjectformat|relativeworktrees)|user\.(?:name|email|useconfigonly)|init\.defaultbranch|remote\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skipdefaultupdate|skipfetchall)|branch\.(?:remote|merge|rebase|pushremote|description|autosetuprebase|autosetupmerge|sort|gh-merge-base|vscode-merge-base)|submodule\.(?:path|url|active|branch|shallow|ignore|fetchrecursesubmodules|recurse|update)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags|parallel|recursesubmodules)|merge\.(?:conflictstyle|ff|log|renames|stat)|rebase\.(?:autostash|autosquash|updaterefs|stat)|rerere\.(?:enabled|autoupdate)|commit\.(?:gpgsign|verbose|status)|tag\.(?:gpgsign|sort)|color\.[\w-]+|advice\.[\w-]+|log\.(?:date|decorate|abbrevcommit|follow|showsignature)|diff\.(?:renames|renamelimit|algorithm|colormoved|context|noprefix|mnemonicprefix|wserrorhighlight|submodule)|gc\.[\w-]+|pack\.(?!packsizelimit$)[\w-]+|index\.[\w-]+|feature\.[\w-]+|receive\.(?:denycurrentbranch|denydeletes|denynonfastforwards|advertisepushoptions)|status\.[\w-]+|lfs\.repositoryformatversion|safe\.directory|alias\.[\w-]+|blame\.(?:coloring|date|showemail|showroot)|grep\.[\w-]+|versionsort\.[\w-]+|http\.postbuffer|help\.autocorrect|column\.[\w-]+)$/;
/** A value with which one of these settings runs something after all. */
const RUNS: Readonly<Record<string, RegExp>> = {
  remote: /^-|::/,
  submodule: /^[-!]|::/,
  alias: /[!-]/,
  help: /[^\d-]/,
};

/** The settings that may run something, as `section.key=value`. */
export function runningSettings(text: string): string[] {
  if (text.includes('\0')) return ['it is not text'];
  const found: string[] = [];
  let section = '';
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    let rest = line.trim();
    for (let header = headerOf(rest); header !== null; header = headerOf(rest)) [section, rest] = header;
    if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) continue;
    const setting = settingIn(section, rest);
    if (setting !== null) found.push(setting);
  }
  return found;
}

/** Settings that say where git sends to and fetches from. */
const LEADS = /^(?:remote\.(?:url|pushurl)|branch\.(?:remote|pushremote)|remote\.pushdefault|submodule\.url)$/;

/** The settings by which a changed configuration leads git elsewhere than before, as `section "name".key=value`. */
export function ledElsewhere(before: string, after: string): string[] {
  const known = leadsIn(before);
  return [...leadsIn(after)].flatMap(([name, value]) => {
    const isNew = !known.has(name) && !/\.push(?:url|remote|default)$/.test(name);
    return isNew || known.get(name) === value ? [] : [`${name}=${value}`.slice(0, 200)];
  });
}

function leadsIn(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let [section, name] = ['', ''];
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    const [, head, sub = '', rest] =
      /^\s*\[\s*([A-Za-z0-9-]+)(?:\s+("(?:[^"\\]|\\.)*"))?\s*\]\s*(.*)$/.exec(line) ?? [];
    if (head !== undefined) [section, name] = [head.toLowerCase(), sub];
    const [, key, value = ''] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*?)\s*$/.exec(rest ?? line) ?? [];
    if (key === undefined || !LEADS.test(`${section}.${key.toLowerCase()}`)) continue;
    const full = `${section}${name === '' ? '' : ` ${name}`}.${key.toLowerCase()}`;
    found.set(full, found.has(full) ? `${found.get(full)} ${value}` : value);
  }
  return found;
}

/** The section that starts here, and what follows it on the same line. */
function headerOf(line: string): [section: string, rest: string] | null {
  const [, section, rest = ''] = /^\[\s*([A-Za-z0-9-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]\s*(.*)$/.exec(line) ?? [];
  return section === undefined ? null : [section.toLowerCase(), rest];
}

function settingIn(section: string, line: string): string | null {
  const [, key, value = ''] = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
  if (key === undefined) return line.slice(0, 200);
  const name = `${section}.${key.toLowerCase()}`;
  const isHarmless = HARMLESS.test(name) && RUNS[section]?.test(value.replaceAll(/["\\]/g, '').trim()) !== true;
  return isHarmless ? null : `${name}=${value}`.slice(0, 200);
}
