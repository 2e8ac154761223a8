/**
 * Owns: searching a text for a regular expression that a task or a model wrote.
 *
 * P1 The time grows with the length of the text and never faster (re2js follows all alternatives at once), and a search
 *    that would take more than about a second is refused.
 * P2 The syntax is that of JavaScript with flag u, without back references and lookaround. What re2js would read
 *    differently is refused or translated here; nothing silently means something else.
 * P3 A line may end in \n, \r\n or \r; the pattern always sees \n, unless it names \r itself.
 */
import { RE2JS, RE2JSException } from 're2js';
import { messageOf } from './errors.ts';

export type Pattern = { regex: RE2JS; namesReturn: boolean };

/** Either what was found, with the text whose offsets `end` counts, or why there is nothing. */
type Match = { kind: 'found'; text: string; end: number } | { kind: 'none' } | { kind: 'too long' };

/** Instructions of the compiled pattern times characters of the text; about a second of work. */
const MAX_WORK = 40_000_000;
const MAX_INSTRUCTIONS = 2000;
const MAX_SOURCE = 1000;
/** How re2js names the group that it refuses. */
const LOOKAROUND = /: `\(\?<?[=!]/;
const FLAGS = /^[imsug]*$/;
const BACK_REFERENCE = /^(?:[^\\]|\\[^1-9k])*\\[1-9k]/;

/** The compiled pattern, or why it cannot be used. */
export function compilePattern(source: string, flags = ''): Pattern | { problem: string } {
  if (!FLAGS.test(flags)) return { problem: `the flags "${flags}" are not i, m or s` };
  if (source.length > MAX_SOURCE) return { problem: `the pattern is too large (more than ${MAX_SOURCE} characters)` };
  try {
    const native = new RegExp(source, `u${flags.replaceAll(/[^ims]/g, '')}`);
    if (BACK_REFERENCE.test(source)) return { problem: 'back references, such as \\1, are not supported' };
    const regex = RE2JS.compile(withUnicodeSpaces(RE2JS.translateRegExp(native)));
    if (regex.programSize() > MAX_INSTRUCTIONS)
      return { problem: `the pattern is too large (more than ${MAX_INSTRUCTIONS} instructions)` };
    return { regex, namesReturn: /\\r|\r/.test(source) };
  } catch (error) {
    if (error instanceof RE2JSException && LOOKAROUND.test(error.message))
      return { problem: 'lookahead and lookbehind are not supported' };
    if (error instanceof SyntaxError || error instanceof RE2JSException) return { problem: messageOf(error) };
    throw error;
  }
}

export function searchPattern({ regex, namesReturn }: Pattern, content: string): Match {
  if (content.length * regex.programSize() > MAX_WORK) return { kind: 'too long' };
  const text = namesReturn ? content : content.replaceAll(/\r\n?/g, '\n');
  const matcher = regex.matcher(text);
  return matcher.find() ? { kind: 'found', text, end: matcher.end() } : { kind: 'none' };
}

/** JavaScript's \s includes all Unicode spaces, that of re2js only those of ASCII. */
function withUnicodeSpaces(source: string): string {
  let inClass = false;
  return source.replaceAll(/\\[^]|[[\]]/g, (token) => {
    if (token === '[' || token === ']') inClass = token === '[';
    if (token === '\\s') return inClass ? SPACES : `[${SPACES}]`;
    return token === '\\S' && !inClass ? `[^${SPACES}]` : token;
  });
}

const SPACES = String.raw`\t-\r\pZ\x{feff}`;
