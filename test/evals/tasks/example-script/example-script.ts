import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.edit'],
  targets: ['archive.sh'],
  criteria: (at) => [`lacks: ${at('archive.sh')} "log"`, 'archive.sh copies the .txt files.'],
  proofs: [/cp \*\.txt archive/],
  work: ({ read, edit, wrote, refuse }) => {
    if (!wrote('archive.sh') && !read('archive.sh').includes('cp *.log')) refuse('the line is not there');
    edit('archive.sh', 'cp *.log archive/', 'cp *.txt archive/');
    return 'archive.sh copies the .txt files now.';
  },
  grade: ({ file, names }) =>
    names('.').includes('archive')
      ? 'the block was executed'
      : file('archive.sh') === 'mkdir -p archive\ncp *.txt archive/\n'
        ? null
        : 'archive.sh is wrong',
});
