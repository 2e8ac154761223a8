import { makeEgressKey, setUp } from '../../../kit/home/set-up.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';

type Data = { dir: string; made: string[] };
type Options = { egressKey: string | undefined; restore: boolean; docker: boolean; image: string | undefined };

export async function run({ home, options }: Call<Options>): Promise<Answer<Data>> {
  const { egressKey, restore, docker, image } = options;
  if (image !== undefined && !/^[a-z0-9][\w.:/@-]*$/.test(image))
    throw new OkaError('usage', `--image: "${image}" is not the name of an image, such as registry.example.org/oka:1`);
  if (docker) {
    const { writeComposeFile } = await import('../compose-file.ts');
    return answer({ dir: home.dir, made: writeComposeFile(home, image) });
  }
  const made = setUp(home, { restore });
  if (egressKey !== undefined && makeEgressKey(egressKey)) made.push(egressKey);
  return answer({ dir: home.dir, made });
}

export function render({ dir, made }: Data): string {
  if (made.length === 0) return `${dir} is set up already; nothing was changed.\n`;
  const files = made.map((path) => `  ${path}\n`).join('');
  const next = made.includes('docker-compose.yml')
    ? 'start it there: docker compose up --detach'
    : 'drop a task into workspace/inbox, or see what there is: oka status';
  return `Set up ${dir}:\n${files}Next: ${next}\n`;
}
