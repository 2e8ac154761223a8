/** What a person sees on a terminal, without what differs from one machine or moment to the next. */
export function screenText(text: string, dir: string): string {
  return text
    .replaceAll(dir, '~/oka')
    .replaceAll(/^oka runs as root.*\n/gm, '')
    .replaceAll(/^ +verified up to event .*\n/gm, '') // the worker checks the ledger now and then
    .replaceAll(/(?<=-)[0-9a-f]{8}\b/g, '########')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?: UTC)?/g, 'TIME')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, 'TIME')
    .replaceAll(/(?<=; there are ).*/g, 'ALL FIELDS')
    .replaceAll(/process \d+ on \S+/g, 'process 4711 on host')
    .replaceAll(/\b[\d.]+ (?:ms|s)\b/g, '0 s')
    .replaceAll(/\bhead [0-9a-f]{12}/g, 'head ############')
    .replaceAll(/\b[\d.,]+ (?:[KMGT]B|events?)\b/g, 'N')
    .replaceAll(/\b(?:event|ledger) \d+(?: to \d+)?/g, 'event N');
}

/** RESULT.md, without what differs from one machine or moment to the next. */
export function pageText(page: string): string {
  return page
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[^\d\n]+\d\d:\d\d:\d\d)? UTC/g, 'TIME') // in any language
    .replaceAll(/\b[\d.,]+ m?s\b/g, '0 s')
    .replaceAll(/\b\d+ (\S+) \d+(?=\s?: `oka show)/g, '1 $1 9')
    .replaceAll(/^⚠️ .*sandbox.*\n\n/gm, '');
}
