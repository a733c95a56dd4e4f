const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'self'"],
  ...["base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

const YEAR = 31_536_000;

/** Headers of every answer: only the console's own scripts and styles run, and no page frames it. */
export const securityHeaders = (isHttps: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  ...(isHttps ? { 'strict-transport-security': `max-age=${YEAR}` } : {}),
});
