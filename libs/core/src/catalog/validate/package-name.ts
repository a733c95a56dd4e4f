const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const MAX_LABEL = 63;
const RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/**
 * The rules a package name breaks, in Kubernetes' words for a DNS label (spec: file-based-catalogs.md §3.1).
 */
export function packageNameProblems(name: string): string[] {
  const tooLong = name.length > MAX_LABEL ? [`must be no more than ${MAX_LABEL} characters`] : [];
  if (LABEL.test(name)) return tooLong;
  return [...tooLong, name.includes('.') ? 'must not contain dots' : RULE];
}
