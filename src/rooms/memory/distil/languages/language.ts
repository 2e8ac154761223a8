/**
 * The rules of one language, as data: how people state what is to be remembered, what only resembles it, and the words
 * that mark quotations, periods, negations and subjects. Lists of words are alternatives of a regular expression.
 */

/** A phrasing in which people ask to have something remembered. */
type Form = {
  pattern: RegExp;
  /** `said` means that the kind follows from the rest of the sentence. */
  kind: 'standing' | 'preference' | 'fact' | 'said';
  /** The wording of the fact; $1 and $2 are the groups of the pattern. */
  template: string;
};

export type Language = {
  name: string;
  /** Words before a statement that add no meaning. */
  lead: string;
  please: string;
  /** The first form that fits counts. */
  forms: readonly Form[];
  /** Instructions that begin with any word and have one of `always`, `negations` or "from now on" somewhere. */
  marked: readonly Form[];
  /** Preferences that people mention anywhere in a sentence, from the beginning of a clause on. */
  remarks: readonly Form[];
  /** How people take back what they have stated; the groups are what it was about. */
  takeBacks: readonly RegExp[];
  /** A request for a text that tells others what to do: an "always" or "never" beside it may belong to that text. */
  forOthers: readonly RegExp[];
  /** What is only a step of the current task unless a "please" precedes it. */
  needsPlease: RegExp;
  /** Statements that state nothing: idioms, refusals to choose, one-time wishes, and what somebody does or supposes. */
  idle: readonly RegExp[];
  /** Standing instructions that are none: plans of the person, wishes of others, suppositions. */
  notStanding: readonly RegExp[];
  /** What concerns only the current task. */
  taskOnly: readonly RegExp[];
  /** Words such as "this", and the nouns behind them that name a period instead of something in the task. */
  demonstratives: string;
  periods: string;
  /** Statements that would loosen a guard. */
  guardLoosening: readonly RegExp[];
  /** Words that make a note an instruction, and imperatives with which one begins. */
  instructionWords: string;
  imperatives: string;
  always: string;
  fromNow: string;
  negations: string;
  /** Rewrites of negations that consist of two words, so that each counts once. */
  negationPairs: readonly (readonly [RegExp, string])[];

  /** How a line begins that is a statement of its own. */
  starts: string;
  abbreviations: string;
  /** Phrases that introduce what somebody else said. */
  reports: string;
  /** Such verbs in the form of an instruction ("always quote prices in euros"), which introduces nothing. */
  instructs: string;
  /** Verbs that introduce material to work on. */
  handles: string;
  /** Nouns for material that a person shows. */
  shows: string;
  /** Words that point at a document that follows. */
  here: string;
  /** Phrases that announce the person's own rules. */
  own: string;
  /** With which letters begin; capitals as they are written. */
  greetings: string;
  mailHeads: string;
  forwarded: string;

  until: string;
  tomorrow: string;
  today: string;
  thisWeek: string;
  thisMonth: string;
  thisYear: string;
  /** Before and after the number of "for the next 3 days". */
  forNext: readonly [string, string];
  days: string;
  weeks: string;
  months: string;
  /** From Sunday on. */
  weekdays: readonly string[];
  monthNames: readonly string[];

  choose: string;
  over: string;
  use: string;
  for: string;
  /** Prepositions before a language, a format or a unit. */
  in: string;
  values: string;
  articles: string;
  possessives: string;
  is: string;
  limits: string;
  /** Words that relate others to each other, so that their order matters. */
  relations: string;
  fillers: string;
  /** Typical words of topics. */
  topics: Readonly<Record<string, string>>;
};

/** A regular expression for whole words, also for those that begin or end with an accent. */
export const words = (alternatives: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, flags);
