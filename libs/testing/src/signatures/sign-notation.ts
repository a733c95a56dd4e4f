import { FlattenedSign } from 'jose';
import type { IssuedCertificate } from './issue-certificates.js';
import { json } from './sign-content.js';

export const NOTATION_TYPE = 'application/vnd.cncf.notary.signature';
export const JWS_TYPE = 'application/jose+json';
const PAYLOAD_TYPE = 'application/vnd.cncf.notary.payload.v1+json';

/** The envelope that `notation sign` makes, with changes of its protected header. */
export async function notationEnvelope(
  digest: string,
  [leaf, ...others]: readonly [IssuedCertificate, ...IssuedCertificate[]],
  head: Readonly<Record<string, unknown>> = {},
): Promise<Buffer> {
  const payload = json({
    targetArtifact: { digest, mediaType: 'application/vnd.oci.image.manifest.v1+json', size: 1 },
  });
  const header = {
    ...{ alg: 'ES256', cty: PAYLOAD_TYPE, crit: ['io.cncf.notary.signingScheme'] },
    'io.cncf.notary.signingScheme': 'notary.x509',
    'io.cncf.notary.signingTime': new Date().toISOString(),
    ...head,
  };
  const known = Object.fromEntries(Object.keys(header).map((name) => [name, true]));
  const signed = await new FlattenedSign(payload).setProtectedHeader(header).sign(leaf.privateKey, { crit: known });
  const x5c = [leaf, ...others].map(({ der }) => der.toString('base64'));
  return json({ ...signed, header: { x5c, 'io.cncf.notary.signingAgent': 'test' } });
}
