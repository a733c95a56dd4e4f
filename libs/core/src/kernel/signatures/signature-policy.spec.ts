import { describe, expect, it } from 'vitest';
import { ruleFor, scopeOf } from './signature-policy.js';

const policy = (...scopes: string[]) => ({
  rules: scopes.map((scope) => ({ scope: scopeOf(scope) ?? 'none', accepts: [] })),
});
const scopeFor = (name: string, ...scopes: string[]) => {
  const [host = '', ...path] = name.split('/');
  return ruleFor(policy(...scopes), { host, repository: path.join('/') })?.scope;
};

describe('ruleFor', () => {
  it.each<[image: string, scopes: string[], scope: string | undefined]>([
    ['r.example/team/op', ['r.example'], 'r.example'],
    ['r.example/team/op', ['r.example', 'r.example/team'], 'r.example/team'],
    ['r.example/team/op', ['r.example/team/op', 'r.example/team'], 'r.example/team/op'],
    ['r.example/teams/op', ['r.example/team'], undefined],
    ['r.example/team', ['r.example/team/op'], undefined],
    ['r.example.evil/team', ['r.example'], undefined],
    ['evil-r.example/team', ['r.example'], undefined],
    ['r.example/team', ['*'], '*'],
    ['r.example/team', ['*', '*.example'], '*.example'],
    ['a.b.example/team', ['*.b.example', '*.example'], '*.b.example'],
    ['a.b/c', ['*.b', 'a.b'], 'a.b'],
    ['example/team', ['*.example'], undefined],
    ['r.example:5000/team', ['r.example'], undefined],
    ['r.example:5000/team', ['r.example:5000'], 'r.example:5000'],
    ['r.example:5000/team', ['*.example'], '*.example'],
  ])('%s among %j: %s', (image, scopes, scope) => expect(scopeFor(image, ...scopes)).toBe(scope));

  it.each<[image: string, scope: string]>([
    ['R.Example/team', 'r.example'],
    ['r.example/team', 'R.EXAMPLE'],
    ['r.example:443/team', 'r.example'],
    ['r.example:80/team', 'r.example'],
    ['r.example/team', 'r.example:443'],
    ['127.1/team', '127.0.0.1'],
    ['0x7f000001:5000/team', '127.0.0.1:5000'],
    ['[0:0:0:0:0:0:0:1]:5000/team', '[::1]:5000'],
    ['registry-1.docker.io/library/redis', 'docker.io/library'],
    ['docker.io/library/redis', 'index.docker.io'],
  ])('%s does not leave %s by its spelling', (image, scope) => expect(scopeFor(image, scope)).toBe(scopeOf(scope)));
});

describe('scopeOf', () => {
  it.each([
    '',
    'r.example/',
    'r.example/Team',
    'https://r.example',
    '*.',
    '*.example/x',
    'r.*',
    'r.example/a:1',
    'a'.repeat(600),
  ])('%s is no scope', (text) => expect(scopeOf(text)).toBeUndefined());
});
