/** Loaded before a program: prints every module that the program loads, on standard error. */
import { registerHooks } from 'node:module';

registerHooks({
  load: (url, context, next) => {
    process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
