import { expect, it } from 'vitest';
import { counted } from './counted.js';

it.each([
  { text: counted(0, 'object'), shown: '0 objects' },
  { text: counted(1, 'object'), shown: '1 object' },
  { text: counted(2, 'object'), shown: '2 objects' },
  { text: counted(1, 'other of that kind', 'others of that kind'), shown: '1 other of that kind' },
  { text: counted(3, 'copy', 'copies'), shown: '3 copies' },
])('$shown', ({ text, shown }) => {
  expect(text).toBe(shown);
});
