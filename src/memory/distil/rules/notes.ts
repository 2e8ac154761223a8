/**
 * What models propose to remember. A note alone is nothing.
 *
 * 1. It counts when two tasks that do not depend on each other noted the same, or when a person had said so: then the
 *    person's word is the fact already.
 * 2. A note that tells somebody what to do, names an address, repeats what a tool gave, brings a name or a number that is
 *    not in the task, or comes from a run that had been outside, never counts: whoever said so was not asked.
 */
import type { Event } from '../../../schema/event.ts';
import type { Json } from '../../../schema/json.ts';
import type { Evidence } from '../../../schema/memory.ts';
import type { Rows } from '../../../schema/rows.ts';
import { rootOf, taskRecordOf } from '../../task-record.ts';
import { extractTerms } from '../../text/terms.ts';
import { byType, type Of } from '../by-type.ts';
import { exactIn } from '../exact.ts';
import { evidenceIn, type Finding, joined, rankOf, type Rule, witnessesOf } from '../finding.ts';
import { FORMS, LEAD } from '../forms.ts';
import { isHeld, relatives } from '../held.ts';
import { likenessOf } from '../likeness.ts';
import { loosensGuards, namesAddress } from '../statement.ts';
import { subjectOf } from '../subject.ts';
import { topicName, topicOf } from '../topic.ts';

const CARES: ReadonlySet<Event['type']> = new Set([
  'task.received',
  'call.started',
  'call.ended',
  'egress.decided',
  'run.ended',
]);
const MOST_CHARACTERS = 400;
const MOST_HEARD = 20_000;
const ENOUGH_TASKS = 2;
/** A note of which so much stands in one output was copied from it. */
const COPIED = 0.8;

type Noted = { bodies: string[]; evidence: Evidence[] };

export const notes: Rule = {
  name: 'notes',
  find: ({ event, text }, book) => {
    if (event.run === null || !CARES.has(event.type)) return [];
    if (event.type === 'task.received') learnWords(event.run, text(event.data.body.sha256) ?? '', book);
    const root = rootOf(book, event.run);
    if (event.type === 'call.started' && event.data.tool === 'memory.note') return noted(event, root, book);
    listen(event, root, book);
    return [];
  },
};

function noted(event: Of<'call.started'>, root: string, book: Rows): Finding[] {
  const given = event.data.input as { text?: unknown; namespace?: unknown } | null;
  const text = typeof given?.text === 'string' ? given.text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim() : '';
  const record = taskRecordOf(book, root);
  if (record === undefined || !mayCount(text) || bringsNames(book, root, text)) return [];
  if (wasOutside(book, root) || isCopied(book, root, text)) return [];
  if (relatives(book, text, subjectOf(text)).some((held) => isHeld(held) && rankOf(held.fact.source) > 0)) return [];
  const key = `facts/noted/${likenessOf(text)}`;
  const known = book.get<Noted>(key) ?? { bodies: [], evidence: [] };
  // The same task given twice is one task.
  if (known.bodies.includes(record.body)) return [];
  const all = {
    bodies: [...known.bodies, record.body].slice(-20),
    evidence: joined(known.evidence, [evidenceIn(event)]),
  };
  book.put(key, all satisfies Noted);
  if (witnessesOf(all.evidence, book).size < ENOUGH_TASKS) return [];
  const named = typeof given?.namespace === 'string' ? topicName(given.namespace) : 'general';
  const namespace = named === 'general' || named === 'standing' ? topicOf({ text }) : named;
  return [{ kind: 'note', text, namespace, source: 'run', evidence: all.evidence, counted: key }];
}

/** 2. */
function mayCount(text: string): boolean {
  if (text === '' || text.length > MOST_CHARACTERS || extractTerms(text).length < 3) return false;
  if (FORMS.some(({ pattern }) => pattern.test(text.replace(LEAD, '')))) return false;
  return !TELLS.test(text) && !ORDERS.test(text) && !loosensGuards(text) && !namesAddress(text);
}

const TELLS =
  /\b(?:always|never|must|should|shall|ought|have to|need to|please|remember|from now on|instruct\w*|you|your|assistant|prefers?|wants?|expects?|asked|said|told|ignore|immer|niemals|nie|muss|soll|sollte|bitte)\b/i;
/** Begins with a verb that orders. */
const ORDERS =
  /^(?:do|don['’]t|use|send|e-?mail|mail|forward|upload|download|post|copy|delete|remove|install|run|execute|open|visit|click|call|transfer|pay|share|add|include|write|reply|contact|notify|approve|allow|trust|fetch|curl|note|keep|make|ensure|sende?|schicke?|lösche?|überweise)\b/i;

/** Tools whose words come from outside. */
const OUTSIDE = /^(?:http|web|mcp|browser|mail|chat)\b/;

const listen = byType<[root: string, book: Rows], void>({
  'call.started': ({ data }, root, book) => {
    if (OUTSIDE.test(data.tool) || wantsNet(data.input)) book.put(`facts/outside/${root}`, true);
  },
  'egress.decided': ({ data }, root, book) => {
    if (data.verdict === 'allowed') book.put(`facts/outside/${root}`, true);
  },
  'call.ended': hear,
  'run.ended': ({ run }, root, book) => {
    if (run !== root) return;
    for (const name of ['outside', 'words']) book.put(`facts/${name}/${root}`, null);
    const heard = Array.from(book.each(`facts/heard/${root}/`), ([key]) => key);
    for (const key of heard) book.put(key, null);
  },
});

const wantsNet = (input: Json): boolean =>
  typeof input === 'object' &&
  input !== null &&
  !Array.isArray(input) &&
  input['net'] !== undefined &&
  input['net'] !== false;

/** The terms of what a tool gave, as long as the task runs. */
function hear(event: Of<'call.ended'>, root: string, book: Rows): void {
  const { output, error } = event.data;
  if (output === null && error === undefined) return;
  if (taskRecordOf(book, root) === undefined) return;
  const terms = new Set(
    extractTerms(`${JSON.stringify(output)} ${error ?? ''}`.replaceAll('\\n', ' ').slice(0, MOST_HEARD)),
  );
  book.put(`facts/heard/${root}/${event.seq}`, [...terms].join(' '));
}

/** What a person wrote in the task, as long as it runs. */
function learnWords(run: string, body: string, book: Rows): void {
  book.put(`facts/words/${run}`, [...new Set(extractTerms(body.slice(0, MOST_HEARD)))].join(' '));
}

function bringsNames(book: Rows, root: string, text: string): boolean {
  const given = new Set((book.get<string>(`facts/words/${root}`) ?? '').split(' '));
  return exactIn(text).some((name) => extractTerms(name).some((term) => !given.has(term)));
}

const wasOutside = (book: Rows, root: string): boolean => book.get(`facts/outside/${root}`) !== undefined;

function isCopied(book: Rows, root: string, text: string): boolean {
  const terms = [...new Set(extractTerms(text))];
  for (const [, heard] of book.each<string>(`facts/heard/${root}/`)) {
    const known = new Set(heard.split(' '));
    if (terms.filter((term) => known.has(term)).length >= COPIED * terms.length) return true;
  }
  return false;
}
