const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const MAX_LENGTH = 253;
const FORM =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`;

/**
 * Returns the reason why a text cannot be the name of a catalog, in the words of Kubernetes' validation,
 * otherwise undefined.
 */
export function catalogNameProblem(name: string): string | undefined {
  const problems = [
    ...(Buffer.byteLength(name) > MAX_LENGTH ? [`must be no more than ${MAX_LENGTH} characters`] : []),
    ...(SUBDOMAIN.test(name) ? [] : [FORM]),
  ];
  return problems.length === 0 ? undefined : problems.join('; ');
}
