/**
 * Owns: what the sender of a mail wrote, apart from what the mail quotes or forwards. Pure and linear.
 *
 * 1. Quoted and forwarded text is material, never an answer or an instruction: it was written by somebody else.
 * 2. In doubt a line counts as quoted: a line that follows a quoted one directly may be the rest of it, which a mail
 *    program has wrapped.
 */

/** Every mail of oka that can be answered contains this line; what follows it is ours. */
export const REPLY_ABOVE = '-=- Write your answer above this line -=-';

type SplitMail = {
  own: string;
  /** What was quoted or forwarded, in its order; empty when nothing was. */
  quoted: string;
};

export function splitReply(text: string): SplitMail {
  const lines = markQuoted(text);
  const own = lines.flatMap(({ line, isQuoted }) => (isQuoted ? [] : [line]));
  const quoted = lines.flatMap(({ line, isQuoted }) => (isQuoted ? [line] : []));
  return { own: withoutSignature(own).trim(), quoted: quoted.join('\n').trim() };
}

/** The text with one line in the place of each quotation, and how many lines were quoted. */
export function foldQuoted(text: string): { text: string; folded: number } {
  const shown: string[] = [];
  let folded = 0;
  const groups = groupRuns(markQuoted(text));
  for (const { lines, isQuoted } of groups) {
    const written = lines.filter((line) => line.trim() !== '').length;
    if (!isQuoted || written < LEAST_FOLDED) shown.push(...lines);
    else shown.push(`[${written} quoted lines]`);
    if (isQuoted && written >= LEAST_FOLDED) folded += written;
  }
  return {
    text: shown
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    folded,
  };
}

/** A line or two that somebody answers between are not folded: the answer would mean nothing. */
const LEAST_FOLDED = 3;

function groupRuns(marked: readonly MarkedLine[]): { lines: string[]; isQuoted: boolean }[] {
  const groups: { lines: string[]; isQuoted: boolean }[] = [];
  for (const { line, isQuoted } of marked) {
    const last = groups.at(-1);
    if (last?.isQuoted === isQuoted) last.lines.push(line);
    else groups.push({ lines: [line], isQuoted });
  }
  return groups;
}

type MarkedLine = { line: string; isQuoted: boolean };

function markQuoted(text: string): MarkedLine[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const marked: MarkedLine[] = [];
  let follows = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (startsForeignRest(lines, at))
      return [...marked, ...lines.slice(at).map((each) => ({ line: each, isQuoted: true }))];
    if (isQuotedLine(line)) follows = true;
    else if (line.trim() === '') follows = false;
    marked.push({ line, isQuoted: follows || isAttribution(lines, at) });
  }
  return marked;
}

const isQuotedLine = (line: string): boolean => /^\s{0,3}[>|｜]/.test(line);

const FORWARDED =
  /^\s*(-{2,}|_{2,})\s*(original (message|appointment)|forwarded (message|by)|ursprüngliche nachricht|weitergeleitete nachricht|message (d'origine|original|transféré)|mensaje (original|reenviado)|messaggio (originale|inoltrato))/i;
const BEGINS_FORWARD =
  /^\s*(begin forwarded message|anfang der weitergeleiteten|début du message réexpédié|inicio del mensaje reenviado)/i;
const HEADER_LINE =
  /^\s*\*?(from|von|de|da|sent|gesendet|envoyé|enviado|date|datum|fecha|data|to|an|à|para|a|subject|betreff|objet|asunto|oggetto)\*?\s?:\*?\s/i;

/** Whether everything from this line on is another mail. */
function startsForeignRest(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (line.includes(REPLY_ABOVE) || FORWARDED.test(line) || BEGINS_FORWARD.test(line)) return true;
  if (/^_{20,}\s*$/.test(line)) return HEADER_LINE.test(nextWritten(lines, at + 1));
  return HEADER_LINE.test(line) && lines.slice(at + 1, at + 3).filter((next) => HEADER_LINE.test(next)).length === 2;
}

const nextWritten = (lines: readonly string[], from: number): string =>
  lines.slice(from, from + 3).find((line) => line.trim() !== '') ?? '';

/** `On Monday, Ann wrote:` above a quotation, which mail programs wrap over up to three lines. */
function isAttribution(lines: readonly string[], at: number): boolean {
  for (let end = at; end < at + 3 && end < lines.length; end += 1) {
    const line = (lines[end] ?? '').trimEnd();
    if (line === '') return false;
    if (
      line.endsWith(':') &&
      /[@\d]/.test(lines.slice(at, end + 1).join(' ')) &&
      isQuotedLine(nextWritten(lines, end + 1))
    )
      return true;
  }
  return false;
}

/** A signature begins with a line of two dashes. */
function withoutSignature(lines: readonly string[]): string {
  const at = lines.findIndex((line) => /^--\s?$/.test(line));
  return (at === -1 ? lines : lines.slice(0, at)).join('\n').replaceAll(/\n{3,}/g, '\n\n');
}
