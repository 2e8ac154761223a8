/**
 * What models propose to remember. One note alone does not count.
 *
 * 1. A note counts when two independent tasks noted the same, unless a person said so already: then that is the fact.
 * 2. A note never counts if it gives instructions, names an address, repeats tool output, adds a name or number that is
 *    not in the task, or comes from a run that used the network.
 */
import type { Event } from '../../../../core/schema/event.ts';
import type { Json } from '../../../../core/schema/json.ts';
import type { Evidence } from '../../../../core/schema/memory.ts';
import type { Rows } from '../../../../core/schema/rows.ts';
import { isByAgent, rootOf, taskRecordOf } from '../../../../kit/learning/task-record.ts';
import { extractTerms } from '../../../../kit/text/terms.ts';
import { handleByType, type EventOf } from '../../event-handlers.ts';
import { exactTerms } from '../exact-terms.ts';
import {
  evidenceOfEvent,
  type Finding,
  mergeEvidence,
  sourceRank,
  type Rule,
  independentTasks,
} from '../fact-finding.ts';
import { inAnyLanguage } from '../languages/all-languages.ts';
import { words } from '../languages/language.ts';
import { isValid, findRelatedFacts } from '../fact-rows.ts';
import { similarityKey } from '../similarity-key.ts';
import { hasStatementForm, loosensGuards, namesAddress } from '../parse-statement.ts';
import { parseSubject } from '../fact-subject.ts';
import { topicName, chooseTopic } from '../fact-topic.ts';

const HANDLED_TYPES: ReadonlySet<Event['type']> = new Set([
  'task.received',
  'call.started',
  'call.ended',
  'egress.decided',
  'run.ended',
]);
const MAX_CHARACTERS = 400;
const MAX_RECORDED = 20_000;
const ENOUGH_TASKS = 2;
/** A note that shares this much with one output was copied from it. */
const COPIED_SHARE = 0.8;

type Noted = { bodies: string[]; evidence: Evidence[] };

export const notes: Rule = {
  name: 'notes',
  find: ({ event, text }, rows) => {
    if (event.run === null || !HANDLED_TYPES.has(event.type)) return [];
    if (event.type === 'task.received' && !isByAgent(event.data.by))
      recordTaskTerms(event.run, text(event.data.body.sha256) ?? '', rows);
    const root = rootOf(rows, event.run);
    if (event.type === 'call.started' && event.data.tool === 'memory.note') return countNote(event, root, rows);
    recordOutside(event, root, rows);
    return [];
  },
};

function countNote(event: EventOf<'call.started'>, root: string, rows: Rows): Finding[] {
  const given = event.data.input as { text?: unknown; namespace?: unknown } | null;
  const text = typeof given?.text === 'string' ? given.text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim() : '';
  const record = taskRecordOf(rows, root);
  if (record === undefined || !canCount(text) || addsNames(rows, root, text)) return [];
  if (usedNetwork(rows, root) || isCopied(rows, root, text)) return [];
  if (
    findRelatedFacts(rows, text, parseSubject(text)).some((held) => isValid(held) && sourceRank(held.fact.source) > 0)
  )
    return [];
  const key = `facts/noted/${similarityKey(text)}`;
  const known = rows.get<Noted>(key) ?? { bodies: [], evidence: [] };
  // The same task given twice is one task.
  if (known.bodies.includes(record.body)) return [];
  const all = {
    bodies: [...known.bodies, record.body].slice(-20),
    evidence: mergeEvidence(known.evidence, [evidenceOfEvent(event)]),
  };
  rows.put(key, all satisfies Noted);
  if (independentTasks(all.evidence, rows).size < ENOUGH_TASKS) return [];
  const named = typeof given?.namespace === 'string' ? topicName(given.namespace) : 'general';
  const namespace = named === 'general' || named === 'standing' ? chooseTopic({ text }) : named;
  return [{ kind: 'note', text, namespace, source: 'run', evidence: all.evidence, counted: key }];
}

/** Whether a note may count by its text (2). */
function canCount(text: string): boolean {
  if (text === '' || text.length > MAX_CHARACTERS || extractTerms(text).length < 3) return false;
  if (hasStatementForm(text)) return false;
  return !INSTRUCTION_WORDS.test(text) && !IMPERATIVE.test(text) && !loosensGuards(text) && !namesAddress(text);
}

const INSTRUCTION_WORDS = words(inAnyLanguage('instructionWords'));
/** Begins with an imperative verb, as a whole or behind a colon, a full stop or "then". */
const IMPERATIVE = new RegExp(
  `(?:^|[:;.!] +|,? (?:then|dann|puis|luego) +)(?:${inAnyLanguage('imperatives')})(?![\\p{L}\\p{N}])`,
  'iu',
);

/** Tools whose output comes from outside. */
const OUTSIDE = /^(?:http|web|mcp|browser|mail|chat)\b/;

const recordOutside = handleByType<[root: string, rows: Rows], void>({
  'call.started': ({ data }, root, rows) => {
    if (OUTSIDE.test(data.tool) || wantsNet(data.input)) rows.put(`facts/outside/${root}`, true);
  },
  'egress.decided': ({ data }, root, rows) => {
    if (data.verdict === 'allowed') rows.put(`facts/outside/${root}`, true);
  },
  'call.ended': recordOutput,
  'run.ended': ({ run }, root, rows) => {
    if (run !== root) return;
    for (const name of ['outside', 'words']) rows.put(`facts/${name}/${root}`, null);
    const heard = Array.from(rows.each(`facts/heard/${root}/`), ([key]) => key);
    for (const key of heard) rows.put(key, null);
  },
});

const wantsNet = (input: Json): boolean =>
  typeof input === 'object' &&
  input !== null &&
  !Array.isArray(input) &&
  input['net'] !== undefined &&
  input['net'] !== false;

/** Stores the terms of a tool's output while the task runs. */
function recordOutput(event: EventOf<'call.ended'>, root: string, rows: Rows): void {
  const { output, error } = event.data;
  if (output === null && error === undefined) return;
  if (taskRecordOf(rows, root) === undefined) return;
  const terms = new Set(
    extractTerms(`${JSON.stringify(output)} ${error ?? ''}`.replaceAll('\\n', ' ').slice(0, MAX_RECORDED)),
  );
  rows.put(`facts/heard/${root}/${event.seq}`, [...terms].join(' '));
}

/** Stores the terms of the task text while the task runs. */
function recordTaskTerms(run: string, body: string, rows: Rows): void {
  rows.put(`facts/words/${run}`, [...new Set(extractTerms(body.slice(0, MAX_RECORDED)))].join(' '));
}

function addsNames(rows: Rows, root: string, text: string): boolean {
  const given = new Set((rows.get<string>(`facts/words/${root}`) ?? '').split(' '));
  return exactTerms(text).some((name) => extractTerms(name).some((term) => !given.has(term)));
}

const usedNetwork = (rows: Rows, root: string): boolean => rows.get(`facts/outside/${root}`) !== undefined;

function isCopied(rows: Rows, root: string, text: string): boolean {
  const terms = [...new Set(extractTerms(text))];
  for (const [, heard] of rows.each<string>(`facts/heard/${root}/`)) {
    const known = new Set(heard.split(' '));
    if (terms.filter((term) => known.has(term)).length >= COPIED_SHARE * terms.length) return true;
  }
  return false;
}
