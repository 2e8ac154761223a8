/** How the evidence of a criterion begins that the critic says is met and cannot show: nobody saw a mistake there. */
export const SAID_TO_BE_MET = 'the model says it is met, but';
