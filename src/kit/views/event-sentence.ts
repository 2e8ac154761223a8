/** Describes an event in one sentence: one entry for each event type. */
import { summarizeApproval } from '../../core/guard/approval-summary.ts';
import type { Event, EventType } from '../../core/schema/event.ts';
import type { ProcedureChoice } from '../../core/schema/procedure.ts';
import type { Usage } from '../../core/schema/effect.ts';
import type { RunLink } from '../../core/schema/run.ts';
import type { WaitAnswer, WaitFor } from '../../core/schema/wait.ts';
import { bytes, count, plainText } from '../../core/schema/readable-text.ts';

export function describeEvent({ type, data }: Event): string {
  const describe = SENTENCES[type] as ((data: Event['data']) => string) | undefined;
  return plainText(describe === undefined ? `${type}: ${JSON.stringify(data)}` : describe(data));
}

const ORDERS: Readonly<Record<DataOf<'fleet.ordered'>['order'], (by: string) => string>> = {
  stop: (by) => `The fleet was stopped at ${by}`,
  resume: (by) => `The fleet goes on, as ordered at ${by}`,
  drain: (by) => `Takes nothing new from the fleet, as ordered at ${by}`,
  work: (by) => `Takes tasks of the fleet again, as ordered at ${by}`,
};

type DataOf<T extends EventType> = Extract<Event, { type: T }>['data'];

/** An event type without an entry is shown as its data. */
const SENTENCES: { readonly [T in EventType]?: (data: DataOf<T>) => string } = {
  'ledger.repaired': ({ bytes: cut, kept }) => `Cut a torn end of ${bytes(cut)} off; saved in ${kept}`,
  'ledger.rolled_back': ({ missing, found }) =>
    missing > 0
      ? `A person accepted that ${count(missing, 'event')} behind event ${found.seq} ${missing === 1 ? 'is' : 'are'} missing`
      : `A person accepted that the history up to event ${found.seq} is another one`,
  'ledger.damage_found': ({ seq, runs }) =>
    `Found damage in an older event, ${seq}${runs.length === 0 ? '' : `; paused ${runs.join(', ')}`}`,
  'ledger.disk_full': ({ refused }) => `Paused: the disk is full (${count(refused, 'event')} refused)`,
  'ledger.disk_freed': () => 'There is disk space again',
  'ledger.archived': ({ first, last }) => `Moved events ${first} to ${last} into the archive`,
  'worker.started': ({ version, pid, host }) => `Worker ${version} started as process ${pid} on ${host}`,
  'worker.stopped': ({ reason }) => `Worker stopped: ${reason}`,
  'intake.received': ({ intake, id }) =>
    `Was asked to ${intake.kind}${intake.kind === 'undo' && intake.dry_run === true ? ', as a preview' : ''} (${id})`,
  'intake.rejected': ({ name, reason }) => `Rejected ${name}: ${reason}`,
  'task.received': ({ name, notes = [] }) => [`Received the task ${name}`, ...notes].join('; '),
  'task.rejected': ({ name, reason }) => `Rejected ${name}: ${reason}`,
  'slot.came': ({ job, slot, how, reason }) =>
    `${job.includes('/') ? `Schedule ${job.split('/')[1]}` : `Maintenance (${job})`} due at ${slot}: ${how.replace('_', ' ')}, ${reason}`,
  'schedule.changed': ({ schedule, change, reason }) =>
    schedule === null ? `The clock of schedules is ${change}: ${reason}` : `Schedule ${schedule}: ${change}, ${reason}`,

  'fleet.joined': ({ member, runs }) => `Joined the fleet of ${runs.name} as ${member}`,
  'fleet.ordered': ({ order, by }) => ORDERS[order](by),
  'task.sent': ({ needs }) => `Given to the fleet${needs.length === 0 ? '' : `; needs ${needs.join(', ')}`}`,
  'task.asked': ({ worker, waits: [first] }) =>
    first === undefined ? `Nothing is asked at ${worker} any more` : `${worker} waits for ${describeWait(first.for)}`,
  'task.returned': ({ worker, status }) => `Came back from ${worker}: ${status}`,
  'run.claimed': ({ worker, epoch, from }) =>
    `${worker} owns it${from === undefined ? '' : `; taken over from ${from.worker}`} (epoch ${epoch})`,
  'run.fenced': ({ by, epoch }) => `Lost to ${by ?? 'another member'}; epoch ${epoch} is over`,

  'run.started': ({ title }) => `Began: ${title}`,
  'run.planned': ({ nodes, reason }) => `Planned ${count(nodes.length, 'step')}: ${reason}`,
  'run.moved': ({ from, to, reason }) => `Went from ${from} to ${to}: ${reason}`,
  'run.paused': ({ reason }) => `Paused: ${reason}`,
  'run.resumed': ({ reason }) => `Resumed: ${reason}`,
  'run.time_skipped': ({ ms, why }) => `${Math.round(ms / 1000)} s on the clock do not count: ${SKIPPED[why]}`,
  'run.judged': ({ verdict, criteria }) =>
    `Judged ${verdict}: ${criteria.filter(({ holds }) => holds).length} of ${criteria.length} criteria are met`,
  'run.ended': ({ status, reason }) => `Ended, ${status}: ${reason}`,
  'note.received': ({ text, stop_after_step: stops }) =>
    `Note${text === '' ? '' : `: ${text}`}${stops === true ? ' (stop after this step)' : ''}`,
  'run.corrected': ({ by, text }) => `Corrected by ${by}: ${text}`,
  'run.undone': ({ restored, kept }) =>
    `Undone: ${count(restored.length, 'file')} restored, ${count(kept.length, 'file')} left as people changed them`,
  'runs.marked': ({ runs, archived, pinned }) =>
    [
      ...(archived === undefined ? [] : [archived ? 'Archived' : 'Unarchived']),
      ...(pinned === undefined ? [] : [pinned ? 'Pinned' : 'Unpinned']),
    ].join(' and ') + ` ${runs.length === 1 ? (runs[0] ?? '') : count(runs.length, 'run')}`,
  'chat.opened': ({ name, fork }) => `Opened the conversation ${name}${fork === undefined ? '' : ', as a fork'}`,
  'chat.changed': ({ conversation, name, pinned, pin, ttl }) =>
    [
      `Conversation ${conversation}`,
      ...(name === undefined ? [] : [`is called ${name} now`]),
      ...(pinned === undefined ? [] : [pinned ? 'was pinned' : 'was unpinned']),
      ...(pin === undefined ? [] : [`has message ${pin.message} ${pin.pinned ? 'pinned' : 'unpinned'}`]),
      ...(ttl === undefined ? [] : [ttl === null ? 'never expires' : `expires after ${ttl} s`]),
    ].join(' '),
  'chat.joined': ({ agent, conversation }) => `${agent} joined the conversation ${conversation}`,
  'message.posted': ({ from, content, status }) =>
    `${from}${status === undefined || status === 'done' ? '' : ` (${status})`}: ${content}`,
  'notice.queued': ({ agent, message, depth }) =>
    `Asked ${agent} to answer message ${message}${depth === 0 ? '' : ` (forward ${depth})`}`,
  'notice.taken': ({ notice }) => `Began to answer ${notice}`,
  'notice.dropped': ({ notice, reason }) => `Does not answer ${notice}: ${reason}`,
  'chat.paused': ({ conversation }) => `Paused the conversation ${conversation}`,
  'chat.resumed': ({ conversation }) => `Resumed the conversation ${conversation}`,
  'chat.expired': ({ messages, conversation, why }) =>
    `${why === 'ttl' ? 'Expired' : 'Cleared'} ${count(messages, 'message')} of the conversation ${conversation}`,
  'chat.deleted': ({ conversation }) => `Deleted the conversation ${conversation}`,
  'node.settled': ({ node, status, reason }) => `${node} is ${status}: ${reason}`,
  'error.handled': ({ node, by, action, reason }) => `${node}: ${action} after an error, decided by a ${by}: ${reason}`,
  'decision.made': ({ node, decision }) => `${node} decided ${decision.kind}: ${decision.rationale}`,
  'decision.rejected': ({ node, reason }) => `${node}: an answer was not accepted: ${reason}`,
  'wait.opened': ({ for: wait }) => `Waits for ${describeWait(wait)}`,
  'wait.closed': ({ wait, answer: { verdict, by } }) =>
    `${wait} ${VERDICTS[verdict]}${by === undefined ? '' : ` by ${by}`}`,
  'answer.refused': ({ wait, reason }) => `An answer to ${wait} was not accepted: ${reason}`,

  'call.started': ({ node, tool, class: effect, judged, repeats }) =>
    `${node ?? 'oka'} ${repeats === true ? 'repeats' : 'calls'} ${tool} (${judged ?? effect})`,
  'call.ended': ({ node, status, usage, error, retried }) =>
    `${node ?? 'oka'}: ${status}${retried === true ? ' and is repeated' : ''}${tokenNote(usage)}${error === undefined ? '' : `, ${error}`}`,
  'state.written': ({ namespace, key, deleted, by }) =>
    `${deleted === true ? 'Removed' : 'Changed'} the state "${key}" of ${namespace}, by ${by}`,
  'graph.saved': ({ graph, version, cause }) =>
    `Saved version ${version.slice(0, 12)} of the graph ${graph} (${cause.replace('_', ' ')})`,
  'call.misclassified': ({ node, class: effect, reason }) =>
    `${node ?? 'oka'} tried more than ${effect} allows: ${reason}`,
  'desk.awaited': ({ call, behind }) => `${call} waits for the desk${behind === null ? '' : `, behind ${behind}`}`,
  'desk.kept': ({ when, call }) => `Saved the desk as it was ${when} ${call}`,
  'policy.loaded': ({ sha256, rules }) => `Policy ${sha256.slice(0, 12)} is active (${count(rules, 'rule')})`,
  'budget.low': ({ of, limit, spent }) => `Most of the budget of the day is spent: ${spent} of ${limit} ${of}`,
  'budget.reserved': ({ call, usd, tokens }) =>
    `Reserved ${usd.toFixed(4)} USD and ${count(tokens, 'token')} of the day's budget for ${call}`,
  'sandbox.chosen': ({ kind, reason }) =>
    `Commands run ${kind === 'jail' ? 'in the sandbox' : 'without a sandbox'}: ${reason}`,
  'egress.decided': ({ verdict, host, port, reason }) =>
    `${verdict === 'allowed' ? 'Let a command reach' : 'Refused a command access to'} ${host}:${port}: ${reason}`,
  'secret.changed': ({ name, change, version }) => `Secret ${name} was ${change} (version ${version})`,
  'secret.used': ({ name, version, tool, host }) =>
    `Secret ${name} (version ${version}) was given to ${tool}${host === null ? '' : ` for ${host}`}`,

  'dependency.installed': ({ name, version, by, bytes: size, from, why }) =>
    `Installed ${name} ${version} (${by}, ${bytes(size)}) from ${from}: ${why}`,
  'dependency.removed': ({ name, version, by, reason }) => `Removed ${name} ${version} (${by}): ${reason}`,
  'requirement.opened': ({ requirement: { name, reason } }) => `Needs ${name} from you: ${reason}`,
  'requirement.resolved': ({ name, by, seen }) => `${name} is there (reported by ${by}): ${seen}`,
  'requirement.reopened': ({ name, by, reason }) => `${name} is still missing, although ${by} reported it: ${reason}`,

  'fact.kept': ({ namespace, text, from }) =>
    `Remembers (${namespace}${from === undefined ? '' : `, shared by ${from}`}): ${text}`,
  'fact.reworded': ({ fact, text }) => `Reworded fact ${fact}: ${text}`,
  'fact.forgotten': ({ facts, why }) => `Forgot ${count(facts.length, 'fact')}, ${why}: ${facts.join(', ')}`,
  'episode.imported': ({ episode: { who, text } }) => `Imported what ${who} said elsewhere: ${text}`,
  'context.packed': ({ role, items, tokens, cap }) =>
    `Gave the ${role} ${count(items.length, 'memory item')} (${count(tokens, 'token')} of ${cap})`,
  'procedure.drafted': ({ procedure: { title, id, version, from } }) =>
    `Drafted a procedure${from === undefined ? '' : ` that ${from} shares`}: ${title} (${id}, version ${version})`,
  'procedure.shared': ({ member, id, procedure }) =>
    procedure === null ? `${member} no longer shares the procedure ${id}` : `${member} shares a procedure: ${id}`,
  'procedure.moved': ({ procedure, to, forced, reason }) =>
    `Procedure ${procedure} is ${to}${forced ? ' by force' : ''}: ${reason}`,
  'procedure.chosen': ({ procedure, arm, reason }) => `Procedure ${procedure} ${ARMS[arm]}: ${reason}`,
  'page.edited': ({ page }) => `A person edited ${page}`,
  'change.undone': ({ change, reason }) => `Undid change ${change}: ${reason}`,
  'storage.tidied': ({ artifacts, outbox, tools, bytes: freed }) =>
    `Tidied up: ${count(artifacts, 'artifact')}, ${count(outbox.length, 'result')} and ${count(tools.length, 'old tool')} removed (${bytes(freed)})`,
  'delivery.started': ({ channel, title, attempt, act }) =>
    `${act === 'close' ? 'Closes a message' : 'Sends a message'} through ${channel}${attempt > 1 ? ` (attempt ${attempt})` : ''}: ${title}`,
  'delivery.ended': ({ channel, status, reason }) =>
    `Message through ${channel}: ${status}${reason === undefined ? '' : `, ${reason}`}`,
  'channel.received': ({ channel, became, reason }) =>
    `Received ${became === 'nothing' ? 'a message that was not accepted' : became === 'task' ? 'a task' : became === 'message' ? 'a message' : 'an answer'} through ${channel}: ${reason}`,
  'channel.paired': ({ channel, name, change, reason }) =>
    `${channel} ${change === 'added' ? 'listens' : 'no longer listens'} to ${name}: ${reason}`,
  'channel.subscribed': ({ change, about, host, reason }) =>
    `Push to ${about} (${host}) ${change === 'added' ? 'begins' : 'ends'}: ${reason}`,
};

/** How a wait ended, as the predicate of a sentence about it. */
const SKIPPED: Record<DataOf<'run.time_skipped'>['why'], string> = {
  clock: 'it was set, or the machine slept',
  down: 'no worker drove the run',
  desk: 'it waited for its turn on the desk',
};

const VERDICTS: Record<WaitAnswer['verdict'], string> = {
  approved: 'was approved',
  denied: 'was denied',
  answered: 'was answered',
  elapsed: 'has elapsed',
  arrived: 'was noticed to be there',
  expired: 'has expired',
  cancelled: 'was cancelled',
};

const ARMS: Record<ProcedureChoice['arm'], string> = {
  used: 'made the plan',
  trial: 'made the plan, as a trial',
  held_back: 'was not used, for comparison',
  offered: 'was shown to the planner',
};

function tokenNote({ tokens_in = 0, tokens_out = 0 }: Usage = {}): string {
  return tokens_in + tokens_out === 0 ? '' : ` (${count(tokens_in + tokens_out, 'token')})`;
}

export function describeWait(wait: WaitFor): string {
  switch (wait.kind) {
    case 'approval':
      return `your approval: ${summarizeApproval(wait)}`;
    case 'question':
      return `your answer: ${wait.text}`;
    case 'timer':
      return wait.why === undefined ? wait.until : `${wait.why} Next try at ${wait.until.slice(11, 19)} UTC.`;
    case 'child':
      return `run ${wait.run}`;
    case 'turn':
      return `its turn: at most ${count(wait.at_once, 'run')} of ${wait.key} at once`;
    case 'requirement':
      return wait.need === undefined ? wait.name : `${wait.name} to be installed`;
    case 'message':
      return `a reply in ${wait.thread}`;
  }
}

/** What a person can do about a wait. */
export function answerHint(awaited: WaitFor, wait: string): string {
  const { kind } = awaited;
  if (kind === 'approval') return `oka approve ${wait}   (or deny)`;
  if (kind === 'question' || kind === 'message') return `oka answer ${wait} "…"`;
  if (kind !== 'requirement') return 'this ends by itself';
  return awaited.need === undefined
    ? 'continues when that is there'
    : `${resolveCommand(awaited.name)}   (once it is there; oka requirements says how to get it)`;
}

/** The command that has a requirement checked again; runs that wait for it then go on. */
export const resolveCommand = (name: string): string =>
  `oka requirements resolve ${/^[\w.+@/:-]+$/.test(name) ? name : JSON.stringify(name)}`;

/** How a run follows another one, such as "resumes run r1". */
export function describeLink({ kind, run, node }: RunLink): string {
  const from = node === undefined ? '' : ` from ${node} on`;
  switch (kind) {
    case 'replay':
      return `replays run ${run}${from}`;
    case 'resume':
      return `resumes run ${run}`;
    case 'fork':
      return `forks run ${run}${node === undefined ? '' : ` at ${node}`}`;
  }
}
