/** Owns: parsing the attributes after the opening of a fence, such as ```bash id:report needs:fetch,clean timeout:30 */
import { isJson, type Json } from '../../core/schema/json.ts';
import { NodeId } from '../../core/schema/names.ts';
import { isRelativeInside } from './glob.ts';
import { stepAcceptanceProblem } from '../task/step-acceptance.ts';

export type FenceInfo = {
  id?: string;
  /** Undefined: the step before; empty: nothing. */
  needs?: string[];
  timeoutSeconds?: number;
  fallback?: Json;
  /** Whether the step may use the network; a list names the hosts. */
  net?: boolean | string[];
  /** A request that the egress proxy refuses does not fail the step. */
  netRefused?: 'ok';
  /** An idempotency key for what it sends; `yes` for one of its own. */
  key?: string;
  /** Secrets of the vault, each as an environment variable. */
  secrets?: string[];
  /** Working directory, inside the folder of the task. */
  dir?: string;
  /** Checks that must pass for the step to count as done. */
  accept?: string[];
};

type ParsedFenceInfo = { info: FenceInfo; problems: string[] };

/** Every attribute with an example and its meaning; error messages and docs/TASKS.md are made from it. */
export const FENCE_ATTRIBUTES: Readonly<Record<string, { example: string; about: string }>> = {
  id: { example: 'id:report', about: 'The name of the step; by default made from the heading above it.' },
  needs: {
    example: 'needs:fetch,clean',
    about: 'The steps that have to be done before; by default the one above. With needs:none it waits for none.',
  },
  timeout: { example: 'timeout:5m', about: 'How long it may take, in seconds, or with m or h; by default 10 minutes.' },
  fallback: {
    example: 'fallback:"no data"',
    about: 'If the step fails, the task goes on with this as the output of the step.',
  },
  net: {
    example: 'net:api.example.org',
    about: 'The hosts that it may reach; net:yes for those that the policy allows.',
  },
  net_refused: { example: 'net_refused:ok', about: 'A request that is refused does not fail the step.' },
  key: {
    example: 'key:yes',
    about:
      'What it sends has an idempotency key that is the same when the step is repeated; key:order-4711 gives your own.',
  },
  secrets: {
    example: 'secrets:API_TOKEN',
    about: 'Secrets of the vault that it gets as environment variables of the same name.',
  },
  dir: { example: 'dir:site', about: 'The folder to run in, inside the folder of the task.' },
  accept: {
    example: 'accept:"file: report.md"',
    about: 'A check that has to pass for the step to be done; may be given several times.',
  },
};

const MAX_SECONDS = 86_400;
const UNITS = { s: 1, m: 60, h: 3600 } as const;
const VALUE = String.raw`("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']\S*)`;
/** A value directly after the sign, or after a space unless the next attribute starts there. */
const ATTRIBUTE = RegExp(
  String.raw`\s*([A-Za-z][\w-]*)[ \t]*[:=](?:${VALUE}|[ \t]+(?![A-Za-z][\w-]*[ \t]*[:=])${VALUE})?`,
  'y',
);
/** What a header may have as its value, so that nothing else can be put behind it. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;
/** The name of a secret that can also be the name of an environment variable. */
const VARIABLE = /^[A-Z][A-Z0-9_]{0,99}$/;
const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/i;

/** The first word of an info string, in lower case. */
export const fenceLanguage = (info: string): string => (/^[^\s{]+/.exec(info)?.[0] ?? '').toLowerCase();

export function parseFenceInfo(info: string): ParsedFenceInfo {
  const read: ParsedFenceInfo = { info: {}, problems: [] };
  const words = removeSpaceAfterCommas(removeBraces(info.slice(fenceLanguage(info).length).trim()));
  const seen = new Set<string>();
  for (let at = 0; at < words.length; ) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(words);
    if (found === null) return { ...read, problems: [...read.problems, notUnderstood(words.slice(at))] };
    at = ATTRIBUTE.lastIndex;
    const name = (found[1] ?? '').toLowerCase();
    if (seen.has(name) && name !== 'accept') read.problems.push(`${name} is given twice`);
    seen.add(name);
    const setter = Object.hasOwn(SETTERS, name) ? SETTERS[name] : undefined;
    const given = found[2] ?? found[3] ?? '';
    const problem = setter === undefined ? unknownAttribute(name) : setter(read.info, unquote(given), given);
    if (problem !== null) read.problems.push(problem);
  }
  return read;
}

type Setter = (info: FenceInfo, value: string, given: string) => string | null;

const SETTERS: Readonly<Record<string, Setter>> = {
  id: (info, value) => {
    info.id = value;
    return NodeId.safeParse(value).success
      ? null
      : `id "${value}" is not a name: letters, digits, dash and underscore, starting with a letter`;
  },
  needs: (info, value) => {
    info.needs = value === 'none' ? [] : value.split(',').filter((each) => each !== '');
    return null;
  },
  timeout: (info, value) => {
    info.timeoutSeconds = parseSeconds(value);
    return info.timeoutSeconds > 0 && info.timeoutSeconds <= MAX_SECONDS
      ? null
      : `timeout "${value}" is not a time of at most 24 hours, such as 30, 5m or 2h`;
  },
  fallback: (info, value, given) => {
    info.fallback = given.startsWith('"') ? value : parseFallback(value);
    return given === '' ? 'fallback has no value; give the output to continue with' : null;
  },
  net: setNet,
  net_refused: (info, value) => {
    info.netRefused = 'ok';
    return value === 'ok' ? null : `net_refused "${value}" is not known; the only value is ok`;
  },
  key: (info, value) => {
    info.key = value;
    return IDEMPOTENCY_KEY.test(value) ? null : `key "${value}" is neither yes nor up to 200 visible characters`;
  },
  secrets: (info, value) => {
    info.secrets = value.split(',').filter((each) => each !== '');
    return info.secrets.length > 0 && info.secrets.every((name) => VARIABLE.test(name))
      ? null
      : `secrets "${value}" is not a list of names in capital letters, such as API_TOKEN`;
  },
  dir: (info, value) => {
    info.dir = value;
    return value !== '' && isRelativeInside(value) ? null : `dir "${value}" is not inside the folder of the task`;
  },
  accept: (info, value) => {
    (info.accept ??= []).push(value);
    const problem = stepAcceptanceProblem(value);
    return problem === null ? null : `accept: ${problem}`;
  },
};

function setNet(info: FenceInfo, value: string): string | null {
  if (/^(?:yes|true|on)$/i.test(value)) info.net = true;
  else if (/^(?:no|false|off)$/i.test(value)) info.net = false;
  else {
    info.net = value.split(',').filter((each) => each !== '');
    if (info.net.length === 0 || !info.net.every((host) => HOST.test(host)))
      return `net "${value}" is neither yes or no nor a list of hosts`;
  }
  return null;
}

function parseSeconds(text: string): number {
  const [, digits, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)\s*([smh])?$/i.exec(text) ?? [];
  return digits === undefined ? Number.NaN : Number(digits) * UNITS[unit.toLowerCase() as keyof typeof UNITS];
}

function parseFallback(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : text;
  } catch {
    return text;
  }
}

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text;
}

const removeBraces = (text: string): string =>
  text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).trim() : text;

const removeSpaceAfterCommas = (text: string): string =>
  text.replaceAll(/("(?:[^"\\]|\\.)*"|'[^']*')|,\s+/g, (_, quoted: string | undefined) => quoted ?? ',');

const unknownAttribute = (name: string): string =>
  `"${name}" is not known; there is: ${Object.values(FENCE_ATTRIBUTES)
    .map(({ example }) => example)
    .join(', ')}`;

const notUnderstood = (rest: string): string =>
  `"${rest.trim().slice(0, 60)}" is not understood; attributes are written like id:report. To show a block without running it, open it with \`\`\`text`;
