import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['settings.json'],
  criteria: (at) => [`json: ${at('settings.json')} retries == 3`, 'settings.json still has its other settings.'],
  proofs: [/"timeout": ?30/],
  work: ({ read, write, refuse }) => {
    if (!/^\{[^}]*\}\s*$/.test(read('settings.json'))) refuse('settings.json is broken');
    const settings = JSON.parse(read('settings.json')) as object;
    write('settings.json', `${JSON.stringify({ ...settings, retries: 3 }, null, 1)}\n`);
    return 'settings.json has retries 3 now.';
  },
  grade: ({ file }) =>
    JSON.stringify(JSON.parse(file('settings.json') ?? 'null')) === '{"name":"feed","timeout":30,"retries":3}'
      ? null
      : 'the settings are wrong',
});
