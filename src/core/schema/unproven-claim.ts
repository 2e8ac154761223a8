/** How the evidence of a criterion begins that the critic says is met and cannot show: nobody saw a mistake there. */
export const SAID_TO_BE_MET = 'the model says it is met, but';

/** Whether there are unmet criteria, and the critic says of each that it is met. */
export const areSaidToBeMet = (unmet: readonly { evidence: string }[]): boolean =>
  unmet.length > 0 && unmet.every(({ evidence }) => evidence.startsWith(SAID_TO_BE_MET));
