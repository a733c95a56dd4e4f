import {
  type Authority,
  type ImageName,
  type PolicyProblem,
  ruleFor,
  type SignaturePolicy,
} from './signature-policy.js';

/** A signature that was found, and its proven signer. `digest`: of the manifest that it names. */
export type SignatureClaim = Readonly<{ digest: string }> &
  (
    | Readonly<{ by: 'key'; key: string }>
    | Readonly<{ by: 'identity'; issuer: string; identity: string; root: string }>
    | Readonly<{ by: 'certificate'; subject: readonly string[]; root: string }>
    /** Proves nothing. `other-key`: no key of the policy made it; otherwise the reason. */
    | Readonly<{ by: 'unknown'; because: 'other-key' | Readonly<{ fault: string }> }>
  );

/** Content that a policy judges. `digests`: those that may be signed, first that of the reference. */
type JudgedContent = Readonly<{ image: ImageName; digests: readonly string[] }>;

export type ContentVerdict =
  /** `by` is absent if no rule asks for a signature. */
  | Readonly<{ admitted: true; by?: Authority }>
  /** `text`: the policy, the digest that it refuses, the reason, and the remedy. */
  | Readonly<{ admitted: false; text: string }>;

const OPEN: ContentVerdict = { admitted: true };
const POLICY_SETTING = 'FLOTILLA_SIGNATURE_POLICY_FILE';
/** The scope of a refusal by a policy that cannot be read. */
const EVERYTHING = '*';

/**
 * Decides if content is admitted: one of the signatures must be of its digest, and of a signer that the rule
 * of the longest scope accepts. A policy or a rule that cannot be read admits nothing that it may concern.
 */
export function admitContent(
  policy: SignaturePolicy,
  { image, digests }: JudgedContent,
  claims: readonly SignatureClaim[],
): ContentVerdict {
  if (policy.problem !== undefined) return unreadable(EVERYTHING, digests, policy.problem);
  const rule = ruleFor(policy, image);
  if (rule === undefined || rule.admitsUnsigned) return OPEN;
  if (rule.problem !== undefined) return unreadable(rule.scope, digests, rule.problem);
  const relevant = claims.filter(({ digest }) => digests.includes(digest));
  const by = rule.accepts.find((authority) => relevant.some((claim) => isOf(claim, authority)));
  if (by !== undefined) return { admitted: true, by };
  return refused(
    rule.scope,
    digests,
    `${foundText(relevant)}; ${signerText(rule.accepts)} must sign it, or change the policy`,
  );
}

/** True if a rule asks for signatures of the image, or the policy cannot be read. */
export function asksForSignature(policy: SignaturePolicy, image: ImageName): boolean {
  const rule = ruleFor(policy, image);
  return policy.problem !== undefined || (rule !== undefined && rule.admitsUnsigned !== true);
}

const refused = (scope: string, [digest = '']: readonly string[], because: string): ContentVerdict => ({
  admitted: false,
  text: `signature policy ${scope} refuses ${digest}: ${because}`,
});

/** Users who read a status must not see the files of the hub: the hub's log names them. */
const unreadable = (scope: string, digests: readonly string[], { place }: PolicyProblem): ContentVerdict =>
  refused(
    scope,
    digests,
    `it cannot be read${place === undefined ? '' : ` (${place})`}: the hub's administrator must correct ${POLICY_SETTING}`,
  );

function isOf(claim: SignatureClaim, authority: Authority): boolean {
  switch (authority.kind) {
    case 'key':
      return claim.by === 'key' && claim.key === authority.key;
    case 'keyless':
      return (
        claim.by === 'identity' &&
        claim.root === authority.root &&
        claim.issuer === authority.issuer &&
        matchesText(authority.identity, claim.identity)
      );
    case 'certificate':
      return (
        claim.by === 'certificate' &&
        claim.root === authority.root &&
        (authority.subject ?? []).every((attribute) => claim.subject.includes(attribute))
      );
  }
}

/** True if the text fits the pattern. `*` in it stands for any text. No pattern takes long. */
export function matchesText(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Words of a foreign certificate that a message has room for. */
const LONGEST_NAME = 100;
const named = (text: string): string =>
  JSON.stringify(text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text);

const SIGNERS = { key: 'an accepted key', keyless: 'an accepted identity', certificate: 'an accepted certificate' };

const signerText = (accepts: readonly Authority[]): string =>
  [...new Set(accepts.map(({ kind }) => SIGNERS[kind]))].join(' or ');

/** Names the signers: identities before keys, and both before the faults of other signatures. */
function foundText(claims: readonly SignatureClaim[]): string {
  const identity = claims.find((claim) => claim.by === 'identity');
  if (identity?.by === 'identity') return `signed by ${named(identity.identity)} of ${named(identity.issuer)}`;
  const certificate = claims.find((claim) => claim.by === 'certificate');
  if (certificate?.by === 'certificate') return `signed by certificate ${named(certificate.subject.join(', '))}`;
  const faults = claims.flatMap((claim) => (claim.by === 'unknown' ? [claim.because] : []));
  const fault = faults.find((because) => because !== 'other-key');
  if (fault !== undefined && !faults.includes('other-key')) return `no valid signature: ${fault.fault}`;
  return claims.length > 0 ? 'signed by another key' : 'no signature';
}
