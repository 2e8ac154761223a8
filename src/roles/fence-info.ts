/** Owns: parsing the attributes after the opening of a fence, such as ```bash id:report needs:fetch,clean timeout:30 */
import { isJson, type Json } from '../schema/json.ts';
import { NodeId } from '../schema/names.ts';
import { isRelativeInside } from './glob.ts';
import { stepAcceptanceProblem } from './step-acceptance.ts';

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
  /** Working directory, inside the folder of the task. */
  dir?: string;
  /** Checks that must pass for the step to count as done. */
  accept?: string[];
};

export type ParsedFenceInfo = { info: FenceInfo; problems: string[] };

/** Attributes with an example each; used by the help text and the error messages. */
export const FENCE_ATTRIBUTES: Readonly<Record<string, string>> = {
  id: 'id:report',
  needs: 'needs:fetch,clean (or needs:none)',
  timeout: 'timeout:30, timeout:5m or timeout:2h',
  fallback: 'fallback:"no data"',
  net: 'net:yes or net:api.example.org',
  net_refused: 'net_refused:ok',
  dir: 'dir:site',
  accept: 'accept:"file: report.md" (once for each check)',
};

const MAX_SECONDS = 86_400;
const UNITS = { s: 1, m: 60, h: 3600 } as const;
const VALUE = String.raw`("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']\S*)`;
/** A value directly after the sign, or after a space unless the next attribute starts there. */
const ATTRIBUTE = RegExp(
  String.raw`\s*([A-Za-z][\w-]*)[ \t]*[:=](?:${VALUE}|[ \t]+(?![A-Za-z][\w-]*[ \t]*[:=])${VALUE})?`,
  'y',
);
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
  `"${name}" is not known; there is: ${Object.values(FENCE_ATTRIBUTES).join(', ')}`;

const notUnderstood = (rest: string): string =>
  `"${rest.trim().slice(0, 60)}" is not understood; attributes are written like ${FENCE_ATTRIBUTES['id']}. To show a block without running it, open it with \`\`\`text`;
