import { expect, it } from 'vitest';
import { adviceParts } from './advice-parts.js';

it.each([
  ['Correct the spec of the CatalogSource.', 'Correct the spec of the CatalogSource.', ''],
  ['flotilla explain subscription lamp -n lamps', '', 'flotilla explain subscription lamp -n lamps'],
  [
    'Create it: kubectl -n lamps create serviceaccount lamp',
    'Create it.',
    'kubectl -n lamps create serviceaccount lamp',
  ],
  ['Ask: why? It is done: oc get csv', 'Ask: why? It is done.', 'oc get csv'],
])('%j is text %j and command %j', (advice, text, command) => {
  expect(adviceParts(advice)).toEqual({ text, command });
});
