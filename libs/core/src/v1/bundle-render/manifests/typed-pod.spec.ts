import { expect, it } from 'vitest';
import { asTyped } from './typed-pod.js';

it.each([
  { because: 'an empty list', pod: { containers: [{ name: 'a', env: [] }] }, is: { containers: [{ name: 'a' }] } },
  { because: 'but not of containers', pod: { containers: [] }, is: { containers: [] } },
  { because: 'an empty map', pod: { nodeSelector: {} }, is: {} },
  { because: 'but not an empty structure', pod: { volumes: [{ emptyDir: {} }] }, is: { volumes: [{ emptyDir: {} }] } },
  {
    because: 'quantities in one form',
    pod: { containers: [{ resources: { limits: { cpu: '1000m' }, requests: {} } }] },
    is: { containers: [{ resources: { limits: { cpu: '1' } } }] },
  },
])('$because', ({ pod, is }) => {
  expect(asTyped(pod)).toEqual(is);
});
