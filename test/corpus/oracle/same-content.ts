/** Fields that Kubernetes or a step of OLM writes itself. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['metadata.namespace', 'metadata.creationTimestamp', 'metadata.uid', 'metadata.resourceVersion', 'status'],
  ...['metadata.generation', 'metadata.deletionTimestamp', 'metadata.managedFields', 'metadata.selfLink'],
  ...['spec.replaces', 'metadata.ownerReferences', 'metadata.finalizers', 'metadata.generateName'],
]);

/**
 * Returns the first place with a difference between a live object and its manifest. Returns undefined if
 * there is none. Null, empty and zero equal absent, as in Go.
 */
export function missingContent(wanted: unknown, live: unknown, path = ''): string | undefined {
  if (OTHERS.has(path) || isEmpty(wanted)) return undefined;
  if (Array.isArray(wanted)) return missingItem(wanted, live, path);
  if (typeof wanted === 'object' && wanted !== null) return missingMember(wanted, live, path);
  return String(wanted) === String(live)
    ? undefined
    : `${path} is ${JSON.stringify(live)}, not ${JSON.stringify(wanted)}`;
}

const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
};

function missingItem(wanted: readonly unknown[], live: unknown, path: string): string | undefined {
  const items: readonly unknown[] = Array.isArray(live) ? live : [];
  const found = wanted.map((item, at) => missingContent(item, items[at], `${path}[${at}]`));
  return found.find((one) => one !== undefined);
}

function missingMember(wanted: object, live: unknown, path: string): string | undefined {
  const members =
    typeof live === 'object' && live !== null ? new Map(Object.entries(live)) : new Map<string, unknown>();
  const found = Object.entries(wanted).map(([key, value]) =>
    missingContent(value, members.get(key), path === '' ? key : `${path}.${key}`),
  );
  return found.find((one) => one !== undefined);
}
