/** Owns: what a person can do about a task that has failed, in a sentence, by the reason that the ledger has. Pure. */

type Advice = {
  /** Why it failed, in a few words. */
  why: string;
  /** What to do, and then the command; it is said after a colon. */
  todo: string;
  command: string;
};

const FILE = String.raw`[\`"']?((?:[\w.-]+/)*[\w-][\w .-]*\.[A-Za-z0-9]{1,6})[\`"']?`;
const NO_FILE = [
  new RegExp(String.raw`${FILE} (?:is|was) (?:not there|missing|not found|absent)`),
  new RegExp(
    String.raw`(?:there is no|cannot find|could not find|no such file[^:]*:|missing:?|without) (?:the |a )?(?:file )?${FILE}`,
    'i',
  ),
  new RegExp(String.raw`${FILE}: No such file`),
];

/** The reason begins with the step that failed, or with how often something was asked. */
const PREFIX = /^(?:the steps failed: )?(?:[\w.-]+: )?/;

export function adviceFor(reason: string, run: string): Advice {
  const resume = `oka resume ${run}`;
  const then = (why: string, todo: string, command = resume): Advice => ({ why, todo, command });
  const plain = reason.replace(PREFIX, '');
  const file = NO_FILE.map((shape) => shape.exec(reason)?.[1]).find((each) => each !== undefined);
  if (/answered \d+ times? what cannot be used/.test(reason))
    return then(
      'the model gave no answer that can be used',
      'Choose another model (oka model setup) or do it again',
      `oka again ${run}`,
    );
  if (/the model(?:['’]s server)? (?:answered|cannot|could not|is not)|no model|model setup/i.test(reason))
    return then('its model did not answer', 'See that it answers (oka model test), then continue');
  if (/cannot be|could not be|^no plan can do it/.test(plain) && file === undefined)
    return then(plain, 'Add what is missing or change the task, then continue');
  if (file !== undefined)
    return then(`${file} is not there`, `Ask for ${file} and put it where the task looks for it, then continue`);
  if (/: (?:command )?not found|is missing\. A person answered/.test(reason))
    return then(plain, 'Install what is missing, then continue');
  if (/budget|over its limit|ran out of (?:time|tokens)|timed out/i.test(reason))
    return then(plain, 'Give it more room in its front matter, then continue');
  if (/\b(?:unbacked|unfinished): |criteri|not met|: it (?:does not|has|is)\b|\bThe critic: /.test(reason))
    return then(plain, 'Look at the result, and say what is wrong', `oka correct ${run} "…"`);
  return then(plain, 'Fix that, then continue');
}
