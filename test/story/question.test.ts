import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const TASK = `---
id: invitation
accept:
  - 'contains: invitation.txt "Friday"'
---
Write an invitation for the day that I want. Ask me which.
`;

describe('a question to a person', () => {
  it('W2 waits without holding anything in memory, survives a restart, and the answer goes on', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () => plan([goal('write', 'Ask for the day and write it', ['files.write'])], ['file: invitation.txt']),
        executor: (request) => {
          const day = /The person answered: (\w+)/.exec(request.text)?.[1];
          if (day === undefined) return call('ask_human', { question: 'Which day?', options: ['Friday', 'Sunday'] });
          return acting(call('files_write', { path: 'invitation.txt', content: `Come on ${day}!\n` }))({
            ...request,
            text: request.text.replace(/Turn (\d+)\./, (_, turn) => `Turn ${Number(turn) - 1}.`),
          });
        },
      }),
    });
    story.drop('invitation.md', TASK);
    story.work();
    const { wait } = await story.asked('question');
    expect(await story.until('a result', async () => story.page('invitation') ?? undefined)).toMatch(
      /Which day\?\n.*oka answer invitation "…"/,
    );
    await story.rest();
    const asked = story.model.requests.length;
    story.work();
    await story.until('a second worker', async () =>
      (await story.eventsOf('worker.started')).length > 1 ? true : undefined,
    );
    expect((await story.oka('answer', wait, 'Friday')).code).toBe(0);
    const { status, page } = await story.ended('invitation');
    expect(status).toBe('done');
    expect(story.deskText('invitation.txt')).toBe('Come on Friday!\n');
    expect(page).not.toContain('Open questions');
    expect(story.model.requests.length).toBe(asked + 3);
    expect(await story.eventsOf('wait.closed')).toHaveLength(2);
  });
});
