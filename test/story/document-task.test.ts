import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePdf, makePng } from '../support/documents.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan, refusing } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

let story: Story;
beforeAll(async () => {
  story = await openStory();
});
afterAll(() => story[Symbol.asyncDispose]());

describe('a document next to the task of its name', () => {
  it('is read by a step of the runbook', async () => {
    const inbox = join(story.home.workspace, 'inbox');
    writeFileSync(join(inbox, 'report.pdf'), makePdf(['The total is 4711', 'Second page']));
    writeFileSync(
      join(inbox, 'report.md'),
      '---\nid: reading\n---\nRead the report\n\n```bash\noka read report.pdf --pages 1\n```\n',
    );
    story.work();
    expect(await story.ended('reading')).toMatchObject({ status: 'done' });
    const reads = (await story.events()).flatMap((event) =>
      event.type === 'call.ended' && JSON.stringify(event.data.output ?? '').includes('4711')
        ? [event.data.output]
        : [],
    );
    expect(reads[0]).toMatchObject({ content: '[page 1]\nThe total is 4711', document: { format: 'pdf', pages: 2 } });
  });
});

describe('a picture on the desk', () => {
  it('is seen by the model of a worker that reads it, and the ledger has only its hash', async () => {
    await using seeing = await openStory({
      model: inParts({
        planner: () => plan([goal('see', 'Look at logo.png', ['files.read'])], ['The colour of logo.png is said.']),
        executor: acting(call('files_read', { path: 'logo.png' })),
        critic: refusing,
      }),
    });
    const config = readFileSync(seeing.home.config, 'utf8');
    writeFileSync(seeing.home.config, config.replace('"base_url"', '"sees":true,"base_url"'));
    const png = makePng(640, 480);
    writeFileSync(join(seeing.home.workspace, 'desk', 'logo.png'), png);
    seeing.drop('logo.md', '---\nid: logo\n---\nWhich colour has logo.png?\n');
    seeing.work();
    await seeing.ended('logo');
    const bodies = seeing.model.requests.map(({ body }) => JSON.stringify(body));
    const withPicture = bodies.filter((body) => body.includes(`data:image/png;base64,${png.toString('base64')}`));
    expect(withPicture).toHaveLength(1);
    expect(withPicture[0]).toContain('Picture 1: a picture, 640 × 480, shown below.');
    expect(JSON.stringify(await seeing.events())).not.toContain(png.toString('base64'));
  });
});
