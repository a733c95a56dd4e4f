import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { type IssuedCertificate, issueCertificate } from './issue-certificates.js';
import { BUNDLE_TYPE, envelopeBytes, envelopeOf, type PayloadLayer } from './sign-content.js';

const LOG = 'rekor.example';
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export type SigstoreIdentity = Readonly<{ issuer: string; uri: string }>;
/** Deliberate fault of a signature. */
export type SigstoreFault = 'not logged' | 'other log' | 'other authority' | 'logged late' | 'other proof';

/** An authority of certificates and a log, as Fulcio and Rekor are, with the keys of this process. */
export class OwnSigstore {
  private constructor(
    private readonly authority: IssuedCertificate,
    private readonly log: Readonly<{ privateKey: KeyObject; publicKey: KeyObject }>,
  ) {}

  static async start(): Promise<OwnSigstore> {
    const authority = await issueCertificate({ subject: 'CN=fulcio, O=example', isAuthority: true, pathLength: 0 });
    return new OwnSigstore(authority, generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  }

  /** The document that clients trust. */
  get trustedRoot(): unknown {
    const validFor = { start: '2020-01-01T00:00:00Z' };
    return {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [
        {
          ...{ baseUrl: `https://${LOG}`, hashAlgorithm: 'SHA2_256', logId: { keyId: base64(this.#logId) } },
          publicKey: { rawBytes: base64(this.#logKey), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
        },
      ],
      certificateAuthorities: [
        {
          ...{ subject: { organization: 'example', commonName: 'fulcio' }, uri: 'https://fulcio.example', validFor },
          certChain: { certificates: [{ rawBytes: base64(this.authority.der) }] },
        },
      ],
      ctlogs: [],
      timestampAuthorities: [],
    };
  }

  /** A bundle over a statement, as cosign 3 writes it. */
  async bundle(statement: Buffer, identity: SigstoreIdentity, fault?: SigstoreFault): Promise<unknown> {
    const { leaf, from } = await this.#certified(identity, fault);
    const signature = sign('sha256', envelopeBytes(statement), leaf.privateKey);
    const spec = {
      payloadHash: { algorithm: 'sha256', value: sha256(statement).toString('hex') },
      signatures: [{ signature: base64(signature), verifier: base64(Buffer.from(leaf.certificate.toString('pem'))) }],
    };
    const entry = from.#entry({ apiVersion: '0.0.1', kind: 'dsse', spec }, fault);
    return {
      mediaType: BUNDLE_TYPE,
      verificationMaterial: {
        certificate: { rawBytes: base64(leaf.der) },
        tlogEntries: fault === 'not logged' ? [] : [entry],
      },
      dsseEnvelope: envelopeOf(statement, signature),
    };
  }

  /** A payload with the annotations of cosign's own tag. */
  async payload(payload: Buffer, identity: SigstoreIdentity, fault?: SigstoreFault): Promise<PayloadLayer> {
    const { leaf, from } = await this.#certified(identity, fault);
    const signature = sign('sha256', payload, leaf.privateKey);
    const pem = leaf.certificate.toString('pem');
    const spec = {
      data: { hash: { algorithm: 'sha256', value: sha256(payload).toString('hex') } },
      signature: { content: base64(signature), publicKey: { content: base64(Buffer.from(pem)) } },
    };
    const entry = from.#entry({ apiVersion: '0.0.1', kind: 'hashedrekord', spec }, fault);
    const rekor = {
      SignedEntryTimestamp: entry.inclusionPromise.signedEntryTimestamp,
      Payload: {
        ...{ body: entry.canonicalizedBody, integratedTime: Number(entry.integratedTime), logIndex: 0 },
        logID: from.#logId.toString('hex'),
      },
    };
    const annotations = {
      'dev.cosignproject.cosign/signature': base64(signature),
      'dev.sigstore.cosign/certificate': pem,
      ...(fault !== 'not logged' && { 'dev.sigstore.cosign/bundle': JSON.stringify(rekor) }),
    };
    return { payload, annotations };
  }

  async #certified(identity: SigstoreIdentity, fault: SigstoreFault | undefined) {
    const other = fault === 'other log' || fault === 'other authority' ? await OwnSigstore.start() : this;
    const by = fault === 'other authority' ? other.authority : this.authority;
    const leaf = await issueCertificate({ subject: 'CN=sigstore', by, identity, from: -1, to: 1 });
    return { leaf, from: fault === 'other log' ? other : this };
  }

  get #logKey(): Buffer {
    return this.log.publicKey.export({ type: 'spki', format: 'der' });
  }

  get #logId(): Buffer {
    return sha256(this.#logKey);
  }

  #entry(body: unknown, fault: SigstoreFault | undefined) {
    const bytes = Buffer.from(canonicalJson(body));
    const integratedTime = Math.floor(Date.now() / 1000) + (fault === 'logged late' ? 10 * 86_400 : 0);
    const logID = this.#logId.toString('hex');
    const promised = canonicalJson({ body: base64(bytes), integratedTime, logIndex: 0, logID });
    const root = sha256(Buffer.concat([Buffer.from([0]), fault === 'other proof' ? Buffer.from('x') : bytes]));
    const note = `${LOG}\n1\n${base64(root)}\n`;
    const signed = Buffer.concat([this.#logId.subarray(0, 4), sign('sha256', Buffer.from(note), this.log.privateKey)]);
    return {
      ...{ logIndex: '0', logId: { keyId: base64(this.#logId) }, integratedTime: String(integratedTime) },
      kindVersion: { kind: String(Object(body).kind), version: '0.0.1' },
      inclusionPromise: {
        signedEntryTimestamp: base64(sign('sha256', Buffer.from(promised), this.log.privateKey)),
      },
      inclusionProof: {
        ...{ logIndex: '0', rootHash: base64(root), treeSize: '1', hashes: [] },
        checkpoint: { envelope: `${note}\n— ${LOG} ${base64(signed)}\n` },
      },
      canonicalizedBody: base64(bytes),
    };
  }
}
