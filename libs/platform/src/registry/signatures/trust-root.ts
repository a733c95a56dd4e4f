import { UnusableMaterial } from './signature-materials.js';

/**
 * Reads a trust root of sigstore as JSON, and checks the parts that it names. Throws {@link
 * UnusableMaterial}.
 */
export function checkTrustRoot(text: string): unknown {
  const root = jsonOf(text);
  if (typeof root !== 'object' || root === null || !String(Object(root).mediaType).includes('trustedroot')) {
    throw new UnusableMaterial('is not a trust root of sigstore (trusted_root.json)');
  }
  const has = (field: string): boolean => Array.isArray(Object(root)[field]) && Object(root)[field].length > 0;
  if (!has('certificateAuthorities')) throw new UnusableMaterial('names no certificate authority (Fulcio)');
  if (has('tlogs') || has('timestampAuthorities')) return root;
  throw new UnusableMaterial('names neither a transparency log (Rekor) nor a timestamp authority');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
