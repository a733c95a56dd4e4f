import { registerHooks } from 'node:module';

// Lets a child process of a test run our TypeScript as it stands: `./x.js` means `./x.ts` where only that exists.
registerHooks({
  resolve(specifier, context, next) {
    const ours = specifier.startsWith('.') && specifier.endsWith('.js') && !context.parentURL?.includes('/node_modules/');
    return next(ours ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
