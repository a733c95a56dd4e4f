import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_RIGHTS } from '#core/view/rights/rights';
import { ManualClock } from '#platform/clock/manual-clock';
import { proofKeysText, publicProofKeys } from '#platform/console/proof/proof-keys';
import { ProofMaker } from '#platform/console/proof/proof-maker';
import { HubKey } from '#platform/keys/hub-key';
import type { Person } from './person.js';
import { provePerson } from './prove-person.js';

const PROVED = { reader: 'applier', verb: 'approve', subject: {} } as const;
const jane = (signedInWith: NonNullable<Person['signedInWith']>): Person => ({
  ...{ name: 'jane', groups: [], by: 'oidc', rights: ALL_RIGHTS, session: 's', csrf: 'c', signedInWith },
});
const signedIn = jane(async () => ({ token: 'header.claims.signature' }));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prove-person-'));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }));

const keysIn = async (text: string): Promise<ProofMaker> => {
  const file = join(folder, 'keys');
  await writeFile(file, text);
  return new ProofMaker(file, new ManualClock());
};

describe('the proof of a person', () => {
  const text = proofKeysText(publicProofKeys(HubKey.random()));

  it('is made with the keys of the file', async () => {
    expect(await provePerson(await keysIn(text))(signedIn, PROVED)).toMatch(/^eyJ[\w-]+\.\.[\w.-]+$/);
  });

  it('asks people to sign in again once their token has ended, and says that their page stays', async () => {
    const proving = provePerson(await keysIn(text))(
      jane(async () => undefined),
      PROVED,
    );
    await expect(proving).rejects.toMatchObject({
      status: 401,
      code: 'sign-in-again',
      todo: expect.stringContaining('return to this page'),
    });
  });

  it.each<[what: string, keys: string]>([
    ['an empty file', ''],
    ['a file of the applier alone', JSON.stringify({ keys: JSON.parse(text).keys.slice(0, 1) })],
    ['keys of another kind', text.replaceAll('X25519', 'P-256')],
    ['private keys', text.replaceAll('"use": "enc"', '"d": "x"')],
  ])('is not made with %s, and the answer names the setting', async (_what, keys) => {
    const maker = await keysIn(keys);
    await expect(provePerson(maker)(signedIn, PROVED)).rejects.toMatchObject({
      ...{ status: 503, code: 'no-proof-keys', todo: expect.stringContaining('FLOTILLA_CONSOLE_PROOF_KEYS_FILE') },
    });
    expect(await maker.problem()).toContain('flotilla console proof-keys');
  });

  it('is made again once a file is there, as after the first start of the poller', async () => {
    const file = join(folder, 'later');
    const maker = new ProofMaker(file, new ManualClock());
    await expect(provePerson(maker)(signedIn, PROVED)).rejects.toMatchObject({ code: 'no-proof-keys' });
    await writeFile(file, text);
    expect(await provePerson(maker)(signedIn, PROVED)).toMatch(/^eyJ/);
  });
});
