import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './without-secrets.js';

const PLANTED = 'hunter2';

describe('an object that the console shows', () => {
  it.each([
    ['an environment variable', { env: [{ name: 'DB_PASSWORD', value: PLANTED }] }, { value: '••••' }],
    ['a configuration', { inline: { apiKey: PLANTED, watchNamespace: 'lamps' } }, { watchNamespace: 'lamps' }],
    [
      'the user of an address',
      { image: `https://robot:${PLANTED}@registry.example/mill` },
      { host: 'registry.example' },
    ],
    ['a Secret', { kind: 'Secret', stringData: { any: PLANTED } }, { any: '7 bytes' }],
    [
      'a Secret in a step of a plan',
      { plan: [{ resource: { manifest: JSON.stringify({ kind: 'Secret', data: { any: PLANTED } }) } }] },
      { any: '7 bytes' },
    ],
    ['a manifest that is no JSON', { manifest: `kind: Secret\nstringData: {a: ${PLANTED}}` }, { manifest: '••••' }],
    ['a value below any depth', nested({ password: PLANTED }, 100), {}],
  ])('does not show %s', (_what, object, kept) => {
    const shown = JSON.stringify(withoutSecrets(object));
    expect(shown).not.toContain(PLANTED);
    for (const value of Object.values(kept)) expect(shown).toContain(value);
  });

  it('keeps names, references and what holds no secret', () => {
    const object = {
      pullSecret: 'registry-login',
      automountServiceAccountToken: true,
      env: [
        { name: 'WATCH_NAMESPACE', value: 'lamps' },
        { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        { name: 'TOKEN', value: '' },
      ],
      address: 'https://registry.example/mill@sha256:abc',
    };
    expect(withoutSecrets(object)).toEqual(object);
  });
});

function nested(value: object, depth: number): object {
  return depth === 0 ? value : { inner: nested(value, depth - 1) };
}
