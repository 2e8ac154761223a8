/** Which tools of servers and which skills a prompt shows, as whoever makes a prompt asks for them. */
import type { OfferedSkill, Offers } from '../task/offers.ts';
import type { PlannerInput } from '../../core/schema/ports.ts';
import type { Tool } from '../../core/schema/tool.ts';

export type OfferChoice = {
  /** What a planner is shown for a task. `tools` are the built-in ones. */
  forPlan: (run: string, task: string) => PlanOffers;
  /** The tools that a worker is shown in its turn, and the skills if it may use some. */
  forTurn: (input: PlannerInput) => { tools: PlannerInput['tools']; skills: readonly OfferedSkill[] };
  /** The tools of servers and the skills that fit a few words best. */
  search: (query: string, most: number) => { tools: readonly Tool[]; skills: readonly OfferedSkill[] };
};

export type PlanOffers = Required<Omit<Offers, 'instructions'>> & { tools: readonly Tool[] };
