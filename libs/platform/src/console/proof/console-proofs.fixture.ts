import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Policy } from '#core/view/rights/console-policy';
import type { Clock } from '../../clock/clock.port.js';
import { HubKey } from '../../keys/hub-key.js';
import { silentLog } from '../../telemetry/log.port.js';
import { MemoryUsedProofs } from './memory-used-proofs.js';
import { ProofChecker, type ProofCheckerOptions } from './proof-checker.js';
import { privateProofKeys, publicProofKeys } from './proof-keys.js';
import { ProofMaker } from './proof-maker.js';
import { TokenIssuer } from './token-issuer.js';

export const ISSUER = 'https://login.test';
export const CLIENT = 'flotilla';

/** How a token differs from one that the issuer gives. */
export type TokenParts = Readonly<{
  claims?: Readonly<Record<string, unknown>>;
  header?: Readonly<Record<string, unknown>>;
  key?: CryptoKey | Uint8Array;
  alg?: string;
}>;

/** An issuer without a network: its documents are answered by `fetch`, and it signs with ES256. */
export async function proofIssuer(clock: Clock) {
  let keys = await generateKeyPair('ES256');
  let kid = 'k1';
  let asked = 0;
  const answer = (address: string): Promise<unknown> | unknown => {
    if (address === `${ISSUER}/.well-known/openid-configuration`) return { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
    return exportJWK(keys.publicKey).then((jwk) => ({ keys: [{ ...jwk, kid, alg: 'ES256' }] }));
  };
  const ask = async (address: string | URL | Request): Promise<Response> => {
    asked += 1;
    return new Response(JSON.stringify(await answer(String(address))));
  };
  return {
    fetch: ask as typeof fetch,
    get asked() {
      return asked;
    },
    get publicKey() {
      return keys.publicKey;
    },
    async rotate(to: string): Promise<void> {
      [keys, kid] = [await generateKeyPair('ES256'), to];
    },
    token({ claims = {}, header = {}, key, alg = 'ES256' }: TokenParts = {}): Promise<string> {
      const now = Math.floor(clock.now().getTime() / 1_000);
      const of = { iss: ISSUER, aud: CLIENT, sub: 'u1', iat: now, exp: now + 60 };
      const person = { email: 'jane@bank.example', email_verified: true, groups: ['sre'] };
      return new SignJWT({ ...of, ...person, ...claims })
        .setProtectedHeader({ alg, kid, ...header })
        .sign(key ?? keys.privateKey);
    },
  };
}
export type ProofIssuer = Awaited<ReturnType<typeof proofIssuer>>;

const EVERYWHERE = { labels: {}, clusters: ['*'], namespaces: ['*'], packages: ['*'] };
export const SRE_POLICY: Policy = {
  grants: [{ users: [], groups: ['sre'], role: 'operator', ...EVERYWHERE }],
};

/** Makes a checker and a maker of proofs for it. `counted`: the reasons of refusals. */
export function proofParts(clock: Clock, more: Partial<ProofCheckerOptions> & Readonly<{ issuedBy?: ProofIssuer }>) {
  const { issuedBy, ...options } = more;
  const hubKey = HubKey.random();
  const counted: string[] = [];
  const { reader = 'applier' } = options;
  const issuer =
    issuedBy &&
    new TokenIssuer({
      ...{ issuer: ISSUER, clientId: CLIENT, addresses: [], clock, log: silentLog },
      fetch: issuedBy.fetch,
    });
  const checker = new ProofChecker({
    ...{ reader, clock, log: silentLog, policy: () => SRE_POLICY, consoleKey: async () => undefined },
    privateKeys: privateProofKeys(hubKey, reader),
    used: new MemoryUsedProofs(clock),
    claims: { name: 'email', groups: 'groups' },
    ...(issuer && { issuer }),
    count: (reason) => counted.push(reason),
    ...options,
  });
  return { checker, counted, hubKey, maker: new ProofMaker(publicProofKeys(hubKey), clock) };
}
