/** A conversation in which the agent gendry starts one task: to write sword.txt with the word steel. */
import { persona, type Speaker } from './chat-story.ts';
import { acting, agreeing, goal, inParts, plan } from './story-model.ts';
import { call, type WireReply } from './wire-server-reply.ts';

export const smith = persona('Makes things.', 'role: writer\ncapabilities: [read, write, external]\n');

/** An agent that starts one task, and the models of that task. */
export function forge(text: string): Speaker {
  const work = inParts({
    planner: () =>
      plan([goal('write', 'Write sword.txt.', ['files.write'], ['sword.txt'])], ['contains: sword.txt steel']),
    executor: acting(call('files_write', { path: 'sword.txt', content: 'steel' })),
    critic: agreeing('files.write', 'path'),
  });
  return ({ agent, request }) => {
    if (agent !== 'gendry') return work(request) as WireReply;
    return request.text.includes('which the others do not see')
      ? 'It is being made.'
      : call('task_start', { text, title: 'A sword' });
  };
}
