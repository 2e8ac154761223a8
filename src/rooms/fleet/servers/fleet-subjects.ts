/**
 * Owns: the names of the streams and buckets of a fleet, and the subjects in them.
 *
 * S1 The last part of a subject is the member that publishes there, so that the permissions of the servers can hold a member
 *    to its own subjects. Readers take the member from the subject, not from the message.
 */
export const RUNS = 'OKA_RUNS';
export const TASKS = 'OKA_TASKS';
export const RESULTS = 'OKA_RESULTS';
export const SHARED = 'OKA_SHARED';
export const FILES = 'oka_files';
export const MEMBERS = 'oka_members';
export const ORDERS = 'oka_orders';
export const MEMORY = 'oka_memory';
/** The streams behind the buckets. */
export const FILES_STREAM = `OBJ_${FILES}`;
export const ORDERS_STREAM = `KV_${ORDERS}`;
export const MEMBERS_STREAM = `KV_${MEMBERS}`;
export const MEMORY_STREAM = `KV_${MEMORY}`;

/** A run has subjects of its own: the fence counts on their last sequence. */
export const runSubject = (run: string, member: string): string => `oka.run.${toToken(run)}.${toToken(member)}`;
export const runSubjects = (run: string): string => `oka.run.${toToken(run)}.*`;
export const resultSubject = (home: string, member: string): string => `oka.result.${toToken(home)}.${toToken(member)}`;
export const resultSubjects = (home: string): string => `oka.result.${toToken(home)}.*`;
export const taskSubject = (queue: string, member: string): string => `oka.task.${queue}.${toToken(member)}`;
export const taskSubjects = (queue: string): string => `oka.task.${queue}.*`;
/** Every member may change every shared value. A key may have several parts, separated by dots. */
export const sharedSubject = (key: string): string => `oka.shared.${key}`;

/** Who published on a subject (S1). */
export const publisherOf = (subject: string): string => fromToken(subject.slice(subject.lastIndexOf('.') + 1));

/** Dots separate the parts of a subject, so that a name with dots needs others. */
export const toToken = (name: string): string => name.replaceAll('.', '=');

export const fromToken = (token: string): string => token.replaceAll('=', '.');
