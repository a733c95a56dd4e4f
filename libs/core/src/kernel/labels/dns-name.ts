const LONGEST = 253;

/** A text as the name of an object: lower case, other characters than those of a DNS subdomain as `-`. */
export function dnsName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/\.[-.]+|-+\./g, '.')
    .slice(0, LONGEST)
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return name === '' ? 'unnamed' : name;
}
