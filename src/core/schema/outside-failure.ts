/** How the reasons of failures begin that say nothing about what was to be done: it was not done, or nobody could decide. */

/** An agent whose model cannot be asked, for want of a valid key or of budget, has decided nothing itself. */
export const MODEL_FAILED = 'the model could not be asked: ';

/** A model that could not be asked for a long time. */
export const PLANNER_FAILED = 'the planner failed: ';

/** A call that was not made, since its run may not spend more. */
export const BUDGET_SPENT = 'the budget of this run is spent: ';
