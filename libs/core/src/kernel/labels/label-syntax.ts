const MAX_LENGTH = 63;
const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const NAME_FORM = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_SUBDOMAIN = 253;
const NAMESPACE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DNS_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NAME_EXAMPLES = `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_FORM}')`;
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
  `an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${NAME_FORM})?')`;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const DNS_LABEL_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with " +
  "an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const tooLong = (max: number): string => `must be no more than ${max} bytes`;

/** Returns the rules a label's key breaks, in Kubernetes' words (k8s.io/apimachinery `IsQualifiedName`). */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${NAME_RULE} ${NAME_EXAMPLES} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const problems = parts.length === 2 ? prefixProblems(parts[0] ?? '') : [];
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > MAX_LENGTH) problems.push(`name part ${tooLong(MAX_LENGTH)}`);
  if (!NAME.test(name)) problems.push(`name part ${NAME_RULE} ${NAME_EXAMPLES}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return subdomainProblems(prefix).map((problem) => `prefix part ${problem}`);
}

/** Returns the rules of a DNS subdomain that a name breaks, in Kubernetes' words (`IsDNS1123Subdomain`). */
export const subdomainProblems = (name: string): string[] => [
  ...(Buffer.byteLength(name) > MAX_SUBDOMAIN ? [tooLong(MAX_SUBDOMAIN)] : []),
  ...(SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_RULE]),
];

/** True if a namespace can have that name (`IsDNS1123Label`). */
export const isDnsLabel = (name: string): boolean => NAMESPACE_NAME.test(name);

/** Returns the rules of a DNS label that a name breaks, in Kubernetes' words (`IsDNS1035Label`). */
export const dnsLabelProblems = (name: string): string[] => [
  ...(Buffer.byteLength(name) > MAX_LENGTH ? [tooLong(MAX_LENGTH)] : []),
  ...(DNS_LABEL.test(name) ? [] : [DNS_LABEL_RULE]),
];

/** Returns the rules a label's value breaks, in Kubernetes' words (`IsValidLabelValue`). */
export const labelValueProblems = (value: string): string[] => [
  ...(value.length > MAX_LENGTH ? [tooLong(MAX_LENGTH)] : []),
  ...(value === '' || NAME.test(value) ? [] : [VALUE_RULE]),
];
