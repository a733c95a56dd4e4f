import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

// Lets a child process of a test run our TypeScript as it stands, decorators included: `./x.js` means `./x.ts` where it
// is imported by a file of ours.
const ours = (url) => url !== undefined && !url.includes('/node_modules/');
const swc = {
  module: { type: 'es6' },
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, verbatimModuleSyntax: true },
  },
  sourceMaps: 'inline',
};

registerHooks({
  resolve(specifier, context, next) {
    const sibling = specifier.startsWith('.') && specifier.endsWith('.js') && ours(context.parentURL);
    return next(sibling ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts') || !ours(url)) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), { ...swc, filename });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
