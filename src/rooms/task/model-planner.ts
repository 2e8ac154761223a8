/** The planner of agent nodes: a model, asked one turn at a time. */
import { readDecision, executorRequest } from '../../kit/task/executor.ts';
import { finishOfLastTurn } from '../../kit/task/finish-with-changes.ts';
import type { Offers } from '../../kit/task/offers.ts';
import type { Planner, PlannerInput } from '../../core/schema/ports.ts';
import { answerIn, inputOf, withWords } from '../../kit/models/ask-model.ts';

type TurnOffers = Pick<Offers, 'skills' | 'instructions'> & { tools: PlannerInput['tools'] };

/** `modelOf` names the model that a run's own task asks for; one that is down is asked again after `askAgainMs`, then later. */
export function modelPlanner(
  modelOf: (run: string) => Promise<string | undefined>,
  askAgainMs: number,
  about: {
    /** What memory has for this step. */
    packFor?: (input: PlannerInput, model: string | undefined) => Promise<string>;
    /** The task that the step belongs to. */
    taskOf?: (input: PlannerInput) => Promise<string>;
    /** The context window of the model, in tokens. */
    contextOf?: (model: string | undefined) => number | null;
    /** The date and zone, in words. */
    now?: () => string;
    /** The tools that a worker is shown, the skills that it may use, and instructions of the operator. */
    offersFor?: (input: PlannerInput) => Promise<TurnOffers>;
    /** Sentences about the folders outside the desk that this run may use. */
    foldersOf?: (run: string) => Promise<readonly string[]>;
    /** How many calls one answer may contain. */
    mostCalls?: number;
  } = {},
): Planner {
  return {
    decide: async (asked, act) => {
      const { tools = asked.tools, ...offers } = (await about.offersFor?.(asked)) ?? {};
      const input = { ...asked, tools };
      const finish = finishOfLastTurn(input);
      if (finish !== null) return finish;
      const model = await modelOf(input.run);
      const request = executorRequest(input, {
        pack: (await about.packFor?.(input, model)) ?? '',
        context: about.contextOf?.(model) ?? null,
        ...(about.now === undefined ? {} : { now: about.now() }),
        task: (await about.taskOf?.(input)) ?? '',
        folders: (await about.foldersOf?.(input.run)) ?? [],
        offers,
      });
      const outcome = await act('model.complete', inputOf(request, model));
      if (outcome.status === 'ok') {
        const answer = answerIn(outcome.output);
        const decision =
          answer.problem === null ? readDecision(answer, input, about.mostCalls) : { problem: answer.problem };
        return 'problem' in decision && answer.call === null
          ? { problem: withWords(decision.problem, answer.text) }
          : decision;
      }
      if (outcome.status === 'waiting' && outcome.for.kind === 'timer') return { wait: outcome.for };
      const error = 'error' in outcome ? outcome.error : outcome.status;
      if (outcome.status === 'failed' && outcome.temporary === true)
        return { later: askAgainMs, reason: `the model ${error}` };
      if (outcome.status === 'failed' || outcome.status === 'denied') return { failed: error };
      return { kind: 'Fail', reason: error.slice(0, 4000), rationale: 'there is nobody to ask' };
    },
  };
}
