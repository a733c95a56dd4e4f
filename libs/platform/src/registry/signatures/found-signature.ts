/** A signature as a registry keeps it: nothing of it is verified. */
export type FoundSignature =
  /** A layer of cosign's tag `sha256-….sig`: a payload that names a digest, and annotations. */
  | Readonly<{
      form: 'simplesigning';
      payload: Uint8Array;
      signature: string;
      certificate?: string;
      rekor?: string;
      timestamp?: string;
    }>
  /** A bundle of sigstore, as cosign 3 keeps it by default. */
  | Readonly<{ form: 'bundle'; bytes: Uint8Array }>
  /** An envelope of notation. */
  | Readonly<{ form: 'notation'; mediaType: string; bytes: Uint8Array }>
  /** A signature that could not be read, and why. */
  | Readonly<{ form: 'unreadable'; why: string }>;

export const SignatureType = {
  simpleSigning: 'application/vnd.dev.cosign.simplesigning.v1+json',
  sigstoreBundle: /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.3\+json|\+json;version=0\.[123])$/,
  notation: 'application/vnd.cncf.notary.signature',
  jws: 'application/jose+json',
  cose: 'application/cose',
} as const;
