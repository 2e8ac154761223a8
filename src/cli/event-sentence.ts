/** One event as a sentence. */
import type { Event } from '../schema/event.ts';
import type { ProcedureChoice } from '../schema/procedure.ts';
import type { Usage } from '../schema/effect.ts';
import type { WaitFor } from '../schema/wait.ts';
import { bytes, count, plainText } from './plain-text.ts';

export function describeEvent(event: Event): string {
  return plainText(sentence(event));
}

function sentence(event: Event): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a new type is described as data until it has a sentence
  switch (event.type) {
    case 'ledger.repaired':
      return `Cut a torn end of ${bytes(event.data.bytes)} off; saved in ${event.data.kept}`;
    case 'ledger.disk_full':
      return `Paused: the disk is full (${count(event.data.refused, 'event')} refused)`;
    case 'ledger.disk_freed':
      return 'There is disk space again';
    case 'ledger.archived':
      return `Moved events ${event.data.first} to ${event.data.last} into the archive`;
    case 'worker.started':
      return `Worker ${event.data.version} started as process ${event.data.pid} on ${event.data.host}`;
    case 'worker.stopped':
      return `Worker stopped: ${event.data.reason}`;
    case 'intake.received':
      return `Was asked to ${event.data.intake.kind} (${event.data.id})`;
    case 'intake.rejected':
      return `Rejected ${event.data.name}: ${event.data.reason}`;
    case 'run.started':
      return `Began: ${event.data.title}`;
    case 'run.planned':
      return `Planned ${count(event.data.nodes.length, 'step')}: ${event.data.reason}`;
    case 'run.moved':
      return `Went from ${event.data.from} to ${event.data.to}: ${event.data.reason}`;
    case 'run.paused':
      return `Paused: ${event.data.reason}`;
    case 'run.resumed':
      return `Goes on: ${event.data.reason}`;
    case 'run.time_skipped':
      return `${Math.round(event.data.ms / 1000)} s on the clock do not count: ${event.data.why === 'clock' ? 'it was set, or the machine slept' : 'no worker drove the run'}`;
    case 'run.ended':
      return `Ended, ${event.data.status}: ${event.data.reason}`;
    case 'node.settled':
      return `${event.data.node} is ${event.data.status}: ${event.data.reason}`;
    case 'decision.made':
      return `${event.data.node} decided ${event.data.decision.kind}: ${event.data.decision.rationale}`;
    case 'decision.rejected':
      return `${event.data.node}: an answer was not accepted: ${event.data.reason}`;
    case 'call.started':
      return `${event.data.node ?? 'oka'} calls ${event.data.tool} (${event.data.class})${event.data.attempt > 1 ? `, attempt ${event.data.attempt}` : ''}`;
    case 'call.ended':
      return `${event.data.node ?? 'oka'}: ${event.data.status}${tokenNote(event.data.usage)}${event.data.error === undefined ? '' : `, ${event.data.error}`}`;
    case 'wait.opened':
      return `Waits for ${describeWait(event.data.for)}`;
    case 'wait.closed':
      return `${event.data.wait} was ${event.data.answer.verdict}${event.data.answer.by === undefined ? '' : ` by ${event.data.answer.by}`}`;
    case 'call.misclassified':
      return `${event.data.node ?? 'oka'} tried more than ${event.data.class} allows: ${event.data.reason}`;
    case 'answer.refused':
      return `An answer to ${event.data.wait} was not accepted: ${event.data.reason}`;
    case 'policy.loaded':
      return `Policy ${event.data.sha256.slice(0, 12)} is active (${count(event.data.rules, 'rule')})`;
    case 'sandbox.chosen':
      return `Commands run ${event.data.kind === 'jail' ? 'in the sandbox' : 'without a sandbox'}: ${event.data.reason}`;
    case 'egress.decided':
      return `${event.data.verdict === 'allowed' ? 'Let a command reach' : 'Refused a command access to'} ${event.data.host}:${event.data.port}: ${event.data.reason}`;
    case 'secret.changed':
      return `Secret ${event.data.name} was ${event.data.change} (version ${event.data.version})`;
    case 'secret.used':
      return `Secret ${event.data.name} (version ${event.data.version}) was given to ${event.data.tool}${event.data.host === null ? '' : ` for ${event.data.host}`}`;
    case 'task.received':
      return [`Received the task ${event.data.name}`, ...(event.data.notes ?? [])].join('; ');
    case 'task.rejected':
      return `Rejected ${event.data.name}: ${event.data.reason}`;
    case 'run.judged':
      return `Judged ${event.data.verdict}: ${event.data.criteria.filter(({ holds }) => holds).length} of ${event.data.criteria.length} criteria are met`;
    case 'desk.kept':
      return `Saved the desk as it was ${event.data.when} ${event.data.call}`;
    case 'run.corrected':
      return `Corrected by ${event.data.by}: ${event.data.text}`;
    case 'fact.kept':
      return `Remembers (${event.data.namespace}): ${event.data.text}`;
    case 'fact.forgotten':
      return `Forgot ${count(event.data.facts.length, 'fact')}, ${event.data.why}: ${event.data.facts.join(', ')}`;
    case 'episode.imported':
      return `Imported what ${event.data.episode.who} said elsewhere: ${event.data.episode.text}`;
    case 'context.packed':
      return `Gave the ${event.data.role} ${count(event.data.items.length, 'thing')} it remembers (${count(event.data.tokens, 'token')} of ${event.data.cap})`;
    case 'run.undone':
      return `Undone: ${count(event.data.restored.length, 'file')} restored, ${count(event.data.kept.length, 'file')} left as people changed them`;
    case 'dependency.installed':
      return `Installed ${event.data.name} ${event.data.version} (${event.data.by}, ${bytes(event.data.bytes)}) from ${event.data.from}: ${event.data.why}`;
    case 'dependency.removed':
      return `Removed ${event.data.name} ${event.data.version} (${event.data.by}): ${event.data.reason}`;
    case 'requirement.opened':
      return `Needs ${event.data.requirement.name} from you: ${event.data.requirement.reason}`;
    case 'requirement.resolved':
      return `${event.data.name} is there (${event.data.by} said so): ${event.data.seen}`;
    case 'requirement.reopened':
      return `${event.data.name} is still missing (${event.data.by} said it was there): ${event.data.reason}`;
    case 'slot.came':
      return `Maintenance (${event.data.job}) due at ${event.data.slot}: ${event.data.how}, ${event.data.reason}`;
    case 'procedure.drafted':
      return `Drafted a procedure: ${event.data.procedure.title} (${event.data.procedure.id}, version ${event.data.procedure.version})`;
    case 'procedure.moved':
      return `Procedure ${event.data.procedure} is ${event.data.to}${event.data.forced ? ' by force' : ''}: ${event.data.reason}`;
    case 'procedure.chosen':
      return `Procedure ${event.data.procedure} ${ARMS[event.data.arm]}: ${event.data.reason}`;
    case 'page.edited':
      return `A person edited ${event.data.page}`;
    case 'change.undone':
      return `Undid change ${event.data.change}: ${event.data.reason}`;
    case 'fact.reworded':
      return `Reworded fact ${event.data.fact}: ${event.data.text}`;
    case 'storage.tidied':
      return `Tidied up: ${count(event.data.artifacts, 'artifact')}, ${count(event.data.outbox.length, 'result')} and ${count(event.data.tools.length, 'old tool')} removed (${bytes(event.data.bytes)})`;
    default: {
      const { type, data } = event as Event;
      return `${type}: ${JSON.stringify(data)}`;
    }
  }
}

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
      return `your approval: ${wait.text}`;
    case 'question':
      return `your answer: ${wait.text}`;
    case 'timer':
      return wait.until;
    case 'child':
      return `run ${wait.run}`;
    case 'requirement':
      return wait.need === undefined ? wait.name : `${wait.name} to be installed`;
    case 'message':
      return `a reply in ${wait.thread}`;
  }
}

/** What a person can do about a wait. */
export function answerHint(kind: WaitFor['kind'], wait: string): string {
  if (kind === 'approval') return `oka approve ${wait}   (or deny)`;
  if (kind === 'question' || kind === 'message') return `oka answer ${wait} "…"`;
  return kind === 'requirement' ? 'it goes on when that is there' : 'this ends by itself';
}
