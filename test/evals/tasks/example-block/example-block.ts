import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.edit'],
  targets: ['hello.py'],
  criteria: (at) => [`lacks: ${at('hello.py')} "Hello, you!"`, 'hello.py greets by the name it is given.'],
  proofs: [/f"Hello, \{name\}!"/],
  work: ({ read, edit, wrote }) => {
    if (!wrote('hello.py') && !read('hello.py').includes('def greet(name)'))
      throw new Error('the function is not there');
    edit('hello.py', 'return "Hello, you!"', 'return f"Hello, {name}!"');
    return 'greet says the name now.';
  },
  grade: ({ file }) =>
    file('hello.py') === 'def greet(name):\n    return f"Hello, {name}!"\n' ? null : 'the greeting is wrong',
});
