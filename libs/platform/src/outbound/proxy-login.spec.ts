import { expect, it } from 'vitest';
import { proxyLogin } from './proxy-login.js';

it.each([
  ['http://ann:p%40ss@proxy:3128', { user: 'ann', password: 'p@ss' }],
  ['http://ann%zz:100%@proxy:3128', { user: 'ann%zz', password: '100%' }],
  ['http://proxy:3128', { user: '', password: '' }],
])('the login of %s', (url, login) => {
  expect(proxyLogin(new URL(url))).toEqual(login);
});
