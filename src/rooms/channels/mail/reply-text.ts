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
  const own: string[] = [];
  const quoted: string[] = [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  let follows = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (startsForeignRest(lines, at)) {
      quoted.push(...lines.slice(at));
      break;
    }
    if (isQuotedLine(line)) follows = true;
    else if (line.trim() === '') follows = false;
    if (follows || isAttribution(lines, at)) quoted.push(line);
    else own.push(line);
  }
  return { own: withoutSignature(own).trim(), quoted: quoted.join('\n').trim() };
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
